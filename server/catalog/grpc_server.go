package catalog

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

const (
	schemeGRPC  = "grpc"
	schemeGRPCS = "grpcs"

	maxDescriptorBytes = 32 << 20
)

// speaksGRPC reports whether a URL says so.
func speaksGRPC(text string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(text), "://")
	return found && (scheme == schemeGRPC || scheme == schemeGRPCS)
}

// readAddress accepts the address of a gRPC server; nil: it is none.
func (b *builder) readAddress(at at, text string) *url.URL {
	const accepted = "grpc://host:port, or grpcs://host:port with TLS"
	address, err := url.Parse(text)
	var message string
	switch {
	case err != nil:
		message = "this is no URL"
	case address.User != nil:
		message = "user and password don't belong in a URL: use secret_headers"
	case address.Hostname() == "":
		message = "the URL has no host"
	case address.Path != "" && address.Path != "/" || address.RawQuery != "" || strings.Contains(text, "#"):
		message = "the URL of a gRPC server ends behind its port"
	case address.Port() == "" && strings.ToLower(address.Scheme) == schemeGRPC:
		message = "the URL has no port"
	default:
		if address.Scheme = strings.ToLower(address.Scheme); address.Port() == "" {
			address.Host = net.JoinHostPort(address.Hostname(), "443")
		}
		return address
	}
	b.report.add(at, Problem{Message: message, Accepted: accepted})
	return nil
}

// readGRPC reads what an upstream says of its server.
func (b *builder) readGRPC(at at, u *upstream) *grpcServer {
	before := len(b.report.found)
	g := &grpcServer{at: at, upstream: u}
	if u.written.GetUrl() == "" || u.address == nil && !speaksGRPC(u.written.GetUrl()) {
		b.report.sayf(at.field("url"), "grpc://host:port, or grpcs://host:port with TLS", "the URL of a gRPC server is missing")
	}
	for field, headers := range map[string]map[string]string{"headers": u.written.GetHeaders(), "secret_headers": u.secrets.sent} {
		for _, header := range sortedKeys(headers) {
			if message := grpcbackend.CheckHeader(header, headers[header]); message != "" {
				b.report.add(at.field(field).field(header), Problem{Message: message})
			}
		}
	}
	if u.address != nil {
		settings := b.transportFor(u.address.Host, u.transport).settings()
		if u.address.Scheme == schemeGRPC && settings.TLS != (backend.TLS{}) && u.written.GetHttp().GetTls() != nil {
			b.report.sayf(at.field("http").field("tls"), "grpcs://… as the url", "TLS is not spoken with grpc://")
		}
		g.server = b.grpcPool().Server(u.name, grpcTransport(u.address, settings))
	}
	u.wrong = u.wrong || len(b.report.found) > before
	return g
}

// grpcTransport takes what the settings of a transport mean to a gRPC connection.
func grpcTransport(address *url.URL, settings httpbackend.Transport) grpcbackend.Transport {
	t := grpcbackend.Transport{
		Address: address.Host, Secure: address.Scheme == schemeGRPCS, IdleTimeout: settings.IdleTimeout, MaxAge: settings.MaxAge,
		ConnectTimeout: settings.ConnectTimeout, TLSTimeout: settings.TLSTimeout, Allow: settings.Allow, Proxy: settings.Proxy,
	}
	if t.Secure {
		t.TLS = settings.TLS
	}
	return t
}

// readDescriptors reads the file that describes a server's services.
func (b *builder) readDescriptors(g *grpcServer, set string) {
	if b.settings.noVocabularies { // the file is read alone
		return
	}
	place := g.at.field("grpc").field("descriptor_set")
	const accepted = "what `buf build -o FILE` or `protoc --include_imports --descriptor_set_out=FILE` writes"
	path := within(filepath.Dir(b.source.name), set)
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxDescriptorBytes {
		b.report.sayf(place, accepted, "the file is larger than %d bytes", maxDescriptorBytes)
		return
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	b.settings.readFile(path, digestOf(text, err))
	if err != nil {
		b.report.sayf(place, accepted, "the file can't be read: %v", err)
		return
	}
	g.services, err = methods.Parse(text)
	if err != nil {
		b.report.sayf(place, accepted, "%v", err)
	}
}
