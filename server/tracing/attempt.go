package tracing

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	grpccodes "google.golang.org/grpc/codes"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// web is a back end that speaks HTTP.
type web interface{ Endpoint() httpbackend.Endpoint }

// procedure is a back end that calls a method over gRPC.
type procedure interface{ Shown() grpcbackend.Shown }

// distant is a back end that calls a tool of an MCP server.
type distant interface{ Shown() mcpbackend.Shown }

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
		answered(span, reply)
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
	name, to := "attempt "+call.Tool.Name, []attribute.KeyValue(nil)
	switch backend := call.Tool.Backend.(type) {
	case web:
		name, to = request(backend.Endpoint(), int(call.Trace.Attempts))
	case procedure:
		name, to = procedureCall(backend.Shown())
	case distant:
		name, to = "tools/call "+backend.Shown().Tool, []attribute.KeyValue{semconv.RPCSystemNameJSONRPC, semconv.RPCMethod("tools/call")}
	}
	options := []trace.SpanStartOption{trace.WithAttributes(append(attributes, to...)...)}
	if to != nil {
		options = append(options, trace.WithSpanKind(trace.SpanKindClient))
	}
	return name, options
}

func request(e httpbackend.Endpoint, resent int) (string, []attribute.KeyValue) {
	attributes := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(e.Method), semconv.URLFull(e.URL), semconv.URLTemplate(e.Template),
		semconv.ServerAddress(e.Address), semconv.ServerPort(e.Port),
	}
	if resent > 0 {
		attributes = append(attributes, semconv.HTTPRequestResendCount(resent))
	}
	return e.Method + " " + e.Template, attributes
}

func procedureCall(to grpcbackend.Shown) (string, []attribute.KeyValue) {
	return to.Method, []attribute.KeyValue{semconv.RPCSystemNameGRPC, semconv.RPCMethod(to.Method), semconv.ServerAddress(to.Address)}
}

// answered writes the status of an answer, in the words of its protocol.
func answered(span trace.Span, reply *interceptors.Reply) {
	switch {
	case reply.Failure != interceptors.FailureNone:
	case reply.Transport == interceptors.TransportHTTP:
		span.SetAttributes(semconv.HTTPResponseStatusCode(reply.Status))
	case reply.Transport == interceptors.TransportGRPC:
		span.SetAttributes(semconv.RPCResponseStatusCode(grpccodes.Code(reply.Status).String())) //nolint:gosec // a gRPC code
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
	case reply.Transport == interceptors.TransportGRPC && reply.Status != 0:
		kind = grpccodes.Code(reply.Status).String() //nolint:gosec // a gRPC code
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
