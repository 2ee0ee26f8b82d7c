package breaker

import (
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// circuit is the breaker of one key: closed, open for a while, then half-open
// with one probe at a time. Safe for concurrent use; reading a closed one and
// reporting good news to it takes no lock.
//
// It is our own since the attempts that it sees are of three kinds, not two: a
// 429 or a cancelled attempt is neither success nor failure, and a probe that
// ends so must give its place back without deciding anything. Late news of
// attempts that began before the circuit changed must not move it either, and
// the limits come with each call, since a reload may change them.
type circuit struct {
	// epoch counts the changes of state; even: closed, odd: open or half-open.
	epoch    atomic.Uint64
	failures atomic.Uint32 // in a row, while closed

	mu         sync.Mutex // held while epoch changes; guards the rest
	openUntil  moment
	probes     uint64 // numbers the probes
	probe      uint64 // the one that is out; 0: none
	probeUntil moment // then its place is given to another
}

// permit allows one attempt, whose end must be reported once.
type permit struct {
	epoch uint64
	probe uint64 // 0: an ordinary attempt
}

// news is what an attempt says of a key.
type news int

const (
	newsNone news = iota // says nothing
	newsGood
	newsBad
)

// numbers are the limits that a call brings.
type numbers struct {
	failures uint32        // in a row that open; 0: never
	open     time.Duration // how long
	lease    time.Duration // how long a probe may keep its place
}

func (c *circuit) closed() bool { return c.epoch.Load()%2 == 0 }

// wait returns how long attempts are refused from now on; 0: they are not.
func (c *circuit) wait(now moment) time.Duration {
	if c.closed() {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitLocked(now)
}

func (c *circuit) waitLocked(now moment) time.Duration {
	switch {
	case c.closed():
		return 0
	case now < c.openUntil:
		return c.openUntil - now
	case c.probe != 0 && now < c.probeUntil:
		return min(c.probeUntil-now, probeWait)
	default:
		return 0
	}
}

// enter asks for an attempt; a wait above 0 refuses it.
func (c *circuit) enter(now moment, lease time.Duration) (permit, time.Duration) {
	if epoch := c.epoch.Load(); epoch%2 == 0 {
		return permit{epoch: epoch}, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait := c.waitLocked(now); wait > 0 {
		return permit{}, wait
	}
	if c.closed() { // it closed meanwhile
		return permit{epoch: c.epoch.Load()}, 0
	}
	c.probes++
	c.probe, c.probeUntil = c.probes, now+lease
	return permit{epoch: c.epoch.Load(), probe: c.probe}, 0
}

// leave reports how an attempt ended, and returns what became of the circuit;
// zero: nothing.
func (c *circuit) leave(p permit, what news, now moment, n numbers) interceptors.NoticeKind {
	if p.probe == 0 && (what == newsNone || what == newsGood && c.failures.Load() == 0) {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.epoch != c.epoch.Load() || p.probe != c.probe {
		return 0 // it changed since, or the place was given to another
	}
	c.probe = 0
	switch {
	case what == newsGood:
		if c.close() {
			return interceptors.NoticeClosed
		}
	case what == newsBad && p.probe != 0:
		c.open(now, n.open)
		return interceptors.NoticeOpened
	case what == newsBad:
		if failures := c.failures.Add(1); n.failures > 0 && failures >= n.failures {
			c.open(now, n.open)
			return interceptors.NoticeOpened
		}
	}
	return 0
}

// close closes, or clears the count of a closed one. True: it was open. The
// caller holds mu.
func (c *circuit) close() bool {
	c.failures.Store(0)
	if c.closed() {
		return false
	}
	c.epoch.Add(1)
	return true
}

// open opens, again where it was open. The caller holds mu.
func (c *circuit) open(now moment, d time.Duration) {
	c.failures.Store(0)
	c.openUntil = now + d
	if c.closed() {
		c.epoch.Add(1)
		return
	}
	c.epoch.Add(2)
}

// state tells the state for people, and how long it lasts.
func (c *circuit) state(now moment) (State, time.Duration) {
	if c.closed() {
		return Closed, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed():
		return Closed, 0
	case now < c.openUntil:
		return Open, c.openUntil - now
	default:
		return HalfOpen, 0
	}
}
