// Package limits keeps one run or one tool from taking everything.
//
// Place: inside rejectioncap, so that a capped call waits for nothing, and
// outside arguments, so that a text that is too large is never parsed.
//
// It refuses with
//
//   - arguments_too_large, invalid_request: arguments_json is over the tool's
//     limit [256 KiB]. The model wrote it, so it counts as a rejection.
//   - busy, transient: the calls in flight of this run [256] or of this tool
//     [1024] are at their limit and either the queue is full [256 waiting per run
//     and per tool] or the turn did not come in time [2 s]. retry_after is an
//     estimate from how long calls hold their places.
//   - run_budget, terminal: the run has made its calls [0 = off].
//
// A call waits first come, first served, and holds nothing while it waits: a
// call that waits for a hanging tool keeps none of its run's places from the
// other tools, and one that waits for its run keeps none of the tool's from
// other runs. Whoever is cancelled leaves the queue at once. What is kept of a
// run is forgotten when its last call leaves.
package limits
