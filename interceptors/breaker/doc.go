// Package breaker keeps attempts away from an upstream that is down or that
// asked to be left alone.
//
// Place: inside retry, so that every attempt asks, and outside dispatch. It
// reads diagnosis's verdict and keeps no list of codes.
//
// It refuses, without an attempt, with
//
//   - circuit_open, transient and exhausted: [5] attempts in a row failed. For
//     (upstream, tool) those count that say the tool is down (502, 503 without a
//     hint, 504, resets, timeouts that the caller's own deadline did not cause),
//     for the upstream those that never reached it (refused, DNS, a cut
//     handshake). Results and semantic answers close the count; a 429, a bare
//     500 and a hinted 503 leave it as it is. retry_after is the time until
//     half-open [30 s]. Then one probe goes; its place is given to another when
//     it is cancelled, panics, or hangs beyond its time.
//   - cooling_down, transient: a 429 or a hint holds (upstream, tool), or the
//     whole upstream where the verdict's scope says so, for all runs. Without a
//     hint the pause is the backoff step without jitter, twice as long each time
//     in a row. retry_after is all that is left of the hint, but nobody is held
//     for longer than [60 s] without one probe.
//
// What a refusal is of stands in Verdict.Hold, since retry waits for a cooldown
// and never for an open circuit. The same field is set on a transient outcome
// of an attempt when a hold is known already.
//
// There is no stampede when a pause ends: one call goes, and more with every
// few answers; the others wait here for a moment, first come, first served, and
// a call that was sent away and comes back keeps its rank. Silence counts as an
// answer after 500 ms, so that a slow tool is not throttled by its slowness. A
// burst at a tool that was not called for a minute sends 8 calls ahead and the
// others as answers come, all of them after 100 ms without an answer and after
// 250 ms in any case: a few calls beyond its limit is what a limited upstream
// gets, in place of the whole burst.
//
// State is kept by name, survives a reload, and is bounded.
package breaker
