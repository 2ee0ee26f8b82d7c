package once

import "toolgate.dev/toolgate/interceptors"

// reused answers an id that belongs to another call: the runtime's fault. One of
// a batch may not fail the others, so there it is told in-band.
func reused(call *interceptors.Call) (*interceptors.Outcome, error) {
	const message = "this call_id belongs to another call of the run; every call needs an id of its own"
	call.Trace.Answered = room
	if !call.Batch {
		return nil, interceptors.StatusInvalid("CALL_ID_REUSED", "call.call_id", message)
	}
	return interceptors.RefuseTerminal(interceptors.CodeCallIDReused, message), nil
}

func tooLarge() *interceptors.Outcome {
	return interceptors.RefuseTerminal(interceptors.CodeAlreadyExecuted,
		"this call took effect; its result was too large to keep and is not repeated")
}

// lost answers a resend of a write whose outcome nobody has any more.
func lost(tool *interceptors.Tool) *interceptors.Outcome {
	outcome := interceptors.RefuseTerminal(interceptors.CodeOutcomeUnknown,
		"this call was made and its outcome is lost; it may have taken effect")
	outcome.Error.BlockedBy = interceptors.BlockedByUnknownOutcome
	outcome.Error.MaybeExecuted = true
	if tool.Verification != nil {
		outcome.Error.UnblockWith = tool.Verification.Tool
	}
	return outcome
}

// broken answers those who joined a call that broke down under its first caller.
func broken(tool *interceptors.Tool) *interceptors.Outcome {
	outcome := interceptors.RefuseTerminal(interceptors.CodeInternal, "the gateway failed while it ran this call")
	outcome.Error.MaybeExecuted = tool.RunsOnce()
	return outcome
}
