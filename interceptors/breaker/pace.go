package breaker

import (
	"container/list"
	"context"
	"time"
)

// This file moves a gate through its phases. The callers of everything here but
// await hold the gate's lock.

// advance moves on to the phase that time has brought.
func (g *gate) advance(now moment) {
	switch phase(g.phase.Load()) {
	case phaseOpen:
		if g.cold(now) {
			g.set(phaseScout, now)
			g.window = scoutWindow
		}
	case phaseScout:
		if now >= g.scoutEnd() {
			g.open(now)
		}
	case phasePause:
		switch {
		case now < g.pauseEnd:
		case now < g.hintEnd:
			g.set(phaseEarly, now)
		case now-g.hintEnd >= rampFor: // nobody came for long
			g.open(now)
		default:
			g.ramp(now)
		}
	case phaseEarly:
		if now >= g.hintEnd {
			g.ramp(now)
		}
	case phaseRamp:
		if now-g.begun >= rampFor {
			g.open(now)
		}
	}
}

// set begins a phase; whoever held a place holds it no longer.
func (g *gate) set(p phase, now moment) {
	g.round.Add(1)
	g.begun, g.flight, g.answers, g.probeEnd = now, 0, 0, 0
	g.phase.Store(int32(p))
}

// ramp lets one attempt go, and more as answers come.
func (g *gate) ramp(now moment) {
	g.set(phaseRamp, now)
	g.window = 1
}

// open lets everybody pass, those who wait too.
func (g *gate) open(now moment) {
	g.set(phaseOpen, now)
	g.strikes = 0
	for first := g.queue.Front(); first != nil; first = g.queue.Front() {
		g.call(first.Value.(*turn), ticket{round: g.round.Load()})
	}
}

// scoutEnd is when a burst is looked at no longer.
func (g *gate) scoutEnd() moment {
	if g.answers > 0 {
		return g.begun + scoutMost
	}
	return g.begun + scoutFor
}

// decide lets pass, refuses, or leaves it to the queue.
func (g *gate) decide(v visitor) (t ticket, wait time.Duration, decided bool) {
	switch phase(g.phase.Load()) {
	case phaseOpen:
		return ticket{round: g.round.Load()}, 0, true
	case phasePause:
		return ticket{}, g.hintEnd - v.now, true
	case phaseEarly:
		if v.now < g.probeEnd {
			return ticket{}, g.hintEnd - v.now, true
		}
		g.round.Add(1) // whoever had the place has lost it
		g.probeEnd = v.now + v.lease
		return ticket{round: g.round.Load(), place: &place{}}, 0, true
	case phaseScout, phaseRamp:
		if g.flight < g.window && g.queue.Len() == 0 {
			return g.admit(), 0, true
		}
		if g.queue.Len() < maxQueue && v.patience > 0 {
			return ticket{}, 0, false
		}
	}
	return g.tired()
}

// tired decides about a call that can't wait here any longer: nobody is refused
// only because a burst is looked at.
func (g *gate) tired() (t ticket, wait time.Duration, decided bool) {
	if g.is(phaseRamp) {
		return ticket{}, turnWait, true
	}
	return ticket{round: g.round.Load()}, 0, true
}

// admit takes a place. In a ramp it is free again soon, whether or not an
// answer came: a slow tool is not throttled by its slowness.
func (g *gate) admit() ticket {
	g.flight++
	t := ticket{round: g.round.Load(), place: &place{}}
	if g.is(phaseRamp) {
		began := g.begun
		t.place.settle = time.AfterFunc(settleAfter, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.giveBack(t, began, true)
		})
	}
	return t
}

// giveBack frees a place and lets the next go.
func (g *gate) giveBack(t ticket, now moment, answered bool) {
	if t.place.settle != nil {
		t.place.settle.Stop()
	}
	if t.round != g.round.Load() || t.place.given {
		return
	}
	t.place.given = true
	if g.is(phaseEarly) {
		g.probeEnd = 0
		if answered { // sooner than it had said
			g.ramp(now)
			g.grow()
		}
		return
	}
	g.flight--
	if answered {
		g.grow()
	}
	for first := g.queue.Front(); first != nil && g.flight < g.window; first = g.queue.Front() {
		g.call(first.Value.(*turn), g.admit())
	}
}

// grow counts an answer that was no refusal. The probe's lets a second go.
func (g *gate) grow() {
	g.answers++
	ramps := g.is(phaseRamp)
	if g.answers%perWindow == 0 || ramps && g.answers == 1 {
		g.window++
	}
	if ramps {
		g.strikes = 0
	}
}

func (g *gate) rest(now moment) time.Duration {
	if !g.is(phasePause) && !g.is(phaseEarly) {
		return 0
	}
	return max(0, g.hintEnd-now)
}

// turn is one call that waits at a gate.
type turn struct {
	arrived time.Time
	until   moment
	called  chan struct{} // closed when it is decided
	refused bool
	ticket  ticket
	place   *list.Element // nil: decided
}

// join queues by arrival, so that a call that was sent away and comes back has
// lost nothing.
func (g *gate) join(v visitor) *turn {
	w := &turn{arrived: v.arrived, called: make(chan struct{}), until: v.now + v.patience}
	if g.is(phaseScout) {
		w.until = min(w.until, g.scoutEnd())
	}
	for e := g.queue.Back(); e != nil; e = e.Prev() {
		if !e.Value.(*turn).arrived.After(w.arrived) {
			w.place = g.queue.InsertAfter(w, e)
			return w
		}
	}
	w.place = g.queue.PushFront(w)
	return w
}

// await waits for the turn. It takes the gate's lock itself.
func (g *gate) await(ctx context.Context, v visitor, w *turn) (ticket, time.Duration) {
	timer := time.NewTimer(w.until - v.now)
	defer timer.Stop()
	for {
		select {
		case <-w.called:
		case <-ctx.Done():
		case <-timer.C:
		}
		t, wait, again := g.after(ctx, v, w)
		if again == 0 {
			return t, wait
		}
		timer.Reset(again)
	}
}

// after decides about a turn that was called or whose time is up; again above 0
// lets it wait on. It takes the gate's lock itself.
func (g *gate) after(ctx context.Context, v visitor, w *turn) (t ticket, wait, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Since(v.epoch)
	if w.place != nil {
		g.advance(now) // it may be called by that
	}
	switch {
	case w.place == nil && w.refused:
		return ticket{}, max(g.rest(now), time.Millisecond), 0
	case w.place == nil:
		return w.ticket, 0, 0
	case g.is(phaseScout) && ctx.Err() == nil && now < v.now+v.patience: // answers came meanwhile
		return ticket{}, 0, min(g.scoutEnd(), v.now+v.patience) - now
	default:
		g.queue.Remove(w.place)
		w.place = nil
		t, wait, _ := g.tired()
		return t, wait, 0
	}
}

// call ends a turn with a ticket.
func (g *gate) call(w *turn, t ticket) {
	w.ticket = t
	g.settle(w)
}

// turnAway refuses everybody who waits: the upstream wants to be left alone.
func (g *gate) turnAway() {
	for first := g.queue.Front(); first != nil; first = g.queue.Front() {
		w := first.Value.(*turn)
		w.refused = true
		g.settle(w)
	}
}

func (g *gate) settle(w *turn) {
	g.queue.Remove(w.place)
	w.place = nil
	close(w.called)
}
