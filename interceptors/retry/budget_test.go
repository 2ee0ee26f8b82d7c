package retry

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

func TestTheBudgetIsAShareOfTheCallsAndAFloor(t *testing.T) {
	start := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	spend := func(b *budget, now time.Time, share, floor float64) (n int) {
		for b.allows(now, share, floor) && n < 10000 {
			n++
		}
		return n
	}
	for _, c := range []struct {
		calls        int
		share, floor float64
		first, later int // at once, and a second later
	}{
		{0, 0.2, 10, 10, 10},
		{100, 0.2, 0, 20, 0},
		{100, 0.2, 10, 30, 10},
		{4, 0.2, 0, 0, 0},
		{100, 0, 0, 0, 0},
		{0, 0, 0.5, 1, 0},
		{100, 1, 0, 100, 0},
	} {
		b := &budget{}
		for range c.calls {
			b.called(start)
		}
		if got := spend(b, start, c.share, c.floor); got != c.first {
			t.Errorf("%+v: %d at once", c, got)
		}
		if got := spend(b, start.Add(time.Second), c.share, c.floor); got != c.later {
			t.Errorf("%+v: %d a second later", c, got)
		}
	}
	b := &budget{}
	for range 100 {
		b.called(start)
	}
	if got := spend(b, start.Add(9*time.Second), 0.2, 0); got != 20 {
		t.Errorf("calls of 9 s ago allow %d", got)
	}
	if got := spend(b, start.Add(time.Minute), 0.2, 0); got != 0 {
		t.Errorf("calls of a minute ago allow %d", got)
	}
	b.called(start.Add(-time.Hour)) // a clock that jumps back
	if got := b.calls.sum(start.Add(-time.Hour)); got != 1 {
		t.Errorf("after a jump %d calls are counted", got)
	}
}

func TestUpstreamsThatAreGoneAreForgotten(t *testing.T) {
	book := newBudgets()
	busy := book.of("busy")
	busy.called(time.Now())
	many := maps.Clone(*book.all.Load())
	for i := range maxBudgets {
		many[fmt.Sprint(i)] = &budget{}
	}
	book.all.Store(&many)
	book.of("one more")
	if n := len(*book.all.Load()); n != 2 || book.of("busy") != busy {
		t.Errorf("%d budgets are kept", n)
	}
}

func TestReadsThatTimedOutAreRememberedForAWhileAndWithinBounds(t *testing.T) {
	n, now := newNarrowings(), time.Now()
	key := func(run int) narrowKey {
		return narrowKey{run: interceptors.RunKey{ID: fmt.Sprint(run)}, tool: "search"}
	}
	n.note(key(-1), now)
	if !n.timedOut(key(-1), now.Add(time.Minute)) || n.timedOut(key(-1), now.Add(2*time.Hour)) || n.timedOut(key(-2), now) {
		t.Error("a read is remembered for an hour")
	}
	const runs = 2 * narrowShards * narrowMost
	for i := range runs {
		n.note(key(i), now.Add(time.Duration(i)))
	}
	kept := 0
	for i := range n.shards {
		kept += len(n.shards[i].reads)
	}
	if kept > narrowShards*narrowMost {
		t.Errorf("%d reads are kept", kept)
	}
	if !n.timedOut(key(runs-1), now) || n.timedOut(key(-1), now) {
		t.Error("the oldest must go first")
	}
}

func TestReplicasShareTheFloor(t *testing.T) {
	for _, c := range []struct {
		replicas func() int
		want     float64
	}{{nil, 12}, {func() int { return 1 }, 12}, {func() int { return 4 }, 3}, {func() int { return 0 }, 12}, {func() int { return -3 }, 12}} {
		if got := New(nil, WithReplicas(c.replicas)).floor(12); got != c.want {
			t.Errorf("the floor of one is %g, want %g", got, c.want)
		}
	}
}
