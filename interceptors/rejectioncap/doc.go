// Package rejectioncap stops a run that has a tool reject one call after
// another.
//
// Place: behind once, since a resend is no second rejection; before limits and
// arguments, since a capped call waits for nothing and is not parsed, and since
// what the parser and the schema reject counts as well.
//
// Semantic failures of (run, tool) are counted, whoever found them: an
// INVALID_REQUEST or a TERMINAL of the provider, the schema, or the parser. All
// unknown names of a run count as one tool. Calls in flight together count once.
// The rejection that brings the count to the cap [3] comes back terminal with
// its own code and diagnosis and a note; calls that start later are answered
//
//	terminal rejection_cap    with the tool's fallbacks; nothing is dispatched
//
// until the count is forgotten: on a success of the tool, on a success of a tool
// that one of its errors named as unblock_with, by `fresh`, after 10 min without
// a rejection, with the run, or with a change of the tool. An alternative that
// was offered passes the cap and never counts, once each, at most 6 per tool
// since its last success. A cap over all tools of a run is off [0].
//
// Transient and exempt errors, verifying calls, unknown outcomes, faults of the
// gateway and errors that may have executed count as nothing. Every error that
// leaves says in rejections_in_run where the count stands.
package rejectioncap
