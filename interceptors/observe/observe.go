package observe

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/evidence"
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
	// Cure judges the value that a call had at the field of a violation: what
	// would have become of it, had the schema said what is expected there. nil:
	// nobody knows.
	Cure func(expected string, violation *toolgatev1.Violation, sent []byte) evidence.Cure
}

// Room observes. It is safe for concurrent use.
type Room struct {
	log       *slog.Logger
	every     uint64
	successes atomic.Uint64
	metrics   *metrics
	failures  *failures
	listeners listeners
	traceID   func(context.Context) string
	cure      func(expected string, violation *toolgatev1.Violation, sent []byte) evidence.Cure
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
	if settings.Cure == nil {
		settings.Cure = func(string, *toolgatev1.Violation, []byte) evidence.Cure { return evidence.CureUnknown }
	}
	every := uint64(defaultSampleEvery)
	switch {
	case settings.SampleEvery > 0:
		every = uint64(settings.SampleEvery)
	case settings.SampleEvery < 0:
		every = 0
	}
	return &Room{
		log: settings.Logger, every: every, metrics: newMetrics(settings.KnownCode), failures: newFailures(time.Now()),
		traceID: settings.TraceID, cure: settings.Cure,
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
	level := slog.LevelWarn
	if status.Code(err) == codes.Unauthenticated {
		level = slog.LevelDebug // strangers don't fill the log: who knows callers tells of them, now and then
	}
	r.log.LogAttrs(ctx, level, "rpc failed", attrs...)
}

// Finished observes one tool call that came out of the chain: an outcome, or a
// gRPC status in err. It is called once per call, by every door.
func (r *Room) Finished(ctx context.Context, call *interceptors.Call, outcome *interceptors.Outcome, err error) {
	took := time.Since(call.Arrived)
	r.metrics.passed(call)
	switch {
	case err != nil:
		r.metrics.abandoned(toolName(call))
		r.publish(func() evidence.Call { return r.abandoned(call, err, took) })
	case outcome.Error != nil:
		trace := r.traceID(ctx)
		r.metrics.finished(call, outcome, took, trace)
		told := r.tellFailure(call, outcome.Error, took)
		told.TraceID = trace
		told.Turn = r.failures.count(call.Run, outcome.Error, &told)
		r.log.LogAttrs(ctx, slog.LevelWarn, told.Message, told.Attrs()...)
		r.publish(func() evidence.Call { return told })
	default:
		r.metrics.finished(call, outcome, took, r.traceID(ctx))
		turn := r.failures.transcripts.answered(call.Run)
		r.logAnswer(ctx, call, turn, took)
		r.publish(func() evidence.Call { return tellAnswer(call, turn, took) })
	}
}

// logAnswer logs one answered call in so many.
func (r *Room) logAnswer(ctx context.Context, call *interceptors.Call, turn uint64, took time.Duration) {
	if r.every == 0 || r.successes.Add(1)%r.every != 1%r.every {
		return
	}
	told := tellAnswer(call, turn, took)
	if r.every > 1 {
		told.Sampled = r.every
	}
	r.log.LogAttrs(ctx, slog.LevelInfo, told.Message, told.Attrs()...)
}

// RunEnded counts and logs a run that ended or was forgotten: one that brought
// nothing back, and one that had failures.
func (r *Room) RunEnded(run interceptors.RunKey, summary *toolgatev1.RunSummary) {
	empty := summary.GetCalls() > 0 && summary.GetResults() == 0
	turns := r.failures.ended(run, empty)
	if !empty && turns == 0 {
		return
	}
	level, message := slog.LevelInfo, evidence.RunMessage
	if empty {
		r.metrics.runsWithoutResult.Inc()
		level, message = slog.LevelWarn, evidence.RunEmptyMessage
	}
	r.log.LogAttrs(context.Background(), level, message,
		slog.String("principal", run.Principal), slog.String("run", run.ID),
		slog.Uint64("calls", summary.GetCalls()), slog.Uint64("results", summary.GetResults()),
		slog.Uint64("attempts", summary.GetAttempts()), slog.Uint64("turns", turns))
}

// Report answers GetFailureReport.
func (r *Room) Report(req *toolgatev1.GetFailureReportRequest) *toolgatev1.GetFailureReportResponse {
	return r.ReportOn(req, nil)
}

// ReportOn answers it for a reader that sees some tools alone: rows and sums are as if
// there were no others, and runs, which use several, are not counted. visible nil: it
// sees all.
func (r *Room) ReportOn(req *toolgatev1.GetFailureReportRequest, visible func(tool string) bool) *toolgatev1.GetFailureReportResponse {
	resp := r.failures.report(req, visible)
	resp.Tools, resp.Calls = r.metrics.toolCounts(visible)
	if only := req.GetTool(); only != "" {
		resp.Tools = slices.DeleteFunc(resp.GetTools(), func(row *toolgatev1.ToolCount) bool { return row.GetTool() != only })
	}
	return resp
}

func toolName(call *interceptors.Call) string {
	if call.Tool == nil {
		return ""
	}
	return call.Tool.Name
}
