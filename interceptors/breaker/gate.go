package breaker

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// The pace of a gate. An upstream's limits are its own affair and not known
// here: these numbers only bound how many attempts are on their way before its
// first refusal is heard.
const (
	coldAfter   = time.Minute            // without attempts: what it takes now is not known
	scoutWindow = 8                      // attempts of a burst that go before anything is heard
	scoutFor    = 100 * time.Millisecond // and then the others follow, if none was heard
	scoutMost   = 250 * time.Millisecond // and then in any case
	perWindow   = 4                      // answers that let one more go at a time
	settleAfter = 500 * time.Millisecond // limits are refused fast: silence is taken for consent
	rampFor     = time.Minute            // careful that long after the last refusal
	turnWait    = time.Second            // how long a call waits here for its turn
	maxQueue    = 1024
)

// phase is what a gate does.
type phase int32

const (
	phaseOpen  phase = iota // everybody passes
	phaseScout              // cold: a few go ahead, the others wait a moment
	phasePause              // nobody passes before pauseEnd
	phaseEarly              // after pauseEnd, before hintEnd: one probe at a time
	phaseRamp               // after hintEnd: one, then slowly more
)

// gate holds attempts back after a 429 or a hint, and lets them go one after
// the other when the wait is over. Safe for concurrent use; an open gate takes
// no lock.
type gate struct {
	scouts bool         // bursts at a cold gate send a few ahead
	phase  atomic.Int32 // of type phase
	last   atomic.Int64 // moment of about the last attempt; 0: never

	mu       sync.Mutex    // held while phase or round changes; guards the rest
	round    atomic.Uint64 // counts the phases; places of an earlier one are void
	begun    moment        // of this phase
	hintEnd  moment        // when the upstream wants to be asked again
	pauseEnd moment        // when one probe may go, at the latest
	strikes  uint          // pauses in a row that came without a hint
	window   int           // attempts that may be out
	flight   int           // attempts that are out
	answers  int
	probeEnd moment    // when the place of an early probe is given to another
	queue    list.List // of *turn, in order of arrival
}

// visitor is an attempt at the gate.
type visitor struct {
	now      moment
	epoch    time.Time     // when the moments begin
	arrived  time.Time     // of its call: who came first goes first
	patience time.Duration // at most that long in the queue
	lease    time.Duration // how long an early probe may keep its place
}

// ticket lets one attempt pass; leave must be called with it once.
type ticket struct {
	round uint64
	place *place // in the window; nil: none
}

// place is guarded by the gate's lock.
type place struct {
	given  bool // back
	settle *time.Timer
}

// enter lets an attempt pass, at once or after its turn; a wait above 0 says
// how long it must stay away. ctx ends the waiting.
func (g *gate) enter(ctx context.Context, v visitor) (ticket, time.Duration) {
	if g.is(phaseOpen) && !g.cold(v.now) {
		g.touch(v.now)
		return ticket{round: g.round.Load()}, 0
	}
	g.mu.Lock()
	g.advance(v.now)
	g.touch(v.now)
	t, wait, decided := g.decide(v)
	if decided {
		g.mu.Unlock()
		return t, wait
	}
	w := g.join(v)
	g.mu.Unlock()
	return g.await(ctx, v, w)
}

// leave reports that an attempt ended; answered is false where it was never
// made or the caller went away.
func (g *gate) leave(t ticket, now moment, answered bool) {
	if t.place == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.giveBack(t, now, answered)
}

// pause is what a 429 or a hint asks for.
type pause struct {
	hinted bool
	hint   time.Duration
	first  time.Duration // without a hint: the first step, then twice that, ...
	most   time.Duration // ... up to the longest step
	max    time.Duration // nobody is held longer than that without a probe
}

// cool begins a pause, or prolongs the one that is. It returns the pause if that
// is news for others.
func (g *gate) cool(t ticket, now moment, p pause) (hold, hint time.Duration, news bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.advance(now)
	if g.is(phasePause) { // an attempt from before it began
		before := g.hintEnd
		if p.hinted {
			g.hintEnd = max(g.hintEnd, now+p.hint)
			g.pauseEnd = min(g.hintEnd, g.begun+p.max)
		}
		return g.pauseEnd - now, g.hintEnd - now, g.hintEnd-before >= noteworthy
	}
	wait := p.hint
	if !p.hinted {
		wait = g.strike(t, p)
	}
	if wait <= 0 {
		return 0, 0, false
	}
	g.set(phasePause, now)
	g.hintEnd, g.pauseEnd = now+wait, now+min(wait, p.max)
	g.turnAway()
	return g.pauseEnd - now, g.hintEnd - now, true
}

// strike returns the next step. Attempts that were out together strike once.
func (g *gate) strike(t ticket, p pause) time.Duration {
	if t.round == g.round.Load() || g.strikes == 0 {
		g.strikes++
	}
	step := p.first << min(g.strikes-1, 20)
	if p.most > 0 {
		step = min(step, p.most)
	}
	return step
}

// left returns how long the upstream wants to be left alone; 0: not at all.
func (g *gate) left(now moment) time.Duration {
	if g.is(phaseOpen) {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rest(now)
}

// crowded reports that an attempt would have to wait for its turn.
func (g *gate) crowded(now moment) bool {
	if g.is(phaseOpen) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rest(now) > 0 || g.is(phaseRamp) && g.flight >= g.window
}

// idle reports that nothing is lost when the gate is forgotten.
func (g *gate) idle(now moment) bool {
	return g.is(phaseOpen) && now-moment(g.last.Load()) > coldAfter
}

func (g *gate) is(p phase) bool { return phase(g.phase.Load()) == p }

func (g *gate) cold(now moment) bool {
	last := moment(g.last.Load())
	return g.scouts && (last == 0 || now-last >= coldAfter)
}

// touch notes an attempt, about once a second, so that calls share no cache
// line that somebody writes.
func (g *gate) touch(now moment) {
	if last := moment(g.last.Load()); last == 0 || now-last > time.Second {
		g.last.Store(int64(max(now, 1)))
	}
}
