package cli

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"toolgate.dev/toolgate/internal/certfile"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

const dialHelp = "--gateway takes host:port, or https://host:port for TLS"

// dial makes a client of the gateway, which shows the caller's credential.
func (s *session) dial(options ...toolgate.Option) (*toolgate.Client, error) {
	target, dial, err := s.dialing()
	if err != nil {
		return nil, err
	}
	client, err := toolgate.Dial(target, append(options, toolgate.WithDialOptions(dial...))...)
	if err != nil {
		return nil, usage(err.Error(), dialHelp)
	}
	return client, nil
}

// dialing tells how the gateway is reached. Credentials come from the environment: on
// a command line everybody on the machine reads them.
func (s *session) dialing() (target string, options []grpc.DialOption, err error) {
	target, secure := strings.CutPrefix(s.gateway, "https://")
	target = strings.TrimSuffix(target, "/")
	shown := credential{key: s.Getenv("TOOLGATE_API_KEY"), token: s.Getenv("TOOLGATE_TOKEN"), secure: secure}
	transport := insecure.NewCredentials()
	if secure {
		config, err := s.clientTLS()
		if err != nil {
			return "", nil, err
		}
		transport = credentials.NewTLS(config)
		target = withPort(target)
	}
	options = []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if shown.key == "" && shown.token == "" {
		return target, options, nil
	}
	if !secure && !staysHere(target) {
		return "", nil, usage("the credential would travel to "+target+" where anyone on the way reads it", "--gateway https://HOST:PORT speaks TLS")
	}
	return target, append(options, grpc.WithPerRPCCredentials(shown)), nil
}

func (s *session) clientTLS() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if path := s.Getenv("TOOLGATE_CA"); path != "" {
		authorities, err := certfile.Authorities(path)
		if err != nil {
			return nil, usage("TOOLGATE_CA: "+err.Error(), "a PEM file with the authorities of the gateway's certificate")
		}
		config.RootCAs = authorities
	}
	cert, key := s.Getenv("TOOLGATE_CERT"), s.Getenv("TOOLGATE_KEY")
	if cert == "" && key == "" {
		return config, nil
	}
	pair, err := certfile.Pair(cert, key)
	if err != nil {
		return nil, usage("TOOLGATE_CERT, TOOLGATE_KEY: "+err.Error(), "PEM files of the caller's certificate and its key")
	}
	config.Certificates = []tls.Certificate{*pair}
	return config, nil
}

func withPort(target string) string {
	if u, err := url.Parse("https://" + target); err == nil && u.Port() == "" && u.Hostname() != "" {
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return target
}

// staysHere reports whether what is sent to a target does not leave the machine.
func staysHere(target string) bool {
	host, _, err := net.SplitHostPort(target)
	if err != nil {
		return strings.HasPrefix(target, "unix:")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// credential is shown with every rpc.
type credential struct {
	key, token string
	secure     bool
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (c credential) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if c.key != "" {
		return map[string]string{"x-api-key": c.key}, nil
	}
	return map[string]string{"authorization": "Bearer " + c.token}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (c credential) RequireTransportSecurity() bool { return c.secure }
