// Package repeat refuses the identical call where its answer is known.
//
// Place: behind arguments, since identity is by canonical arguments; before
// alternatives and retry, since a call that is answered from memory looks
// nothing up and spends no attempt.
//
// What came back failed from upstream is remembered for its run:
//
//	TERMINAL          refused with the stored error
//	INVALID_REQUEST   answered with the stored error; it counts as a rejection
//	TRANSIENT         answered until its retry_after has passed
//	outcome_unknown   refused as long as the run lives
//
// Terminal and invalid answers are kept for 2 min, doubled up to 16 min each time
// the real call says the same again. They are forgotten on a success of a tool
// that is no read, on a success of the tool that they named as unblock_with, on
// a change of the tool, with the run, and by `fresh`. Errors of the gateway's
// own are not remembered, unknown outcomes apart, and tools that are polled are
// never answered from memory.
//
// An answer from memory has the stored class, code and fields, no attempts, the
// gateway as its classifier, a note, this call's correlation id, and what is
// left of the wait.
//
// A call of a tool that verifies another settles that tool's unknown outcomes:
// each is judged by the outcome of this call, and is lifted, or turned into a
// terminal already_executed [16 min], or stays. Such a call is never answered
// from memory and never counts as a rejection.
package repeat
