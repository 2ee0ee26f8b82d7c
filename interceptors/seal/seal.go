package seal

import (
	"context"
	"runtime/debug"

	"toolgate.dev/toolgate/interceptors"
)

// Finish gives an outcome its final form: bounded and rendered. The room that
// does it for every other outcome supplies it.
type Finish func(call *interceptors.Call, outcome *interceptors.Outcome) *interceptors.Outcome

// Report logs a panic. It must be safe for concurrent use; a panic of its own is
// swallowed.
type Report func(ctx context.Context, call *interceptors.Call, fault Panic)

// Panic is what was recovered. It may hold anything, secrets included.
type Panic struct {
	Value any
	Stack []byte
}

// Room seals calls off from each other. Safe for concurrent use.
type Room struct {
	finish Finish
	report Report
}

// New makes the room. Both functions are required.
func New(finish Finish, report Report) *Room {
	return &Room{finish: finish, report: report}
}

// Recovered turns what a panic left into the call's outcome, and reports it. A
// door calls it for what happens to a call outside of the chain; value is what
// recover returned.
func (r *Room) Recovered(ctx context.Context, call *interceptors.Call, value any) *interceptors.Outcome {
	r.log(ctx, call, Panic{Value: value, Stack: debug.Stack()})
	fault := fault(call)
	if finished := r.render(call, fault); finished != nil {
		return finished
	}
	return plain(fault)
}

// log reports the panic and survives the report.
func (r *Room) log(ctx context.Context, call *interceptors.Call, fault Panic) {
	defer func() { _ = recover() }()
	r.report(ctx, call, fault)
}

// render finishes the outcome; nil where finishing is what panics.
func (r *Room) render(call *interceptors.Call, fault *interceptors.Outcome) (finished *interceptors.Outcome) {
	defer func() {
		if recover() != nil {
			finished = nil
		}
	}()
	return r.finish(call, fault)
}

// fault is the answer to a call that panicked.
func fault(call *interceptors.Call) *interceptors.Outcome {
	outcome := interceptors.RefuseTerminal(interceptors.CodeInternal, "the gateway failed on this call")
	outcome.Error.CorrelationId = call.CorrelationID
	outcome.Error.Attempts = call.Trace.Attempts
	outcome.Error.MaybeExecuted = call.Trace.Attempts > 0 && call.Tool != nil && call.Tool.RunsOnce()
	return outcome
}

// plain is the form of last resort, written by hand: it fits every bound.
func plain(fault *interceptors.Outcome) *interceptors.Outcome {
	e := fault.Error
	e.HttpStatus, e.GrpcCode = 422, 9 // FAILED_PRECONDITION, as of every terminal error
	e.Observation = `{"error":"internal","class":"terminal","retryable":false,"message":"` + e.GetMessage() + `"`
	if e.GetMaybeExecuted() {
		e.Observation += `,"maybe_executed":true`
	}
	e.Observation += `}`
	return &interceptors.Outcome{Error: e, Exempt: true}
}
