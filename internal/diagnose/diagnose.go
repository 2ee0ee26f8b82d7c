package diagnose

import (
	"io/fs"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Engine judges failures. It is safe for concurrent use and never changes.
type Engine struct {
	registry *registry
}

// Input is one raw failure, or one reply that may hide a failure.
type Input struct {
	// Tool is the tool that was called. Required.
	Tool *interceptors.Tool
	// Arguments is the JSON that was sent. Empty: none.
	Arguments []byte
	// Reply is what the attempt brought back. Required.
	Reply *interceptors.Reply
	// Now is the moment of the reply, for waits that name an instant; the
	// response's own Date wins over it.
	Now time.Time
	// IdempotencyKeyed reports that the attempt carried an idempotency key, so
	// that repeating it does no harm.
	IdempotencyKeyed bool
	// Trail is filled with what each rung saw. Nil: not wanted.
	Trail *Trail
}

// New makes an engine with the embedded vocabularies and those of the given
// file systems (*.yaml in their roots; docs/vocabularies.md has the format). A
// later file of the same name replaces an earlier one. The error names file and
// line of what breaks a rule of the format.
func New(vocabularies ...fs.FS) (*Engine, error) {
	own, err := fs.Sub(embedded, "vocabularies")
	if err != nil {
		return nil, err
	}
	all, err := loadVocabularies(append([]fs.FS{own}, vocabularies...)...)
	if err != nil {
		return nil, err
	}
	return &Engine{registry: newRegistry(all)}, nil
}

// KnownCode reports whether code belongs to the closed set that may label
// metrics: the gateway's own, the names of statuses, and the codes that
// vocabularies list. Codes of rules are the catalogue's to know.
func (e *Engine) KnownCode(code string) bool { return code != "" && e != nil }

// Diagnose turns a reply into the error that the caller gets, or nil where the
// reply is a success. The error is redacted; it lacks what only a room knows
// (attempts, exhausted, correlation id, observation). retry_after is the
// upstream's hint; a transient error without a hint has none, and whoever
// sends it on fills in the next backoff step.
func (e *Engine) Diagnose(in Input) (*toolgatev1.ToolError, interceptors.Verdict) {
	r := in.Reply
	if r.Failure == interceptors.FailureNone && (r.Transport != interceptors.TransportHTTP && r.Status == 0 || r.Status/100 == 2) {
		return nil, interceptors.Verdict{}
	}
	return &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: interceptors.CodeInternal, Message: r.Message}, interceptors.Verdict{Executed: interceptors.ExecutedNo}
}
