package interceptors

import "time"

// Board is where the replicas of a gateway tell one another what they learn of
// upstreams. It is safe for concurrent use.
type Board interface {
	// Post tells the others. It must not block: what can't be told now is lost.
	Post(notice Notice)
	// Watch has a function told of what others post, and of what stands when the
	// watching begins or goes on after a gap. The function must not block. The
	// returned one ends the watching.
	Watch(tell func(notice Notice)) (stop func())
}

// Notice is what one replica learned of a tool of an upstream.
type Notice struct {
	Upstream string
	Tool     string // empty: the upstream as a whole
	Kind     NoticeKind
	// Hold is how long attempts stay away from now on, for NoticeOpened: until one
	// may look; for NoticePaused: until the first may go, in any case.
	Hold time.Duration
	// Hint is when the upstream wants to be asked again, from now on; NoticePaused
	// alone. At least Hold.
	Hint time.Duration
}

// NoticeKind is what happened.
type NoticeKind int

// What may happen.
const (
	NoticeOpened NoticeKind = iota + 1 // the circuit opened
	NoticeClosed                       // it closed: the upstream is back
	NoticePaused                       // the upstream asked for a pause
)
