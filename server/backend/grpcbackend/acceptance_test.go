package grpcbackend_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/servertest"
)

// scripted is a service that fails as the request's text says, once or always.
type scripted struct {
	healthv1.UnimplementedHealthServer

	mu    sync.Mutex
	calls map[string]int // by the request's text; guarded by mu
}

func (s *scripted) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[text]
}

// Check implements healthv1.HealthServer.
func (s *scripted) Check(ctx context.Context, request *healthv1.HealthCheckRequest) (*healthv1.HealthCheckResponse, error) {
	text := request.GetService()
	s.mu.Lock()
	s.calls[text]++
	first := s.calls[text] == 1
	s.mu.Unlock()
	how, once := strings.CutSuffix(text, ", once")
	how, _, _ = strings.Cut(how, ";")
	if err := failures(ctx)[how]; err != nil && (first || !once) {
		return nil, err()
	}
	return &healthv1.HealthCheckResponse{Status: healthv1.HealthCheckResponse_SERVING}, nil
}

func failures(ctx context.Context) map[string]func() error {
	with := func(code codes.Code, message string, details ...protoadapt.MessageV1) func() error {
		return func() error {
			st, err := status.New(code, message).WithDetails(details...)
			if err != nil {
				return err
			}
			return st.Err()
		}
	}
	wait := 0.05
	return map[string]func() error{
		"violation": with(codes.InvalidArgument, "bad", &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "service", Description: "must be a name"},
		}}),
		"quota": with(codes.ResourceExhausted, "slow down", &errdetails.RetryInfo{RetryDelay: durationpb.New(50 * time.Millisecond)}),
		"own": with(codes.FailedPrecondition, "x", &toolgatev1.ToolError{
			ErrorClass: interceptors.Terminal, Code: "slot_taken", Message: "The slot is taken.", FactsJson: `{"slot":7}`, BlockedBy: "slot",
		}),
		"own wait": with(codes.Internal, "x", &toolgatev1.ToolError{ErrorClass: interceptors.Transient, Code: "queue_full", RetryAfter: &wait}),
		"down":     with(codes.Unavailable, "no backend at 10.1.2.3:5432"),
		"crash":    with(codes.Internal, "panic: password=hunter2hunter2\n\ngoroutine 7 [running]:\nmain.main()\n\t/srv/app/main.go:12 +0x1d\n"),
		"reason":   with(codes.NotFound, "no such item", &errdetails.ErrorInfo{Reason: "ITEM_UNKNOWN", Domain: "shop.example.com"}),
		"held": with(codes.FailedPrecondition, "the item is held", &errdetails.ErrorInfo{
			Reason: "ITEM_HELD", Domain: "shop.example.com", Metadata: map[string]string{"by": "audit"},
		}),
		"conflict":   with(codes.Aborted, "try again"),
		"own number": func() error { return status.Error(codes.Code(2042), "a rule of our own") },
		"hang":       func() error { <-ctx.Done(); return ctx.Err() },
		"trailer": func() error {
			if err := grpc.SetTrailer(ctx, metadata.Pairs("retry-after-ms", "50")); err != nil {
				return err
			}
			return status.Error(codes.ResourceExhausted, "slow down")
		},
	}
}

const scriptedCatalogue = `
upstreams: {health: {url: "grpc://{{address}}"}}
defaults: {max_attempts: 3, backoff: 20ms, attempt_timeout: 400ms, breaker_failures: 0, cooldown_max: 200ms}
tools:
  - {name: read, upstream: health, effect: read, grpc: {method: grpc.health.v1.Health/Check}}
  - {name: write, upstream: health, grpc: {method: grpc.health.v1.Health/Check}}
  - name: ruled
    upstream: health
    effect: read
    grpc: {method: grpc.health.v1.Health/Check}
    errors:
      - when: "status == 9 && body.details[0].reason == 'ITEM_HELD'"
        class: terminal
        code: held
        blocked_by: hold
        facts: {by: /details/0/metadata/by}
  - {name: keyed, upstream: health, idempotency_key: {in: header}, grpc: {method: grpc.health.v1.Health/Check}}
`

func startScripted(t *testing.T) (*servertest.Gateway, *scripted) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := &scripted{calls: map[string]int{}}
	server := grpc.NewServer()
	healthv1.RegisterHealthServer(server, service)
	reflection.Register(server)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	tools := servertest.Load(t, strings.ReplaceAll(scriptedCatalogue, "{{address}}", listener.Addr().String()), nil)
	t.Cleanup(tools.Close)
	return servertest.Start(t, tools), service
}

// What a gRPC server says reaches a caller with its meaning, through every room.
func TestFailuresKeepTheirMeaningThroughAWholeGateway(t *testing.T) {
	g, service := startScripted(t)
	const unknown = "outcome_unknown"
	for _, c := range []struct {
		tool, text string
		class      toolgatev1.ErrorClass // 0: a result
		calls      int
		says       []string
	}{
		{"read", "fine", 0, 1, nil},
		{"read", "violation", interceptors.InvalidRequest, 1, []string{`"field":"service"`, "must be a name"}},
		{"write", "violation;w", interceptors.InvalidRequest, 1, []string{`"field":"service"`}},
		{"read", "quota, once", 0, 2, nil},
		{"write", "quota;w, once", 0, 2, nil},
		{"read", "trailer, once", 0, 2, nil},
		{"read", "own", interceptors.Terminal, 1, []string{`"error":"slot_taken"`, "The slot is taken.", `"facts":{"slot":7}`, `"blocked_by":"slot"`}},
		{"write", "own wait, once", 0, 2, nil},
		{"read", "reason", interceptors.InvalidRequest, 1, []string{`"error":"ITEM_UNKNOWN"`}},
		{"ruled", "held", interceptors.Terminal, 1, []string{`"error":"held"`, `"facts":{"by":"audit"}`, `"blocked_by":"hold"`}},
		{"read", "conflict, once", 0, 2, nil},
		{"write", "conflict;w, once", 0, 2, nil},
		{"read", "down", interceptors.Transient, 3, []string{"unavailable after 3 attempts"}},
		{"write", "down;w", interceptors.Terminal, 1, []string{unknown, `"maybe_executed":true`}},
		{"keyed", "down;k", interceptors.Transient, 3, []string{`"maybe_executed":true`}},
		{"read", "crash", interceptors.Transient, 3, nil},
		{"write", "crash;w", interceptors.Terminal, 1, []string{unknown}},
		{"write", "own number;w", interceptors.Terminal, 1, []string{"a rule of our own"}},
		{"read", "hang", interceptors.Transient, 3, []string{`"error":"timeout"`}},
		{"write", "hang;w", interceptors.Terminal, 1, []string{unknown}},
	} {
		t.Run(c.tool+" "+c.text, func(t *testing.T) {
			response := g.Call(t, t.Name(), c.tool, `{"service":"`+c.text+`"}`)
			failed := response.GetError()
			if failed.GetErrorClass() != c.class || service.count(c.text) != c.calls || (response.GetResult() == nil) != (c.class != 0) {
				t.Errorf("class %v after %d calls, want %v after %d: %v", failed.GetErrorClass(), service.count(c.text), c.class, c.calls, response)
			}
			for _, part := range c.says {
				if !strings.Contains(failed.GetObservation(), part) {
					t.Errorf("the observation lacks %s: %s", part, failed.GetObservation())
				}
			}
			for _, secret := range []string{"10.1.2.3", "hunter2", "goroutine"} {
				if strings.Contains(failed.String(), secret) {
					t.Errorf("%s reaches the caller: %v", secret, failed)
				}
			}
		})
	}
}
