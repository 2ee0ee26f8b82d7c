package tracing_test

import (
	"net"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"toolgate.dev/toolgate/server/servertest"
)

func TestAnAttemptOverGRPCIsASpanOfItsMethod(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	upstream := grpc.NewServer()
	healthv1.RegisterHealthServer(upstream, health.NewServer())
	reflection.Register(upstream)
	go func() { _ = upstream.Serve(listener) }()
	t.Cleanup(upstream.Stop)
	g := start(t, servertest.Load(t, `
upstreams: {watch: {url: "grpc://`+listener.Addr().String()+`", grpc: {}}}
tools: [{name: check, upstream: watch, effect: read, grpc: {method: grpc.health.v1.Health/Check}}]
`, nil))
	g.Call(t, "r", "check", `{}`)
	g.Call(t, "r", "check", `{"service":"nothing"}`)
	g.flush()

	const method = "grpc.health.v1.Health/Check"
	spans := g.receiver.named(method)
	if len(spans) != 2 {
		t.Fatalf("%d attempts have a span, want 2; all: %v", len(spans), g.receiver.names())
	}
	want(t, spans[0], map[string]string{
		"rpc.system.name": "grpc", "rpc.method": method, "server.address": "127.0.0.1", "rpc.response.status_code": "OK", "toolgate.upstream": "watch",
		"http.response.status_code": "",
	})
	want(t, spans[1], map[string]string{"rpc.response.status_code": "NotFound", "error.type": "NotFound", "toolgate.error.class": "invalid_request"})
	if spans[1].GetStatus().GetCode() != tracev1.Status_STATUS_CODE_ERROR || spans[1].GetKind() != tracev1.Span_SPAN_KIND_CLIENT {
		t.Errorf("got %v", spans[1])
	}
}
