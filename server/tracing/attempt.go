package tracing

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// web is a back end that speaks HTTP.
type web interface{ Endpoint() httpbackend.Endpoint }

// Attempt begins the span of one attempt; end ends it with what came back and
// how it was diagnosed: nil for a success.
func (t *Tracer) Attempt(ctx context.Context, call *interceptors.Call) (_ context.Context, end func(*interceptors.Reply, *toolgatev1.ToolError)) {
	name, options := describe(call)
	ctx, span := t.tracer.Start(ctx, name, options...)
	if !span.IsRecording() {
		return ctx, func(*interceptors.Reply, *toolgatev1.ToolError) {}
	}
	return ctx, func(reply *interceptors.Reply, failed *toolgatev1.ToolError) {
		defer span.End()
		if reply.Transport != interceptors.TransportFunction && reply.Failure == interceptors.FailureNone {
			span.SetAttributes(semconv.HTTPResponseStatusCode(reply.Status))
		}
		if failed != nil {
			t.broke(span, reply, failed)
		}
	}
}

// describe names an attempt. What a sampler may want to know is known at its
// beginning.
func describe(call *interceptors.Call) (string, []trace.SpanStartOption) {
	attributes := make([]attribute.KeyValue, 0, 8)
	attributes = append(attributes, semconv.GenAIToolName(call.Tool.Name), attribute.String("toolgate.upstream", call.Tool.Upstream))
	to, ok := call.Tool.Backend.(web)
	if !ok {
		return "attempt " + call.Tool.Name, []trace.SpanStartOption{trace.WithAttributes(attributes...)}
	}
	e := to.Endpoint()
	attributes = append(attributes, semconv.HTTPRequestMethodKey.String(e.Method), semconv.URLFull(e.URL), semconv.URLTemplate(e.Template),
		semconv.ServerAddress(e.Address), semconv.ServerPort(e.Port))
	if resent := int(call.Trace.Attempts); resent > 0 {
		attributes = append(attributes, semconv.HTTPRequestResendCount(resent))
	}
	return e.Method + " " + e.Template, []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...),
	}
}

// broke writes how an attempt failed: below the protocol, by its status, or by
// what the answer said.
func (t *Tracer) broke(span trace.Span, reply *interceptors.Reply, failed *toolgatev1.ToolError) {
	kind := t.errorType(failed.GetCode())
	switch {
	case reply.Failure != interceptors.FailureNone:
		kind = failureName(reply.Failure)
	case reply.Transport == interceptors.TransportHTTP && reply.Status >= 400:
		kind = strconv.Itoa(reply.Status)
	}
	span.SetAttributes(
		semconv.ErrorTypeKey.String(kind),
		attribute.String("toolgate.error.class", className(failed)),
		attribute.String("toolgate.error.code", failed.GetCode()),
	)
	span.SetStatus(codes.Error, className(failed)+": "+failed.GetCode())
}

func failureName(failure interceptors.TransportFailure) string {
	switch failure {
	case interceptors.FailureRefused:
		return "connection_refused"
	case interceptors.FailureDNSTemporary:
		return "dns_temporary"
	case interceptors.FailureDNSNotFound:
		return "dns_not_found"
	case interceptors.FailureTLSHandshake:
		return "tls_handshake"
	case interceptors.FailureTLSCertificate:
		return "tls_certificate"
	case interceptors.FailureReset:
		return "connection_reset"
	case interceptors.FailureTimeout:
		return "timeout"
	case interceptors.FailureBodyCut:
		return "body_cut"
	case interceptors.FailureCancelled:
		return "cancelled"
	case interceptors.FailureRequest:
		return "request"
	}
	return semconv.ErrorTypeOther.Value.AsString()
}
