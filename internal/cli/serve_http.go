package cli

import (
	"log/slog"
	"net"

	"toolgate.dev/toolgate/server"
)

// defaultHTTP is where the HTTP door stands unless somebody says otherwise.
const defaultHTTP = "127.0.0.1:7442"

// openHTTP says where the HTTP door stands. An address that was asked for must be
// free; the default gives way, so that a second gateway needs no flag. Call the
// returned function when the gateway has ended, or never began.
func (f *serveFlags) openHTTP(config *server.Config) (end func()) {
	config.HTTP = f.http
	if f.httpAsked {
		return func() {}
	}
	listener, err := net.Listen("tcp", f.http.Listen)
	if err != nil {
		config.HTTP.Listen = ""
		config.Logger.Warn("the HTTP door stays shut: its default address is taken; --http-listen names another, or none",
			slog.String("address", f.http.Listen))
		return func() {}
	}
	config.HTTP.Listener = listener
	return func() { _ = listener.Close() }
}

// addressesOf tells a person where a gateway stands.
func addressesOf(gateway *server.Server) string {
	if at := gateway.HTTPAddr(); at != "" {
		return gateway.Addr() + " (gRPC) and " + at + " (HTTP)"
	}
	return gateway.Addr()
}
