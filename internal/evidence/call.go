package evidence

import (
	"log/slog"
	"time"
)

// The messages of the log's lines that tell of calls and runs.
const (
	FailedMessage   = "tool call failed"
	AnsweredMessage = "tool call answered"
	RunMessage      = "run ended"
	RunEmptyMessage = "run ended without one result"
)

// ResultClass stands in Class of a call that was answered.
const ResultClass = "result"

// Call is what may be said of one finished call: a line of the log, an event of
// the stream of calls. It holds nothing raw from an upstream, and no argument.
// Durations are written in nanoseconds, as slog writes them.
type Call struct {
	Time    time.Time `json:"time"`
	Message string    `json:"msg"`

	CorrelationID string `json:"correlation_id,omitempty"`
	TraceID       string `json:"trace_id,omitempty"` // empty: no trace of it is kept
	Principal     string `json:"principal,omitempty"`
	Run           string `json:"run,omitempty"`
	ID            string `json:"call,omitempty"` // call_id; empty where the caller gave none
	Tool          string `json:"tool,omitempty"`

	Class          string `json:"class,omitempty"` // ResultClass, transient, invalid_request, terminal
	Code           string `json:"code,omitempty"`
	ClassifiedBy   string `json:"classified_by,omitempty"`
	UpstreamStatus uint32 `json:"upstream_status,omitempty"`
	Field          string `json:"field,omitempty"`
	Expected       string `json:"expected,omitempty"` // see Expected
	Cure           Cure   `json:"cure,omitempty"`
	Attempts       uint64 `json:"attempts,omitempty"`
	Rejections     uint64 `json:"rejections,omitempty"`
	Exhausted      bool   `json:"exhausted,omitempty"`
	MaybeExecuted  bool   `json:"maybe_executed,omitempty"`
	AnsweredBy     string `json:"answered_by,omitempty"` // the room that answered in the tool's place
	Coerced        uint64 `json:"coerced,omitempty"`     // arguments that were changed

	ObservationBytes uint64 `json:"observation_bytes,omitempty"`
	// Turn is which call of its run this was, counted from the run's first
	// failure; 0: not known.
	Turn uint64 `json:"turn,omitempty"`
	// Turns is how many turns a run had that ended.
	Turns uint64 `json:"turns,omitempty"`
	// Sampled says that this line stands for so many; 0: for itself.
	Sampled uint64 `json:"sampled,omitempty"`

	Waited time.Duration `json:"waited,omitempty"` // between attempts
	Took   time.Duration `json:"took"`
}

// Cure says what would have become of the value at Field, had the tool's schema
// said what is Expected there.
type Cure string

// The cures.
const (
	CureUnknown Cure = ""
	CureCoerced Cure = "coerced" // sent in the form that was expected
	CureRefused Cure = "refused" // refused before the tool is asked
	CureNone    Cure = "none"    // sent as it was
)

// Failed reports whether the call ended in an error.
func (c *Call) Failed() bool { return c.Class != ResultClass }

// Read reports whether a model reads the call's observation: a transient failure
// is waited out by the runtime, until it gives up.
func (c *Call) Read() bool { return c.Failed() && (c.Class != "transient" || c.Exhausted) }

// Attrs are the call's for a log.
func (c *Call) Attrs() []slog.Attr {
	if c.Failed() {
		return c.failedAttrs()
	}
	attrs := []slog.Attr{
		slog.String("principal", c.Principal), slog.String("run", c.Run), slog.String("tool", c.Tool), slog.Uint64("attempts", c.Attempts),
	}
	attrs = appendSaid(attrs, slog.Uint64("coerced", c.Coerced), slog.Uint64("turn", c.Turn), slog.Duration("waited", c.Waited), slog.Uint64("sampled", c.Sampled))
	return append(attrs, slog.Duration("took", c.Took))
}

func (c *Call) failedAttrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("correlation_id", c.CorrelationID),
		slog.String("principal", c.Principal),
		slog.String("run", c.Run),
		slog.String("call", c.ID),
		slog.String("tool", c.Tool),
		slog.String("class", c.Class),
		slog.String("code", c.Code),
		slog.String("classified_by", c.ClassifiedBy),
		slog.String("field", c.Field),
		slog.Uint64("attempts", c.Attempts),
		slog.Uint64("rejections", c.Rejections),
		slog.Bool("exhausted", c.Exhausted),
		slog.Bool("maybe_executed", c.MaybeExecuted),
		slog.String("answered_by", c.AnsweredBy),
		slog.Uint64("observation_bytes", c.ObservationBytes),
	}
	attrs = appendSaid(attrs, slog.Uint64("upstream_status", uint64(c.UpstreamStatus)), slog.String("expected", c.Expected),
		slog.String("cure", string(c.Cure)), slog.Uint64("turn", c.Turn), slog.Duration("waited", c.Waited))
	return appendSaid(append(attrs, slog.Duration("took", c.Took)), slog.String("trace_id", c.TraceID))
}

// appendSaid leaves out what says nothing.
func appendSaid(attrs []slog.Attr, more ...slog.Attr) []slog.Attr {
	for _, attr := range more {
		silent := attr.Value.Kind() == slog.KindString && attr.Value.String() == "" ||
			attr.Value.Kind() == slog.KindUint64 && attr.Value.Uint64() == 0 ||
			attr.Value.Kind() == slog.KindDuration && attr.Value.Duration() == 0
		if !silent {
			attrs = append(attrs, attr)
		}
	}
	return attrs
}
