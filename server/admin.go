package server

import (
	"errors"
	"net"
	"net/http"
	"time"

	"toolgate.dev/toolgate/server/door"
)

// adminServer serves metrics, health and the stream of calls over HTTP.
type adminServer struct {
	listener net.Listener
	http     *http.Server
}

func newAdmin(address string, parts *parts, ready func() bool) (*adminServer, error) {
	if address == "" {
		return &adminServer{}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", parts.metricsHandler())
	mux.Handle("GET /calls", callStream(parts.wiring.rooms.observe, parts.wiring.config.CallsToAll))
	mux.Handle("GET /healthz", healthHandler(parts, ready))
	return &adminServer{listener: listener, http: &http.Server{Handler: door.OnLoopback(address).Wrap(mux), ReadHeaderTimeout: 5 * time.Second}}, nil
}

func (a *adminServer) addr() string {
	if a.listener == nil {
		return ""
	}
	return a.listener.Addr().String()
}

func (a *adminServer) serve(failed chan<- error) {
	if a.http == nil {
		return
	}
	go func() {
		if err := a.http.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
}

// close ends a server that never served.
func (a *adminServer) close() {
	if a.listener != nil {
		_ = a.listener.Close()
	}
}

func (a *adminServer) stop() {
	if a.http != nil {
		_ = a.http.Close()
	}
}
