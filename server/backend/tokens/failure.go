package tokens

import (
	"context"
	"errors"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// failure is why there is no token.
type failure struct {
	kind    interceptors.TransportFailure
	own     *toolgatev1.ToolError // of FailureRequest: the gateway's own word
	problem string                // for the operator
	pause   time.Duration         // until it is tried again
	until   time.Time
	client  bool // the endpoint may not have accepted how the client is named
}

// reply makes the attempt's reply, afresh: rooms write to it. nil: nothing failed.
func (f *failure) reply() *interceptors.Reply {
	if f == nil {
		return nil
	}
	reply := &interceptors.Reply{Transport: interceptors.TransportHTTP, Failure: f.kind, Cause: f.problem}
	if f.own != nil {
		own := f.own
		reply.ToolError = &toolgatev1.ToolError{
			ErrorClass: own.GetErrorClass(), Code: own.GetCode(), Message: own.GetMessage(), RetryAfter: own.RetryAfter,
			ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
		}
	}
	return reply
}

// unreachable is a network that failed, in the words of the transport where it has
// any.
func unreachable(err error) *failure {
	kind := interceptors.FailureOther
	if told, ok := errors.AsType[interface {
		error
		Failure() (kind interceptors.TransportFailure, sent bool)
	}](err); ok {
		kind, _ = told.Failure()
	}
	if errors.Is(err, context.DeadlineExceeded) || kind == interceptors.FailureCancelled {
		kind = interceptors.FailureTimeout
	}
	f := &failure{kind: kind, problem: "the token endpoint can't be reached: " + err.Error()}
	if kind == interceptors.FailureRequest {
		return terminal(f.problem)
	}
	return f
}

// busy is an endpoint that asks for patience; retry in seconds, nil: it does not say
// how much.
func busy(problem string, retry *float64) *failure {
	f := &failure{kind: interceptors.FailureRequest, problem: problem, own: &toolgatev1.ToolError{
		ErrorClass: interceptors.Transient, Code: interceptors.CodeUnreachable, RetryAfter: retry,
		Message: "The gateway can't get its own credentials for this tool right now.",
	}}
	if retry != nil {
		f.pause = time.Duration(*retry * float64(time.Second))
	}
	return f
}

// terminal is what an operator has to mend.
func terminal(problem string) *failure {
	return &failure{kind: interceptors.FailureRequest, problem: problem, pause: refusalTime, own: &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: interceptors.CodeInternal,
		Message: "The gateway's own credentials for this tool are not accepted; an operator has to mend them.",
	}}
}

// done is the reply of an attempt that ended while it waited.
func done(ctx context.Context) *interceptors.Reply {
	kind := interceptors.FailureCancelled
	if interceptors.TimedOut(ctx) {
		kind = interceptors.FailureTimeout
	}
	return &interceptors.Reply{Transport: interceptors.TransportHTTP, Failure: kind, Cause: "no token came in time"}
}
