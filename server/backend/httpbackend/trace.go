package httpbackend

import (
	"context"
	"maps"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// tell tells the upstream which trace the request belongs to (W3C Trace Context);
// baggage is nobody else's. A header that the catalogue or an argument set
// stands.
func tell(ctx context.Context, req *http.Request) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	if _, taken := req.Header["Traceparent"]; taken {
		return
	}
	req.Header = maps.Clone(req.Header) // it may be the plan's own
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
}
