// Package retry is the one retry engine. It cures what time cures, out of the
// model's sight, and gives everything else back at once.
//
// Place: inside alternatives, which see what is left when it gives up, and
// outside breaker, which every attempt asks. It reads diagnosis's verdict and
// the breaker's; only TRANSIENT is ever repeated.
//
// The numbers: at most [5] attempts, the first included; before the n-th
// repetition a wait of 0 to 1 s × 2ⁿ⁻¹, at most 16 s, evenly at random; a hint is
// a floor; all waits together at most [20 s]; the call's deadline [60 s where
// the caller set none]; one attempt at most [20 s], and at most what leaves the
// waits and the other attempts their share of the deadline; retries of an
// upstream at most [20 %] of its calls in 10 s, and [10/s] besides, which the
// replicas part among them. Attempts end min(1 s, max(20 ms, 5 %)) before the
// caller's deadline, so that the outcome still arrives.
//
// A wait that does not fit is not slept: the error goes back at once with the
// seconds to wait. `exhausted` says that every attempt was spent, that time or
// budget ended them after at least two without a hint, or that the circuit is
// open. A cooldown that fits is waited for and spends no attempt; nobody waits
// for an open circuit.
//
// It answers in the tool's place with
//
//   - deadline_too_short, transient: the caller's deadline leaves no time for an
//     attempt.
//   - timeout, invalid_request: tools with `narrow` whose calls timed out in this
//     run before are not tried again and again; the model is told to ask for
//     less. It counts as nothing and is not remembered.
//
// A write with an idempotency key is repeated under one key: that of the
// identical call that ended unknown, else derived from the call id, else random.
// The key of a call that may have taken effect is kept for the next identical
// one. What says 404, 409, 410 or 412 behind an attempt that may have taken
// effect may only be its echo: it keeps maybe_executed and counts as nothing.
package retry
