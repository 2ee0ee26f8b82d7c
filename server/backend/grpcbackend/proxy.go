package grpcbackend

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/net/proxy"

	"toolgate.dev/toolgate/server/backend"
)

// reach opens a connection to the server, through its proxy where there is one.
func (s *Server) reach(ctx context.Context, address string) (net.Conn, error) {
	to, err := s.settings.Proxy.Func()(&url.URL{Scheme: "https", Host: address})
	switch {
	case err != nil:
		return nil, err
	case to == nil:
		return s.dial(ctx, "tcp", address)
	case to.Scheme == "socks5" || to.Scheme == "socks5h":
		return s.socks(ctx, to, address)
	}
	conn, err := s.dial(ctx, "tcp", withPort(to))
	if err != nil {
		return nil, err
	}
	tunnel, err := connect(ctx, conn, to, address)
	if err != nil {
		_ = conn.Close() // it leads nowhere
		return nil, err
	}
	return tunnel, nil
}

func withPort(to *url.URL) string {
	switch {
	case to.Port() != "":
		return to.Host
	case to.Scheme == "https":
		return net.JoinHostPort(to.Hostname(), "443")
	case to.Scheme == "http":
		return net.JoinHostPort(to.Hostname(), "80")
	}
	return net.JoinHostPort(to.Hostname(), "1080")
}

// connect asks a proxy for a tunnel.
func connect(ctx context.Context, conn net.Conn, to *url.URL, address string) (net.Conn, error) {
	under := conn
	stop := context.AfterFunc(ctx, func() { _ = under.Close() }) // who waits for it is told by ctx
	defer stop()
	if to.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{MinVersion: tls.VersionTLS12, ServerName: to.Hostname()})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secure
	}
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if user := to.User; user != nil {
		password, _ := user.Password()
		request.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close() // a tunnel's answer has none
	if response.StatusCode != http.StatusOK {
		return nil, &backend.ProxyError{Status: response.StatusCode}
	}
	return &tunnelled{Conn: conn, reader: reader}, nil
}

// tunnelled is a connection of which a reader may hold the beginning.
type tunnelled struct {
	net.Conn

	reader *bufio.Reader
}

// Read implements net.Conn.
func (t *tunnelled) Read(b []byte) (int, error) { return t.reader.Read(b) }

func (s *Server) socks(ctx context.Context, to *url.URL, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if to.User != nil {
		password, _ := to.User.Password()
		auth = &proxy.Auth{User: to.User.Username(), Password: password}
	}
	way, err := proxy.SOCKS5("tcp", withPort(to), auth, forward(s.dial))
	if err != nil {
		return nil, err
	}
	if able, ok := way.(proxy.ContextDialer); ok {
		return able.DialContext(ctx, "tcp", address)
	}
	return way.Dial("tcp", address)
}

// forward dials the proxy itself.
type forward backend.Dial

// Dial implements proxy.Dialer.
func (f forward) Dial(network, address string) (net.Conn, error) {
	return f(context.Background(), network, address)
}

// DialContext implements proxy.ContextDialer.
func (f forward) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}
