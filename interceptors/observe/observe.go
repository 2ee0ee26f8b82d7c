package observe

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const defaultSampleEvery = 100

// Settings say what to observe with. The zero value of each means what it says.
type Settings struct {
	Logger *slog.Logger // nil: nothing is logged
	// KnownCode reports whether a code may be a metric label. nil: none may.
	KnownCode func(code string) bool
	// TraceID tells the trace of a call, if it is kept: exemplars and log lines
	// name it. It must be safe for concurrent use. nil: there are no traces.
	TraceID func(ctx context.Context) string
	// SampleEvery logs one success in so many; 0 means 100, negative none.
	SampleEvery int
}

// Room observes. It is safe for concurrent use.
type Room struct {
	log       *slog.Logger
	every     uint64
	successes atomic.Uint64
	metrics   *metrics
	failures  *failures
	traceID   func(context.Context) string
}

// New makes the room and its metrics. Metrics lists them for a registry.
func New(settings Settings) *Room {
	if settings.Logger == nil {
		settings.Logger = slog.New(slog.DiscardHandler)
	}
	if settings.KnownCode == nil {
		settings.KnownCode = func(string) bool { return false }
	}
	if settings.TraceID == nil {
		settings.TraceID = noTrace
	}
	every := uint64(defaultSampleEvery)
	switch {
	case settings.SampleEvery > 0:
		every = uint64(settings.SampleEvery)
	case settings.SampleEvery < 0:
		every = 0
	}
	return &Room{
		log: settings.Logger, every: every, metrics: newMetrics(settings.KnownCode), failures: newFailures(time.Now()), traceID: settings.TraceID,
	}
}

// Unary returns the room for unary rpcs.
func (r *Room) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		start := time.Now()
		resp, err := handler(ctx, req)
		r.rpc(ctx, info.FullMethod, start, err)
		return resp, err
	}
}

// Stream returns the room's twin for streaming rpcs.
func (r *Room) Stream() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		start := time.Now()
		err := handler(srv, stream)
		r.rpc(stream.Context(), info.FullMethod, start, err)
		return err
	}
}

func (r *Room) rpc(ctx context.Context, method string, start time.Time, err error) {
	code := status.Code(err).String()
	r.metrics.rpc(method, code, time.Since(start), r.traceID(ctx))
	if err == nil {
		return
	}
	attrs := []slog.Attr{slog.String("method", method), slog.String("status", code)}
	if cause := errors.Unwrap(err); cause != nil { // an internal fault keeps its cause for here
		attrs = append(attrs, slog.String("cause", cause.Error()))
	}
	r.log.LogAttrs(ctx, slog.LevelWarn, "rpc failed", attrs...)
}

// Finished observes one tool call that came out of the chain: an outcome, or a
// gRPC status in err. It is called once per call, by every door.
func (r *Room) Finished(ctx context.Context, call *interceptors.Call, outcome *interceptors.Outcome, err error) {
	took := time.Since(call.Arrived)
	r.metrics.passed(call)
	if err != nil {
		r.metrics.abandoned(toolName(call))
		return
	}
	r.metrics.finished(call, outcome, took, r.traceID(ctx))
	r.failures.count(toolName(call), outcome.Error)
	if outcome.Error != nil {
		r.logFailure(ctx, call, outcome.Error, took)
		return
	}
	if r.every > 0 && r.successes.Add(1)%r.every == 1%r.every {
		r.log.LogAttrs(ctx, slog.LevelInfo, "tool call answered",
			slog.String("run", call.Run.ID), slog.String("tool", toolName(call)),
			slog.Uint64("attempts", uint64(call.Trace.Attempts)), slog.Duration("took", took))
	}
}

func (r *Room) logFailure(ctx context.Context, call *interceptors.Call, e *toolgatev1.ToolError, took time.Duration) {
	attrs := []slog.Attr{
		slog.String("correlation_id", e.GetCorrelationId()),
		slog.String("principal", call.Run.Principal),
		slog.String("run", call.Run.ID),
		slog.String("call", call.ID),
		slog.String("tool", toolName(call)),
		slog.String("class", className(e.GetErrorClass())),
		slog.String("code", r.metrics.codeLabel(e.GetCode())),
		slog.String("classified_by", classifiedBy(e.GetClassifiedBy())),
		slog.String("field", firstField(e)),
		slog.Uint64("attempts", uint64(e.GetAttempts())),
		slog.Uint64("rejections", uint64(e.GetRejectionsInRun())),
		slog.Bool("exhausted", e.GetExhausted()),
		slog.Bool("maybe_executed", e.GetMaybeExecuted()),
		slog.String("answered_by", call.Trace.Answered),
		slog.Int("observation_bytes", len(e.GetObservation())),
		slog.Duration("took", took),
	}
	if id := r.traceID(ctx); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}
	r.log.LogAttrs(ctx, slog.LevelWarn, "tool call failed", attrs...)
}

// RunEnded counts and logs a run that ended or was forgotten.
func (r *Room) RunEnded(run interceptors.RunKey, summary *toolgatev1.RunSummary) {
	if summary.GetCalls() == 0 || summary.GetResults() > 0 {
		return
	}
	r.metrics.runsWithoutResult.Inc()
	r.log.LogAttrs(context.Background(), slog.LevelWarn, "run ended without one result",
		slog.String("principal", run.Principal), slog.String("run", run.ID),
		slog.Uint64("calls", summary.GetCalls()), slog.Uint64("attempts", summary.GetAttempts()))
}

// Report answers GetFailureReport.
func (r *Room) Report(req *toolgatev1.GetFailureReportRequest) *toolgatev1.GetFailureReportResponse {
	return r.failures.report(req)
}

func toolName(call *interceptors.Call) string {
	if call.Tool == nil {
		return ""
	}
	return call.Tool.Name
}

func firstField(e *toolgatev1.ToolError) string {
	if len(e.GetViolations()) == 0 {
		return ""
	}
	return e.GetViolations()[0].GetField()
}
