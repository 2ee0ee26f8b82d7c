package observe

import (
	"slices"
	"sync"
	"sync/atomic"

	"toolgate.dev/toolgate/internal/evidence"
)

const (
	maxListeners   = 16
	listenerBuffer = 256 // calls
)

// Listener is told of every call that finishes. It never holds a call up: what it
// does not take in time it misses.
type Listener struct {
	// Calls brings the calls, in the order in which they finished, about.
	Calls <-chan evidence.Call

	calls  chan evidence.Call
	missed atomic.Uint64
	from   *listeners
}

// Missed returns how many calls were missed since it was last asked.
func (l *Listener) Missed() uint64 { return l.missed.Swap(0) }

// Close ends the listening. Calls brings nothing more.
func (l *Listener) Close() { l.from.remove(l) }

// listeners are those who listen now.
type listeners struct {
	mu  sync.Mutex // of those who change it
	now atomic.Pointer[[]*Listener]
}

// Listen begins to listen; false where as many listen as may [16].
func (r *Room) Listen() (*Listener, bool) {
	calls := make(chan evidence.Call, listenerBuffer)
	l := &Listener{Calls: calls, calls: calls, from: &r.listeners}
	return l, r.listeners.add(l)
}

func (ls *listeners) add(l *Listener) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var all []*Listener
	if now := ls.now.Load(); now != nil {
		all = *now
	}
	if len(all) == maxListeners {
		return false
	}
	all = append(slices.Clone(all), l)
	ls.now.Store(&all)
	return true
}

func (ls *listeners) remove(l *Listener) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	all := slices.Clone(*ls.now.Load())
	if all = slices.DeleteFunc(all, func(other *Listener) bool { return other == l }); len(all) == 0 {
		ls.now.Store(nil) // nobody: a call costs no more than this question
		return
	}
	ls.now.Store(&all)
}

// publish tells those who listen, if any.
func (r *Room) publish(tell func() evidence.Call) {
	now := r.listeners.now.Load()
	if now == nil {
		return
	}
	told := tell()
	for _, l := range *now {
		select {
		case l.calls <- told:
		default:
			l.missed.Add(1)
		}
	}
}
