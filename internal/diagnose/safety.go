package diagnose

import (
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// secure applies "Safety of repetition" (design section 2) to a diagnosed
// attempt: a write that may have taken effect is not repeated, unless a key
// makes the repetition the same write.
func (d *diagnosis) secure(e *toolgatev1.ToolError, verdict *interceptors.Verdict) {
	if verdict.Executed != interceptors.ExecutedMaybe || d.tool.Reads() {
		return
	}
	e.MaybeExecuted = true
	repeats := !d.tool.RunsOnce() || d.in.IdempotencyKeyed
	if repeats || e.GetPartial() {
		return
	}
	d.in.Trail.add("safety", "a write that may have taken effect is not repeated", true)
	e.ErrorClass, e.Code = terminal, interceptors.CodeOutcomeUnknown
	e.BlockedBy, e.UnblockWith = interceptors.BlockedByUnknownOutcome, ""
	if v := d.tool.Verification; v != nil {
		e.UnblockWith = v.Tool
	}
	e.RetryAfter, e.Violations, e.ViolationsTruncated = nil, nil, false
	verdict.Hinted, verdict.RateLimited = false, verdict.RateLimited && d.rateLimited()
}
