package tool

import (
	"encoding/json"
	"math"
	"net/http"
	"time"
)

// Class says what the caller should do next.
type Class string

const (
	transient      Class = "transient"
	invalidRequest Class = "invalid_request"
	terminal       Class = "terminal"
)

// Violation is one fault in the arguments. Say what is accepted in one of its
// three ways, where it is known.
type Violation struct {
	Field    string   `json:"field"`              // `a.b[0].c`; empty: the arguments as a whole
	Problem  string   `json:"problem,omitempty"`  // what is wrong; empty: the failure's message
	Accepted []string `json:"accepted,omitempty"` // the accepted values, nearest first
	Format   string   `json:"format,omitempty"`   // the accepted format, YYYY-MM-DD for example
	Range    string   `json:"range,omitempty"`    // the accepted range, 0.01 to 500.00 for example
}

// Alternative is a call to make in place of the failed one.
type Alternative struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments,omitzero"` // complete, ready to call; nil: only the tool is proposed
	Label     string         `json:"label,omitempty"`    // what it is, for people and models
}

// Failure is a failed call of a tool. It is an error; the methods that add to it
// return it. It must not be changed once it was returned.
type Failure struct {
	class         Class
	code, message string
	status        int
	retryAfter    time.Duration
	violations    []Violation
	alternatives  []Alternative
	blockedBy     string
	unblockWith   string
	requested     json.RawMessage
	facts         json.RawMessage
	maybeExecuted bool
	partial       bool
}

// Transient means that time cures it: after the wait the identical call is sent
// again, by the gateway. A negative wait counts as zero, which leaves the wait to
// the gateway. It must be certain that the call took no effect.
func Transient(code, message string, after time.Duration) *Failure {
	return &Failure{class: transient, code: code, message: message, status: http.StatusServiceUnavailable, retryAfter: max(after, 0)}
}

// RateLimited is Transient for a caller that asked too often.
func RateLimited(code, message string, after time.Duration) *Failure {
	f := Transient(code, message, after)
	f.status = http.StatusTooManyRequests
	return f
}

// InvalidRequest means that other arguments may do. Without a violation the arguments as
// a whole are wrong, for the reason that the message gives.
func InvalidRequest(code, message string, violations ...Violation) *Failure {
	if len(violations) == 0 {
		violations = []Violation{{}}
	}
	return &Failure{class: invalidRequest, code: code, message: message, status: http.StatusBadRequest, violations: violations}
}

// Terminal means that this call is over: nobody can send it again to any avail.
func Terminal(code, message string) *Failure {
	return &Failure{class: terminal, code: code, message: message, status: http.StatusUnprocessableEntity}
}

// Forbidden is Terminal for a caller that may not do this.
func Forbidden(code, message string) *Failure {
	f := Terminal(code, message).BlockedBy("permission", "")
	f.status = http.StatusForbidden
	return f
}

// BlockedBy names the condition that blocks the call, and the tool that changes
// it; empty where there is none.
func (f *Failure) BlockedBy(condition, unblockWith string) *Failure {
	f.blockedBy, f.unblockWith = condition, unblockWith
	return f
}

// Alternatives are calls to make in place of this one, nearest first; three are
// kept.
func (f *Failure) Alternatives(calls ...Alternative) *Failure {
	f.alternatives = append(f.alternatives, calls...)
	return f
}

// Requested is the part of the request that matters. What can't be written as JSON,
// or takes more than 512 bytes, is left out.
func (f *Failure) Requested(part map[string]any) *Failure {
	f.requested = object(part)
	return f
}

// Facts are the numbers of the boundary that was hit. What can't be written as
// JSON, or takes more than 512 bytes, is left out.
func (f *Failure) Facts(facts map[string]any) *Failure {
	f.facts = object(facts)
	return f
}

// MaybeExecuted says that the call may have taken effect: the gateway does not
// repeat it unless that is safe. A transient failure must be certain of the
// contrary, so it becomes terminal.
func (f *Failure) MaybeExecuted() *Failure {
	f.maybeExecuted = true
	f.hadEffect()
	return f
}

// Partial says that a part of the call took effect: an invalid request names the
// items that failed, to be sent alone. A transient failure becomes terminal, since
// the identical call would do that part again.
func (f *Failure) Partial() *Failure {
	f.partial = true
	f.hadEffect()
	return f
}

func (f *Failure) hadEffect() {
	if f.class == transient {
		f.class, f.retryAfter, f.status = terminal, 0, http.StatusInternalServerError
	}
}

// Error names class, code and message.
func (f *Failure) Error() string {
	return string(f.class) + ": " + f.code + ": " + f.message
}

// seconds are those to wait: milliseconds are rounded up below ten seconds, whole
// ones above.
func (f *Failure) seconds() float64 {
	if f.retryAfter < 10*time.Second {
		ms := (f.retryAfter + time.Millisecond - 1) / time.Millisecond // 1.1 s is 1100.0000000000002 ms
		return float64(ms) / 1000
	}
	return math.Ceil(f.retryAfter.Seconds())
}
