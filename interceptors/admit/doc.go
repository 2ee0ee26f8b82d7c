// Package admit bounds the calls that the process has in flight, for every rpc
// and its stream twin.
//
// Place: last of the rooms of every rpc, so that whoever is refused was counted
// and is known, and costs nothing more. It refuses with RESOURCE_EXHAUSTED and
// a RetryInfo [1 s] when the process is full [4,096 calls], and with UNAVAILABLE
// after shutdown began; by a caller's own bounds, where a Quota knows any, it
// refuses with what that says. A batch takes a place for each of its calls, at most all
// there are. Health and reflection take none and are never refused: a probe must
// not take a busy process for a dead one.
package admit
