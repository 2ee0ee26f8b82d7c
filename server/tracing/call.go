package tracing

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// extension is a tool that is run beside the agent and calls an API.
const extension = "extension"

// leastNoted is the shortest time that is worth an attribute.
const leastNoted = time.Millisecond

// Call is the span of one tool call. A nil Call is none.
type Call struct {
	tracer *Tracer
	span   trace.Span
}

// Call begins the span of a tool call. Attempts that are made with the context
// returned are its children.
func (t *Tracer) Call(ctx context.Context, call *interceptors.Call) (context.Context, *Call) {
	if t == nil {
		return ctx, nil
	}
	name := t.nameOf(call)
	ctx, span := t.tracer.Start(ctx, "execute_tool "+name, trace.WithAttributes(
		semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(name), semconv.GenAIToolType(extension),
	))
	if !span.IsRecording() {
		return ctx, nil
	}
	span.SetAttributes(attribute.String("toolgate.run.id", call.Run.ID), attribute.String("toolgate.correlation_id", call.CorrelationID))
	if call.ID != "" {
		span.SetAttributes(semconv.GenAIToolCallID(call.ID))
	}
	call.Progress = noting(span, call.Progress)
	return ctx, &Call{tracer: t, span: span}
}

// noting makes events of what a caller of a batch is told.
func noting(span trace.Span, tell func(*toolgatev1.CallProgress)) func(*toolgatev1.CallProgress) {
	return func(p *toolgatev1.CallProgress) {
		switch p.GetPhase() {
		case toolgatev1.CallProgress_PHASE_WAIT:
			span.AddEvent("toolgate.wait", trace.WithAttributes(
				attribute.Float64("toolgate.wait.seconds", p.GetWait()), attribute.String("toolgate.error.code", p.GetCode())))
		case toolgatev1.CallProgress_PHASE_QUEUED:
			span.AddEvent("toolgate.queued")
		}
		tell(p)
	}
}

// End ends the span with what the caller is answered: an outcome, or a gRPC
// status in err.
func (c *Call) End(call *interceptors.Call, outcome *interceptors.Outcome, err error) {
	if c == nil {
		return
	}
	defer c.span.End()
	c.note(call)
	switch {
	case err != nil:
		code := status.Code(err).String()
		c.span.SetAttributes(semconv.ErrorTypeKey.String(code))
		c.span.SetStatus(codes.Error, code)
	case outcome.Error != nil:
		c.failed(outcome.Error)
	default:
		c.answered(outcome.Result)
	}
}

// note writes what the rooms did.
func (c *Call) note(call *interceptors.Call) {
	trail := &call.Trace
	c.span.SetAttributes(attribute.Int64("toolgate.attempts", int64(trail.Attempts)))
	if trail.Answered != "" {
		c.span.SetAttributes(attribute.String("toolgate.answered_by", trail.Answered))
	}
	if trail.Waited > leastNoted {
		c.span.SetAttributes(attribute.Float64("toolgate.waited.seconds", trail.Waited.Seconds()))
	}
	if trail.Queued > leastNoted {
		c.span.SetAttributes(attribute.Float64("toolgate.queued.seconds", trail.Queued.Seconds()))
	}
}

// failed writes an error's own fields, redacted and bounded by then, and none of
// its prose.
func (c *Call) failed(e *toolgatev1.ToolError) {
	c.span.SetAttributes(
		semconv.ErrorTypeKey.String(c.tracer.errorType(e.GetCode())),
		attribute.String("toolgate.error.class", className(e)),
		attribute.String("toolgate.error.code", e.GetCode()),
		attribute.String("toolgate.error.classified_by", lower(e.GetClassifiedBy().String(), "CLASSIFIED_BY_")),
		attribute.Int64("toolgate.rejections_in_run", int64(e.GetRejectionsInRun())),
	)
	if violations := e.GetViolations(); len(violations) > 0 && violations[0].GetField() != "" {
		c.span.SetAttributes(attribute.String("toolgate.error.field", violations[0].GetField()))
	}
	if e.GetExhausted() {
		c.span.SetAttributes(attribute.Bool("toolgate.error.exhausted", true))
	}
	if e.GetMaybeExecuted() {
		c.span.SetAttributes(attribute.Bool("toolgate.error.maybe_executed", true))
	}
	if e.RetryAfter != nil {
		c.span.SetAttributes(attribute.Float64("toolgate.error.retry_after", e.GetRetryAfter()))
	}
	c.span.SetStatus(codes.Error, className(e)+": "+e.GetCode())
}

func (c *Call) answered(result *toolgatev1.ToolResult) {
	if n := len(result.GetCoercions()); n > 0 {
		c.span.SetAttributes(attribute.Int("toolgate.coercions", n))
	}
	if result.GetTruncated() {
		c.span.SetAttributes(attribute.Bool("toolgate.result.truncated", true))
	}
}

func className(e *toolgatev1.ToolError) string {
	return lower(e.GetErrorClass().String(), "ERROR_CLASS_")
}

func lower(name, prefix string) string { return strings.ToLower(strings.TrimPrefix(name, prefix)) }
