package tracing

import (
	"context"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const scope = "toolgate.dev/toolgate"

// Settings say how spans are made.
type Settings struct {
	// Provider makes the spans; nil: there are none.
	Provider trace.TracerProvider
	// Propagator reads the caller's trace from its rpc; nil: W3C Trace Context.
	Propagator propagation.TextMapPropagator
	// Known reports whether a name is that of a tool which this caller may use;
	// nil: every name is. It must be safe for concurrent use.
	Known func(principal, tool string) bool
	// KnownCode reports whether a code belongs to a closed set, so that it may be
	// an error.type; nil: none does.
	KnownCode func(code string) bool
}

// Tracer makes the spans of tool calls and their attempts. It is safe for
// concurrent use. A nil Tracer makes none.
type Tracer struct {
	settings Settings
	tracer   trace.Tracer
}

// New makes a tracer; nil where there is no provider.
func New(settings Settings) *Tracer {
	if settings.Provider == nil {
		return nil
	}
	if settings.Propagator == nil {
		settings.Propagator = propagation.TraceContext{}
	}
	if settings.Known == nil {
		settings.Known = func(string, string) bool { return true }
	}
	if settings.KnownCode == nil {
		settings.KnownCode = func(string) bool { return false }
	}
	tracer := settings.Provider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	return &Tracer{settings: settings, tracer: tracer}
}

// ServerOptions make a span of every rpc of the gateway's own service. Health
// checks and reflection make none: they would outnumber the calls.
func (t *Tracer) ServerOptions() []grpc.ServerOption {
	if t == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(t.settings.Provider),
		otelgrpc.WithPropagators(t.settings.Propagator),
		otelgrpc.WithMeterProvider(noop.NewMeterProvider()), // Prometheus counts
		otelgrpc.WithFilter(ownService),
	))}
}

func ownService(rpc *stats.RPCTagInfo) bool {
	return strings.HasPrefix(rpc.FullMethodName, "/"+toolgatev1.ToolGatewayService_ServiceDesc.ServiceName+"/")
}

// nameOf is the tool's name, or the one that all names share which the model
// made up: those are its own text, and without number.
func (t *Tracer) nameOf(call *interceptors.Call) string {
	if t.settings.Known(call.Run.Principal, call.Name) {
		return call.Name
	}
	return interceptors.CodeUnknownTool
}

// errorType is the code where it belongs to a closed set.
func (t *Tracer) errorType(code string) string {
	if code != "" && t.settings.KnownCode(code) {
		return code
	}
	return semconv.ErrorTypeOther.Value.AsString()
}

// flusher is a provider that exports by and by, as that of the SDK does.
type flusher interface {
	ForceFlush(ctx context.Context) error
}

// Flush sends what is waiting. Call it when the last call has ended.
func (t *Tracer) Flush(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if waiting, ok := t.settings.Provider.(flusher); ok {
		return waiting.ForceFlush(ctx)
	}
	return nil
}

// SampledTraceID is the id of the trace that ctx belongs to, 32 hex digits; empty
// where it is not sampled, so that nobody would find it.
func SampledTraceID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		return span.TraceID().String()
	}
	return ""
}
