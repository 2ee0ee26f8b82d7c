package retry

import (
	"slices"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const echoNote = "an earlier attempt of this call may have taken effect: check before repeating"

// echoes are the statuses that a second execution of a call gets when the
// first one took effect: HTTP 404, 409, 410, 412, and gRPC's NOT_FOUND,
// ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED.
var echoes = []uint32{404, 409, 410, 412, 5, 6, 9, 10}

// conclude completes the outcome of a call that is over. maybe: an earlier
// attempt may have taken effect.
func (e *engine) conclude(outcome *interceptors.Outcome, maybe bool) {
	if outcome.Result != nil {
		outcome.Result.Attempts = e.attempts
		e.settled = true
		if e.call.Tool.Narrow != "" {
			e.room.narrow.forget(narrowKeyOf(e.call))
		}
		return
	}
	failure := outcome.Error
	failure.Attempts = e.attempts
	invalid := failure.GetErrorClass() == interceptors.InvalidRequest
	switch {
	case !maybe:
	case slices.Contains(echoes, failure.GetUpstreamStatus()):
		failure.MaybeExecuted = true
		failure.ErrorClass = interceptors.Terminal // the arguments may have been right
		outcome.Exempt = true
		interceptors.AddNote(failure, echoNote)
	case !invalid: // invalid arguments were invalid in the attempts before, too
		failure.MaybeExecuted = true
	}
	e.settled = !failure.GetMaybeExecuted()
}

// askForLess answers a read that timed out again: more time does not help, a
// smaller question may.
func (e *engine) askForLess(failed *interceptors.Outcome) *interceptors.Outcome {
	outcome := interceptors.RejectArguments(interceptors.CodeTimeout,
		"the tool did not answer in time, as before in this run; ask for less",
		&toolgatev1.Violation{Field: e.call.Tool.Narrow, Problem: "asks for more than the tool can answer in time"})
	outcome.Exempt = true
	outcome.Verdict = failed.Verdict
	outcome.Error.Attempts = e.attempts
	outcome.Error.UpstreamStatus = failed.Error.GetUpstreamStatus()
	e.room.narrow.note(narrowKeyOf(e.call), time.Now())
	e.call.Trace.Answered = room
	return outcome
}
