package retry

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

const (
	budgetSeconds = 10 // calls and retries of that long are compared
	maxBudgets    = 4096
)

// budget bounds the retries of one upstream: a share of its calls in the last
// 10 s, and a floor per second besides, so that a rare caller may retry at all.
// It refuses retries and never calls. Safe for concurrent use; counting a call
// takes no lock.
type budget struct {
	calls seconds

	mu      sync.Mutex // guards the rest
	retries seconds    // those that the share paid for
	spare   float64    // retries that the floor pays for
	filled  time.Time
}

// called counts one call, before it is made.
func (b *budget) called(now time.Time) { b.calls.add(now) }

// allows spends one retry if there is one.
func (b *budget) allows(now time.Time, share, floor float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if float64(b.retries.sum(now)+1) <= share*float64(b.calls.sum(now)) {
		b.retries.add(now)
		return true
	}
	if floor <= 0 {
		return false
	}
	most := max(floor, 1)
	if b.filled.IsZero() {
		b.spare = most
	} else {
		b.spare = min(most, b.spare+floor*now.Sub(b.filled).Seconds())
	}
	b.filled = now
	if b.spare < 1 {
		return false
	}
	b.spare--
	return true
}

// seconds counts events of the last 10 s: each word holds a second and its
// count, so that counting is one atomic exchange.
type seconds [budgetSeconds + 1]atomic.Uint64

const countBits = 32

func (s *seconds) add(now time.Time) {
	second := uint64(now.Unix())
	word := &s[second%uint64(len(s))]
	for {
		old := word.Load()
		updated := second<<countBits | 1
		if old>>countBits == second&(1<<countBits-1) {
			updated = old + 1
		}
		if word.CompareAndSwap(old, updated) {
			return
		}
	}
}

func (s *seconds) sum(now time.Time) (total uint64) {
	newest := uint64(now.Unix()) & (1<<countBits - 1)
	for i := range s {
		word := s[i].Load()
		if second := word >> countBits; second <= newest && second+budgetSeconds > newest {
			total += word & (1<<countBits - 1)
		}
	}
	return total
}

// budgets finds the budget of an upstream, by name, so that it outlives a
// reload. Reading takes no lock, adding copies.
type budgets struct {
	all atomic.Pointer[map[string]*budget]
	mu  sync.Mutex // held while all is replaced
}

func newBudgets() *budgets {
	b := &budgets{}
	b.all.Store(&map[string]*budget{})
	return b
}

func (b *budgets) of(upstream string) *budget {
	if found := (*b.all.Load())[upstream]; found != nil {
		return found
	}
	return b.add(upstream)
}

func (b *budgets) add(upstream string) *budget {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := *b.all.Load()
	if found := old[upstream]; found != nil {
		return found
	}
	all := maps.Clone(old)
	if len(all) >= maxBudgets { // only reloads without end get here
		now := time.Now()
		maps.DeleteFunc(all, func(_ string, idle *budget) bool { return idle.calls.sum(now) == 0 })
	}
	all[upstream] = &budget{}
	b.all.Store(&all)
	return all[upstream]
}
