package breaker

import (
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	// noteworthy is how much longer a pause must have become for the others to
	// hear of it: a burst that is refused call by call is one piece of news.
	noteworthy = time.Second
	// headStart is the share of a pause of the circuit by which the replica that
	// opened it looks sooner than the others: one probe will do.
	headStart = 8
)

// Option changes the room as it is made.
type Option func(*Room)

// WithShared has the replicas of a gateway tell one another which circuits
// opened and closed, and which upstreams asked for a pause. The counts of
// failures stay each replica's own. Nobody waits for the board: every decision is
// made on this replica's copy. nil shares nothing.
func WithShared(board interceptors.Board) Option {
	return func(r *Room) {
		if board != nil {
			r.board = board
			board.Watch(r.heed)
		}
	}
}

// post tells the others what became of a tool, or of its upstream where tool is
// empty.
func (r *Room) post(call *interceptors.Call, tool string, kind interceptors.NoticeKind, hold, hint time.Duration) {
	if r.board == nil || kind == 0 {
		return
	}
	r.board.Post(interceptors.Notice{Upstream: call.Tool.Upstream, Tool: tool, Kind: kind, Hold: hold, Hint: hint})
}

// heed takes another replica's word.
func (r *Room) heed(n interceptors.Notice) {
	now := r.now()
	of := r.book.of(key{n.Upstream, n.Tool}, now)
	switch n.Kind {
	case interceptors.NoticeOpened:
		of.circuit.heedOpen(now, n.Hold+min(n.Hold/headStart, probeWait))
	case interceptors.NoticeClosed:
		of.circuit.heedClosed()
	case interceptors.NoticePaused:
		of.gate.heed(now, n.Hold, max(n.Hold, n.Hint))
	}
}

// heedOpen opens the circuit on another's word, unless it is open for longer or
// a probe of ours is out.
func (c *circuit) heedOpen(now moment, hold time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	probing := !c.closed() && c.probe != 0 && now < c.probeUntil
	if hold <= 0 || probing || !c.closed() && c.openUntil >= now+hold {
		return
	}
	c.probe = 0
	c.open(now, hold)
}

// heedClosed closes it on another's word.
func (c *circuit) heedClosed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed() {
		c.probe = 0
		c.close()
	}
}

// heed begins a pause on another's word, or prolongs the one that is.
func (g *gate) heed(now moment, hold, hint time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.advance(now)
	switch {
	case hint <= 0:
		return
	case !g.is(phasePause):
		g.set(phasePause, now)
		g.hintEnd, g.pauseEnd = now+hint, now+max(hold, 0)
		g.turnAway()
	case g.hintEnd < now+hint:
		g.hintEnd = now + hint
		g.pauseEnd = max(g.pauseEnd, now+hold)
	}
}
