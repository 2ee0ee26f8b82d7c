package limits

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	holdUnknown   = time.Second // how long calls hold a place before any was seen to
	holdSmoothing = 8           // the newest sample weighs one in so many
	minEstimate   = 50 * time.Millisecond
	maxEstimate   = 5 * time.Second
)

// slots are the places of one run or one tool, with a queue before them. The
// limit comes with each call, since a reload may change it. Safe for concurrent
// use; takes no lock while nobody waits.
type slots struct {
	inFlight atomic.Int64
	waiting  atomic.Int64 // length of queue, read without the lock
	hold     atomic.Int64 // nanoseconds that a call holds a place; 0: not known

	mu    sync.Mutex // guards queue
	queue list.List  // of *waiter, by turn
}

// waiter is one call in a queue.
type waiter struct {
	limit int64
	turn  uint64        // who came first
	taken chan struct{} // closed when the place is its
	place *list.Element
}

// take takes a place without waiting. It never overtakes anybody.
func (s *slots) take(limit int64) bool {
	return s.waiting.Load() == 0 && s.raise(limit)
}

// takeAt is take for a call that had waited elsewhere: it passes those that
// came later.
func (s *slots) takeAt(limit int64, turn uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.queue.Front(); first != nil && first.Value.(*waiter).turn < turn {
		return false
	}
	return s.raise(limit)
}

// raise counts one more in flight unless that is over the limit; 0: no limit.
func (s *slots) raise(limit int64) bool {
	for {
		n := s.inFlight.Load()
		if limit > 0 && n >= limit {
			return false
		}
		if s.inFlight.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives a place back, to whoever is first in the queue.
func (s *slots) release() {
	s.inFlight.Add(-1)
	// A call that queues now sees the free place itself: it counts itself as
	// waiting before it looks.
	if s.waiting.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grant()
}

// held notes how long a call held its place.
func (s *slots) held(d time.Duration) {
	old := s.hold.Load()
	if old == 0 {
		s.hold.Store(int64(max(d, 1)))
		return
	}
	s.hold.Store(old + (int64(d)-old)/holdSmoothing)
}

// estimate is how long a call that comes now would wait.
func (s *slots) estimate(limit int64) time.Duration {
	hold := time.Duration(s.hold.Load())
	if hold == 0 {
		hold = holdUnknown
	}
	turns := float64(s.waiting.Load()+1) / float64(max(limit, 1))
	return min(maxEstimate, max(minEstimate, time.Duration(turns*float64(hold))))
}

// wait queues for a place, at most until ctx or late is done. waitFull is
// answered at once where the queue has room for no more.
func (s *slots) wait(ctx context.Context, w *waiter, room int64, late <-chan struct{}) waited {
	if !s.join(w, room) {
		return waitFull
	}
	select {
	case <-w.taken:
		return waitTaken
	case <-ctx.Done():
		return s.leave(w, waitDone)
	case <-late:
		return s.leave(w, waitLate)
	}
}

// waited is how waiting ended.
type waited int

const (
	waitTaken waited = iota // with a place
	waitFull                // the queue is full
	waitLate                // the turn did not come in time
	waitDone                // the caller went away
)

func (s *slots) join(w *waiter, room int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(s.queue.Len()) >= room {
		return false
	}
	w.taken = make(chan struct{})
	w.place = s.insert(w)
	s.waiting.Add(1)
	s.grant()
	return true
}

// insert keeps the queue in the order of turns. Nearly always that is the end;
// a call that comes back from another queue finds its place near the front.
func (s *slots) insert(w *waiter) *list.Element {
	for e := s.queue.Back(); e != nil; e = e.Prev() {
		if e.Value.(*waiter).turn < w.turn {
			return s.queue.InsertAfter(w, e)
		}
	}
	return s.queue.PushFront(w)
}

// leave takes w out of the queue. A place that came in the same moment is
// kept where only the time was up, and given on where the caller is gone.
func (s *slots) leave(w *waiter, how waited) waited {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.place == nil {
		if how == waitLate {
			return waitTaken
		}
		s.inFlight.Add(-1)
	} else {
		s.remove(w)
	}
	s.grant() // the next may have another limit, or a place was given on
	return how
}

// grant gives free places to the queue, first come, first served. The caller
// holds mu.
func (s *slots) grant() {
	for first := s.queue.Front(); first != nil; first = s.queue.Front() {
		w := first.Value.(*waiter)
		if !s.raise(w.limit) {
			return
		}
		s.remove(w)
		close(w.taken)
	}
}

func (s *slots) remove(w *waiter) {
	s.queue.Remove(w.place)
	w.place = nil
	s.waiting.Add(-1)
}
