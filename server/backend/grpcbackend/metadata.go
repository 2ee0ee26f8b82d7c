package grpcbackend

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
)

// reserved are names that belong to gRPC or HTTP/2.
var reserved = []string{"connection", "content-type", "host", "keep-alive", "te", "transfer-encoding", "upgrade", "user-agent", "content-length"}

// CheckHeader tells what is wrong with a header that is to be sent as metadata;
// empty: nothing is.
func CheckHeader(name, value string) string {
	lower := strings.ToLower(name)
	switch {
	case lower == "" || strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
		return "this is no name of metadata"
	case strings.HasPrefix(lower, "grpc-") || slices.Contains(reserved, lower):
		return "this header belongs to the protocol"
	case strings.HasSuffix(lower, "-bin"):
		return "metadata whose name ends in -bin holds bytes, which can't be written here"
	}
	for _, c := range []byte(value) {
		if c < 0x20 || c > 0x7e {
			return "the value holds what metadata can't: printable ASCII alone"
		}
	}
	return ""
}

// Metadata puts headers together, the later over the earlier.
func Metadata(headers ...map[string]string) metadata.MD {
	md := metadata.MD{}
	for _, some := range headers {
		for _, name := range slices.Sorted(maps.Keys(some)) {
			md.Set(name, some[name])
		}
	}
	return md
}

// outgoing is the context that an rpc is sent in: with what is always sent, the key
// that makes a repetition the same call, and the trace that it belongs to (W3C Trace
// Context; baggage is nobody else's).
func (b *Backend) outgoing(ctx context.Context, call *interceptors.Call) context.Context {
	md := b.headers
	trace := trace.SpanContextFromContext(ctx).IsValid() && len(md.Get("traceparent")) == 0
	if trace || b.keyHeader != "" && call.IdempotencyKey != "" {
		md = md.Copy()
	}
	if b.keyHeader != "" && call.IdempotencyKey != "" {
		md.Set(b.keyHeader, call.IdempotencyKey)
	}
	if trace {
		propagation.TraceContext{}.Inject(ctx, carrier(md))
	}
	return metadata.NewOutgoingContext(ctx, md)
}

// carrier is metadata that a trace is written into.
type carrier metadata.MD

// Get implements propagation.TextMapCarrier.
func (c carrier) Get(name string) string {
	if values := metadata.MD(c).Get(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Set implements propagation.TextMapCarrier.
func (c carrier) Set(name, value string) { metadata.MD(c).Set(name, value) }

// Keys implements propagation.TextMapCarrier.
func (c carrier) Keys() []string { return slices.Sorted(maps.Keys(c)) }
