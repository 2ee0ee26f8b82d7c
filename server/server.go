// Package server is the gateway: it wires the rooms, listens and stops. Import
// it to embed toolgate in a Go program, with Go functions as tools beside the
// catalogue.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Server is a gateway. Make it with New, run it with Serve, once.
type Server struct {
	config   Config
	log      *slog.Logger
	parts    *parts
	grpc     *grpc.Server
	health   *watchedHealth
	listener net.Listener
	admin    *adminServer
	http     *httpServer
}

// New wires a gateway and opens its listeners. Calls are accepted once Serve
// runs. The error says which part of the config can't work.
func New(config Config) (*Server, error) {
	if config.Catalog == nil {
		return nil, errors.New("server: Config.Catalog is required")
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Listen == "" {
		config.Listen = defaultListen
	}
	if config.DrainTimeout <= 0 {
		config.DrainTimeout = defaultDrainTimeout
	}
	config, err := config.Access.into(config)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(config); err != nil {
		return nil, err
	}
	parts, err := wire(config)
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, log: config.Logger, parts: parts, health: newHealth()}
	if err := s.listen(); err != nil {
		parts.close()
		return nil, err
	}
	options := append(serverOptions(parts.unary, parts.stream), parts.wiring.tracer.ServerOptions()...)
	options = append(append(options, config.Connections.options()...), securityOptions(config)...)
	s.grpc = grpc.NewServer(options...)
	toolgatev1.RegisterToolGatewayServiceServer(s.grpc, parts.service)
	healthv1.RegisterHealthServer(s.grpc, s.health)
	registerReflection(s.grpc, s.health.leave)
	return s, nil
}

func (s *Server) listen() (err error) {
	if s.listener = s.config.Listener; s.listener == nil {
		if s.listener, err = net.Listen("tcp", s.config.Listen); err != nil {
			return fmt.Errorf("listen for gRPC: %w", err)
		}
	}
	if s.admin, err = newAdmin(s.config.AdminListen, s.parts, s.ready); err != nil {
		_ = s.listener.Close()
		return fmt.Errorf("listen for metrics: %w", err)
	}
	if s.http, err = newHTTP(s.config, s.parts, s.ready); err != nil {
		_ = s.listener.Close()
		s.admin.close()
		return fmt.Errorf("listen for HTTP: %w", err)
	}
	return nil
}

// Addr is the gRPC address that the server listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// AdminAddr is the address of metrics and health; empty when off.
func (s *Server) AdminAddr() string { return s.admin.addr() }

// HTTPAddr is the address of the HTTP door; empty when off.
func (s *Server) HTTPAddr() string { return s.http.addr() }

// Serve runs until ctx ends, then drains: health says NOT_SERVING, calls in
// flight finish within DrainTimeout, nothing is dropped. It returns nil after a
// clean drain.
func (s *Server) Serve(ctx context.Context) error {
	s.health.SetServingStatus("", healthv1.HealthCheckResponse_SERVING)
	s.health.SetServingStatus(toolgatev1.ToolGatewayService_ServiceDesc.ServiceName, healthv1.HealthCheckResponse_SERVING)
	defer s.followState()()
	failed := make(chan error, 3)
	go func() { failed <- s.grpc.Serve(s.listener) }()
	s.admin.serve(failed)
	s.http.serve(failed)
	s.log.Info("serving", slog.String("grpc", s.Addr()), slog.String("admin", s.AdminAddr()), slog.String("http", s.HTTPAddr()),
		slog.Int("tools", len(s.config.Catalog.Tools())), slog.String("catalogue", s.config.Catalog.Version()))
	s.warn(s.config.Catalog)
	s.warnOfPlaintext()

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.drain()
	s.parts.close()
	return err
}

func (s *Server) drain() {
	s.log.Info("draining", slog.Int64("in_flight", s.parts.admit.InFlight()))
	s.health.drain()
	ctx, cancel := context.WithTimeout(context.Background(), s.config.DrainTimeout)
	defer cancel()
	var doors sync.WaitGroup
	doors.Go(func() { s.drainGRPC(ctx) })
	doors.Go(func() {
		if !s.http.drain(ctx) {
			s.log.Warn("stopped with requests in flight", slog.Int64("in_flight", s.parts.admit.InFlight()))
		}
	})
	doors.Wait()
	s.parts.admit.Drain()
	s.flush()
	s.admin.stop()
	s.log.Info("stopped")
}

// drainGRPC waits for the calls in flight until ctx ends, and then cuts them off.
func (s *Server) drainGRPC(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.log.Warn("stopped with calls in flight", slog.Int64("in_flight", s.parts.admit.InFlight()))
		s.grpc.Stop()
		<-done
	}
}

// flush exports the spans of the last calls. A collector that is gone must not
// keep the program alive.
func (s *Server) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := s.parts.wiring.tracer.Flush(ctx); err != nil {
		s.log.Warn("the last traces are lost", slog.String("cause", err.Error()))
	}
}

func (s *Server) ready() bool {
	resp, err := s.health.Check(context.Background(), &healthv1.HealthCheckRequest{})
	return err == nil && resp.GetStatus() == healthv1.HealthCheckResponse_SERVING
}

// maxMessageBytes is the transport's own bound. It is above every limit of the
// rooms (3 MiB of arguments, a batch of 64), so that those answer in-band.
const maxMessageBytes = 256 << 20

func serverOptions(unary []grpc.UnaryServerInterceptor, stream []grpc.StreamServerInterceptor) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(unary...),
		grpc.ChainStreamInterceptor(stream...),
		grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.MaxSendMsgSize(maxMessageBytes),
		grpc.MaxHeaderListSize(maxHeaderListBytes),
		grpc.NumStreamWorkers(streamWorkers),
	}
}

const maxHeaderListBytes = 64 << 10

// streamWorkers is how many goroutines stay for the next call. The stack of a
// goroutine that has been through the chain is large enough for it; a new one
// would grow its own on the way, at an eighth of a small call's whole cost. More
// calls than workers get a goroutine each.
const streamWorkers = 256

// checkAddress refuses to serve strangers by accident.
func checkAddress(config Config) error {
	if config.Identity != nil || config.AllowAnonymous {
		return nil
	}
	if config.Listener == nil { // an open listener is the embedding program's own decision
		if err := checkLoopback(config.Listen, defaultListen); err != nil {
			return err
		}
	}
	if config.HTTP.Listener == nil && config.HTTP.Listen != "" {
		return checkLoopback(config.HTTP.Listen, defaultHTTPListen)
	}
	return nil
}

func checkLoopback(address, example string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listen address %q: want host:port, for example %s: %w", address, example, err)
	}
	if isLoopback(host) {
		return nil
	}
	return fmt.Errorf("listen address %q is not loopback and callers are not authenticated: "+
		"listen on 127.0.0.1, or allow anonymous callers explicitly", address)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
