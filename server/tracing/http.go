package tracing

import (
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/metric/noop"
)

// Handler makes a span of each request that traced takes, in its caller's trace: what
// an rpc has over gRPC.
func (t *Tracer) Handler(next http.Handler, traced func(*http.Request) bool) http.Handler {
	if t == nil {
		return next
	}
	return otelhttp.NewHandler(next, "",
		otelhttp.WithTracerProvider(t.settings.Provider),
		otelhttp.WithPropagators(t.settings.Propagator),
		otelhttp.WithMeterProvider(noop.NewMeterProvider()), // Prometheus counts
		otelhttp.WithFilter(traced),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			if r.Pattern == "" || r.Pattern == "/" { // not routed yet
				return r.Method
			}
			return r.Method + " " + r.Pattern
		}),
	)
}
