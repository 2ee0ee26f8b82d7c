package retry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/breaker"
	"toolgate.dev/toolgate/interceptors/retry"
)

// window is an upstream that takes so many calls per window and answers the
// others 429.
type window struct {
	limit int
	every time.Duration
	works time.Duration
	hint  bool

	mu     sync.Mutex
	start  time.Time
	taken  int
	calls  []int // attempts per window
	served []time.Duration
}

func (w *window) attempt(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
	w.mu.Lock()
	if w.start.IsZero() || time.Since(w.start) >= w.every {
		w.start, w.taken = time.Now(), 0
		w.calls = append(w.calls, 0)
	}
	w.calls[len(w.calls)-1]++
	w.taken++
	refused, left := w.taken > w.limit, w.every-time.Since(w.start)
	w.mu.Unlock()
	time.Sleep(w.works)
	if !refused {
		w.mu.Lock()
		w.served = append(w.served, time.Since(call.Arrived))
		w.mu.Unlock()
		return ok(ctx, call)
	}
	if !w.hint {
		return limited(ctx, call)
	}
	return hinted(left.Seconds())(ctx, call)
}

func TestABurstAtALimitedUpstreamIsServedWithoutAStampede(t *testing.T) {
	for _, c := range []*window{
		{limit: 20, every: time.Second, works: 5 * time.Millisecond, hint: true},
		{limit: 50, every: 2 * time.Second, works: 20 * time.Millisecond, hint: true},
		{limit: 20, every: time.Second, works: 5 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(c.attempt)
			results, errors := crowd(200, func(i int) told {
				read := reads("search")
				read.run = fmt.Sprint("run", i%10)
				return read.call(t.Context(), h)
			})
			if results != 200 {
				t.Errorf("%d results, %d errors", results, errors)
			}
			for i, calls := range c.calls {
				if few := 8 + c.limit/4 + 1; calls > c.limit+few {
					t.Errorf("window %d saw %d calls at a limit of %d: %v", i, calls, c.limit, c.calls)
				}
			}
		})
	}
}

func TestABurstThatMustWaitTooLongMakesLittleMoreThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &window{limit: 10, every: time.Hour, works: 2 * time.Millisecond, hint: true}
		h := newHouse(api.attempt)
		results, errors := crowd(200, func(i int) told {
			read := reads("search")
			read.run = fmt.Sprint("run", i)
			got := read.call(t.Context(), h)
			if got.Error != nil && (got.Error.GetRetryAfter() < 3590 || got.Error.GetExhausted()) {
				t.Errorf("got %v", got.Error)
			}
			return got
		})
		if h.calls > 20 || results != 10 || errors != 190 {
			t.Errorf("%d upstream calls, %d results, %d errors", h.calls, results, errors)
		}
	})
}

func TestWaitingForATurnIsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(1), func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
			time.Sleep(5 * time.Second)
			return ok(ctx, call)
		})
		first := reads("search")
		first.tool.Policy.MaxAttempts = 1
		first.call(t.Context(), h)
		time.Sleep(time.Second)
		_, errors := crowd(40, func(i int) told {
			read := reads("search")
			read.tool.Policy.MaxWait = 1500 * time.Millisecond
			got := read.call(t.Context(), h)
			if got.Error != nil && got.took > read.tool.Policy.MaxWait {
				t.Errorf("waited %v: %v", got.took, got.Error)
			}
			return got
		})
		if errors == 0 {
			t.Error("nobody had to wait too long")
		}
	})
}

func TestNoRequestArrivesDuringTheHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(2), hinted(2), ok)
		start := time.Now()
		crowd(10, func(i int) told {
			read := reads("search")
			read.run = fmt.Sprint("run", i)
			return read.call(t.Context(), h)
		})
		early := 0
		for _, at := range h.times {
			if since := at.Sub(start); since > 0 && since < 2*time.Second {
				early++
			}
		}
		if early != 0 || h.calls < 11 {
			t.Errorf("%d requests arrived during the hint, %d in all", early, h.calls)
		}
	})
}

func TestWhenTheBudgetIsSpentRetriesStopAndCallsDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(unavailable)
		const calls, perSecond = 1000, 100
		start := time.Now()
		crowd(calls, func(i int) told {
			time.Sleep(time.Duration(i) * time.Second / perSecond)
			read := reads("search")
			read.tool.Policy.BreakerFailures = 0
			read.run = fmt.Sprint("run", i)
			got := read.call(t.Context(), h)
			if got.Error.GetAttempts() == 0 {
				t.Error("a call was refused")
			}
			return got
		})
		took := time.Since(start).Seconds()
		retries := h.calls - calls
		if most := int(0.2*calls + 10*(took+1)); retries > most || retries < calls/10 {
			t.Errorf("%d retries of %d calls in %.0f s, at most %d", retries, calls, took, most)
		}
	})
}

func TestAHangingToolNeverStarvesAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
			if call.Tool.Name == "hangs" {
				return never(ctx, call)
			}
			return ok(ctx, call)
		})
		go crowd(100, func(i int) told { return reads("hangs").call(t.Context(), h) })
		time.Sleep(time.Minute)
		got := reads("works").call(t.Context(), h)
		got.checkResult(t, 1)
		if got.took != 0 {
			t.Errorf("took %v", got.took)
		}
	})
}

// Whatever an upstream does, a call comes back in time, exactly once, with an
// error that keeps the contract's rules.
func TestEveryCallComesBackInTimeWithWhatTheContractWants(t *testing.T) {
	lines := []attempt{ok, unavailable, limited, invalid, taken, bare500, never, hinted(0.5), hinted(7), hinted(500)}
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			dice := rand.New(rand.NewPCG(seed, 7))
			roll := func(n int) int { mu.Lock(); defer mu.Unlock(); return dice.IntN(n) }
			h := newHouse(func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
				time.Sleep(time.Duration(roll(300)) * time.Millisecond)
				return lines[roll(len(lines))](ctx, call)
			})
			crowd(60, func(i int) told {
				time.Sleep(time.Duration(roll(20000)) * time.Millisecond)
				c := []*caller{reads("a"), writes("b", false), writes("c", true)}[roll(3)]
				deadline := time.Duration(1+roll(90000)) * time.Millisecond
				got := c.within(t, deadline, h)
				if got.took > deadline || (got.Outcome == nil) == (got.err == nil) {
					t.Errorf("deadline %v, took %v: %v, %v", deadline, got.took, got.Outcome, got.err)
				}
				if got.Outcome != nil && got.Error != nil {
					checkRules(t, c, got)
				}
				return got
			})
		})
	}
}

func checkRules(t *testing.T, c *caller, got told) {
	t.Helper()
	e := got.Error
	transient := e.GetErrorClass() == interceptors.Transient
	switch {
	case transient != (e.RetryAfter != nil), e.GetRetryAfter() < 0:
		t.Errorf("retry_after belongs to transient and to nothing else: %v", e)
	case e.GetExhausted() && !transient:
		t.Errorf("exhausted without being transient: %v", e)
	case e.GetAttempts() != got.call.Trace.Attempts, e.GetAttempts() > c.tool.Policy.MaxAttempts:
		t.Errorf("attempts: %v, traced %d", e, got.call.Trace.Attempts)
	case (e.GetCode() == "circuit_open" || e.GetCode() == "cooling_down" || e.GetCode() == "deadline_too_short") != (e.GetAttempts() == 0):
		t.Errorf("the code must tell whether an attempt was made: %v", e)
	case c.tool.Name == "a" && e.GetMaybeExecuted():
		t.Errorf("a read has no effect: %v", e)
	}
}

func BenchmarkOneAttempt(b *testing.B) {
	outcome := ok(context.Background(), nil)
	call := reads("t")
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return outcome, nil },
		retry.New(nil).Interceptor(), breaker.New().Interceptor())
	got := call.call(b.Context(), &house{chain: chain})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(b.Context(), got.call)
	}
}
