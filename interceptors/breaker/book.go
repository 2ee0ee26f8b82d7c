package breaker

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// moment is a time on the room's own clock, which never jumps.
type moment = time.Duration

// maxKeys bounds what is kept. A catalogue is smaller; only reloads that rename
// tools for ever get here, and then keys without state are dropped.
const maxKeys = 8192

// key names a tool of an upstream, or, without a tool, the upstream itself: its
// host and the account that the gateway has there.
type key struct{ upstream, tool string }

// entry is what is known of a key.
type entry struct {
	circuit circuit
	gate    gate
}

// book finds entries. They are keyed by name, so that they outlive a reload.
// Reading takes no lock, adding copies.
type book struct {
	entries atomic.Pointer[map[key]*entry]
	mu      sync.Mutex // held while entries is replaced
}

func newBook() *book {
	b := &book{}
	b.entries.Store(&map[key]*entry{})
	return b
}

func (b *book) all() map[key]*entry { return *b.entries.Load() }

func (b *book) of(k key, now moment) *entry {
	if e := b.all()[k]; e != nil {
		return e
	}
	return b.add(k, now)
}

func (b *book) add(k key, now moment) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.all()
	if e := old[k]; e != nil {
		return e
	}
	entries := maps.Clone(old)
	if len(entries) >= maxKeys {
		maps.DeleteFunc(entries, func(_ key, e *entry) bool {
			return e.circuit.closed() && e.circuit.failures.Load() == 0 && e.gate.idle(now)
		})
	}
	added := &entry{gate: gate{scouts: k.tool != ""}}
	entries[k] = added
	b.entries.Store(&entries)
	return added
}

// forget drops a key, or everything of an upstream where tool is empty.
func (b *book) forget(upstream, tool string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entries := maps.Clone(b.all())
	maps.DeleteFunc(entries, func(k key, _ *entry) bool {
		return k.upstream == upstream && (tool == "" || k.tool == tool)
	})
	b.entries.Store(&entries)
}
