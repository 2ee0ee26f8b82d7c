package access

import (
	"sync"
	"time"
)

// Over says which bound a caller is over.
type Over int

// The bounds.
const (
	OverNothing Over = iota
	OverRate
	OverInFlight
)

const (
	inFlightPause = time.Second
	minSweep      = 1024
)

// Quotas count what each caller asks for. The zero value is ready; it is safe for
// concurrent use.
type Quotas struct {
	mu    sync.Mutex // guards the rest
	of    map[string]*quota
	sweep int // how many there are when those that are at rest are forgotten
}

// quota is one caller's. A bucket that is full and nothing in flight are as if
// nothing were known.
type quota struct {
	mu       sync.Mutex // guards the rest
	tokens   float64
	at       time.Time // when tokens was right
	inFlight int64
	gone     bool // forgotten meanwhile
	limits   Limits
}

// Enter counts n requests of a caller, or says which bound they are over and when to
// come back. leave must be called once where they are not. Who wants more at once
// than is ever allowed at once gets it when nothing else is under way, and waits the
// longer afterwards: to come back later would never help.
func (q *Quotas) Enter(principal string, limits Limits, n int64) (leave func(), over Over, wait time.Duration) {
	if limits.PerSecond == 0 && limits.InFlight == 0 {
		return func() {}, OverNothing, 0
	}
	for {
		one := q.find(principal)
		over, wait, ok := one.enter(limits, n, time.Now())
		if !ok {
			continue // it was forgotten just now
		}
		if over != OverNothing {
			return nil, over, wait
		}
		return func() { one.leave(min(n, max(limits.InFlight, 0))) }, OverNothing, 0
	}
}

func (q *Quotas) find(principal string) *quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	if one, known := q.of[principal]; known {
		return one
	}
	if len(q.of) >= max(q.sweep, minSweep) {
		q.forget(time.Now())
		q.sweep = 2 * len(q.of)
	}
	if q.of == nil {
		q.of = map[string]*quota{}
	}
	one := &quota{}
	q.of[principal] = one
	return one
}

// forget is called with the lock held.
func (q *Quotas) forget(now time.Time) {
	for principal, one := range q.of {
		if one.rests(now) {
			delete(q.of, principal)
		}
	}
}

func (q *quota) enter(limits Limits, n int64, now time.Time) (over Over, wait time.Duration, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone {
		return 0, 0, false
	}
	q.fill(limits, now)
	places := min(n, limits.InFlight)
	if limits.InFlight > 0 && q.inFlight+places > limits.InFlight {
		return OverInFlight, inFlightPause, true
	}
	if need := min(float64(n), limits.Burst); limits.PerSecond > 0 && q.tokens < need {
		return OverRate, time.Duration((need - q.tokens) / limits.PerSecond * float64(time.Second)), true
	}
	if limits.PerSecond > 0 {
		q.tokens -= float64(n)
	}
	q.inFlight += places
	return OverNothing, 0, true
}

// fill is called with the lock held.
func (q *quota) fill(limits Limits, now time.Time) {
	if q.at.IsZero() || q.limits != limits && q.limits.PerSecond == 0 {
		q.tokens = limits.Burst
	} else {
		q.tokens = min(limits.Burst, q.tokens+now.Sub(q.at).Seconds()*limits.PerSecond)
	}
	q.at, q.limits = now, limits
}

func (q *quota) leave(places int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight -= places
}

// rests reports whether nothing would be lost with it, and then it is not to be used
// any more.
func (q *quota) rests(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fill(q.limits, now)
	q.gone = q.inFlight == 0 && q.tokens >= q.limits.Burst
	return q.gone
}
