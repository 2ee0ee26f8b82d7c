// Package dispatch is the end of the chain: it sends one attempt to the tool's
// back end and makes an outcome of what comes back.
//
// A back end returns an answer or a typed failure; dispatch alone has it
// diagnosed. Nothing raw leaves it: an error is redacted by diagnosis, an
// answer is bounded here and freed of the gateway's own secrets by compact.
package dispatch

import (
	"context"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Diagnose says what a reply means: nil for a success, else the error, redacted,
// and what the rooms need to know of it. It must be safe for concurrent use.
type Diagnose func(call *interceptors.Call, reply *interceptors.Reply) (*toolgatev1.ToolError, interceptors.Verdict)

// Permitted reports whether a principal may use a tool.
type Permitted func(principal, tool string) bool

// Watch is told of an attempt as it begins, and by end of what came back and how
// it was diagnosed, nil for a success. The attempt runs in the context that it
// returns. It must be safe for concurrent use.
type Watch func(ctx context.Context, call *interceptors.Call) (_ context.Context, end func(*interceptors.Reply, *toolgatev1.ToolError))

// Dispatcher makes attempts. It is safe for concurrent use.
type Dispatcher struct {
	diagnose  Diagnose
	permitted Permitted
	watch     Watch // nil: nobody watches
}

// Option changes what New makes.
type Option func(*Dispatcher)

// WithWatch has every attempt watched.
func WithWatch(watch Watch) Option { return func(d *Dispatcher) { d.watch = watch } }

// New makes the dispatcher.
func New(diagnose Diagnose, permitted Permitted, options ...Option) *Dispatcher {
	d := &Dispatcher{diagnose: diagnose, permitted: permitted}
	for _, option := range options {
		option(d)
	}
	return d
}

// Dispatch makes one attempt; it is the interceptors.Next behind the last room.
func (d *Dispatcher) Dispatch(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
	var end func(*interceptors.Reply, *toolgatev1.ToolError)
	if d.watch != nil {
		ctx, end = d.watch(ctx, call)
	}
	start := time.Now()
	reply := call.Tool.Backend.Attempt(ctx, call)
	call.Trace.Upstream += time.Since(start)

	failed, verdict := d.diagnose(call, reply)
	if end != nil {
		end(reply, failed)
	}
	if failed != nil {
		d.hideTools(call, failed)
		verdict.Unasked = reply.Failure == interceptors.FailureRequest && !reply.Sent
		return &interceptors.Outcome{Error: failed, Verdict: verdict}, nil
	}
	return &interceptors.Outcome{Result: answer(call.Tool, reply)}, nil
}

// hideTools keeps the names of tools that this caller may not use from it.
func (d *Dispatcher) hideTools(call *interceptors.Call, e *toolgatev1.ToolError) {
	principal := call.Run.Principal
	if e.GetUnblockWith() != "" && !d.permitted(principal, e.GetUnblockWith()) {
		e.UnblockWith = ""
	}
	kept := e.Alternatives[:0]
	for _, alternative := range e.GetAlternatives() {
		if d.permitted(principal, alternative.GetTool()) {
			kept = append(kept, alternative)
		}
	}
	e.Alternatives = kept
}
