package breaker

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

func TestAHintHoldsTheToolForAllRunsAndTellsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		got := send(t, room, hinted(10))
		if got.Verdict.Hold != interceptors.HoldCooldown || got.Error.GetRetryAfter() != 10 {
			t.Errorf("got %v %+v", got.Error, got.Verdict)
		}
		time.Sleep(4 * time.Second)
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 6*time.Second)
		checkPassed(t, sendTo(t, room, newCall("u", "other"), result()))
		if room.Ready("u", "t") || !room.Ready("u", "other") {
			t.Error("Ready must be false for the tool that cools down alone")
		}
		time.Sleep(6 * time.Second)
		checkPassed(t, send(t, room, result()))
	})
}

func TestAHintOfTheAccountHoldsTheWholeUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, account(limited()))
		checkRefused(t, sendTo(t, room, newCall("u", "other"), result()), interceptors.HoldCooldown, time.Second)
		checkPassed(t, sendTo(t, room, newCall("v", "t"), result()))
	})
}

func TestWithoutAHintThePauseIsTheNextStepAndASuccessForgetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		for _, want := range []time.Duration{1, 2, 4, 8, 16, 16} {
			got := send(t, room, limited())
			checkPassed(t, got)
			if got.Error.GetRetryAfter() != float64(want) {
				t.Errorf("retry_after %v, want %d", got.Error.GetRetryAfter(), want)
			}
			time.Sleep(want * time.Second)
		}
		checkPassed(t, send(t, room, result()))
		if got := send(t, room, limited()); got.Error.GetRetryAfter() != 1 {
			t.Errorf("after a success: retry_after %v, want 1", got.Error.GetRetryAfter())
		}
	})
}

func TestAttemptsThatWereOutTogetherPauseOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		var calls sync.WaitGroup
		for i := range 6 {
			calls.Go(func() {
				got, _ := room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					time.Sleep(time.Duration(i+1) * 10 * time.Millisecond)
					return limited(), nil
				})
				if got.Error.GetRetryAfter() > 1 {
					t.Errorf("attempt %d: retry_after %v", i, got.Error.GetRetryAfter())
				}
			})
		}
		calls.Wait()
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 950*time.Millisecond)
	})
}

func TestALateRefusalFromBeforeThePauseDoublesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		var calls sync.WaitGroup
		for _, works := range []time.Duration{10, 1500} {
			calls.Go(func() {
				got, _ := room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					time.Sleep(works * time.Millisecond)
					return limited(), nil
				})
				if got.Error.GetRetryAfter() != 1 {
					t.Errorf("after %d ms: retry_after %v", works, got.Error.GetRetryAfter())
				}
			})
		}
		calls.Wait()
	})
}

func TestALaterAndLongerHintProlongsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		var calls sync.WaitGroup
		for _, seconds := range []float64{2, 5, 3} {
			calls.Go(func() {
				_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					time.Sleep(time.Millisecond)
					return hinted(seconds), nil
				})
			})
		}
		calls.Wait()
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 5*time.Second)
	})
}

func TestNobodyIsHeldLongerThanTheMaximumWithoutAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, hinted(600))
		time.Sleep(59 * time.Second)
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 541*time.Second)
		time.Sleep(time.Second)
		var calls sync.WaitGroup
		calls.Go(func() { // the probe
			_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
				time.Sleep(time.Second)
				return hinted(539), nil
			})
		})
		synctest.Wait()
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 540*time.Second)
		calls.Wait()
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 539*time.Second)
		time.Sleep(time.Minute)
		checkPassed(t, send(t, room, result())) // a probe that was let in ends the pause
		checkPassed(t, send(t, room, result()))
	})
}

func TestAnEarlyProbeThatHangsLosesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, hinted(600))
		time.Sleep(time.Minute)
		go func() {
			_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
				time.Sleep(10 * time.Minute)
				return hinted(1), nil
			})
		}()
		time.Sleep(21 * time.Second)
		checkPassed(t, send(t, room, result()))
		checkPassed(t, send(t, room, result()))
		time.Sleep(10 * time.Minute)
	})
}

func TestNoPauseWhereNoneIsAskedForOrAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, hinted(0))
		checkPassed(t, send(t, room, result()))
		call := newCall("u", "never")
		call.Tool.Policy.CooldownMax = 0
		sendTo(t, room, call, hinted(30))
		checkPassed(t, sendTo(t, room, call, result()))
		// A hint on a terminal error is no reason to hold others back.
		terminal := failed(interceptors.Terminal, "quota", interceptors.Verdict{Hinted: true, Health: interceptors.HealthAlive})
		sendTo(t, room, newCall("u", "quota"), terminal)
		checkPassed(t, sendTo(t, room, newCall("u", "quota"), result()))
	})
}

// upstream counts what reaches it and how much at a time.
type upstream struct {
	answers       time.Duration
	now, most, in atomic.Int64
}

func (u *upstream) next(outcome func(n int64) *interceptors.Outcome) interceptors.Next {
	return func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		n := u.in.Add(1)
		if now := u.now.Add(1); now > u.most.Load() {
			u.most.Store(now)
		}
		defer u.now.Add(-1)
		time.Sleep(u.answers)
		return outcome(n), nil
	}
}

func burst(t *testing.T, room *Room, n int, next interceptors.Next) (refused int64) {
	t.Helper()
	var calls sync.WaitGroup
	var refusals atomic.Int64
	for range n {
		calls.Go(func() {
			got, err := room.handle(t.Context(), newCall("u", "t"), next)
			if err != nil {
				t.Error(err)
				return
			}
			if got.Verdict.Refused {
				refusals.Add(1)
			}
		})
	}
	calls.Wait()
	return refusals.Load()
}

func TestABurstAtALimitedUpstreamMakesLittleMoreThanTheLimit(t *testing.T) {
	for _, limit := range []int64{0, 1, 5, 20, 60} {
		synctest.Test(t, func(t *testing.T) {
			room, api := New(), &upstream{answers: 2 * time.Millisecond}
			refused := burst(t, room, 200, api.next(func(n int64) *interceptors.Outcome {
				if n > limit {
					return hinted(120)
				}
				return result()
			}))
			few := scoutWindow + limit/perWindow
			if n := api.in.Load(); n > limit+few || n+refused != 200 {
				t.Errorf("limit %d: %d attempts and %d refusals of 200 calls", limit, n, refused)
			}
		})
	}
}

func TestABurstAtAColdToolWaitsOnlyAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, slow := New(), &upstream{answers: 10 * time.Second}
		start := time.Now()
		refused := burst(t, room, 100, slow.next(func(int64) *interceptors.Outcome { return result() }))
		if took := time.Since(start); took != slow.answers+scoutFor || slow.most.Load() != 100 || refused != 0 {
			t.Errorf("took %v, %d at a time, %d refused", took, slow.most.Load(), refused)
		}
		start = time.Now()
		burst(t, room, 100, slow.next(func(int64) *interceptors.Outcome { return result() }))
		if took := time.Since(start); took != slow.answers {
			t.Errorf("a warm tool took %v", took)
		}
	})
}

func TestAfterAPauseOneGoesAndThenSlowlyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, api := New(), &upstream{answers: 10 * time.Millisecond}
		send(t, room, hinted(1))
		time.Sleep(time.Second)
		var first atomic.Int64
		go func() {
			time.Sleep(5 * time.Millisecond)
			first.Store(api.in.Load())
		}()
		start := time.Now()
		refused := burst(t, room, 60, api.next(func(int64) *interceptors.Outcome { return result() }))
		if first.Load() != 1 {
			t.Errorf("%d went before the first answer", first.Load())
		}
		if api.in.Load() != 60 || refused != 0 || api.most.Load() > 2+60/perWindow || time.Since(start) > 500*time.Millisecond {
			t.Errorf("%d attempts, %d at a time, %d refused in %v", api.in.Load(), api.most.Load(), refused, time.Since(start))
		}
	})
}

func TestASlowToolIsNotThrottledByItsSlowness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, slow := New(), &upstream{answers: 30 * time.Second}
		send(t, room, hinted(1))
		time.Sleep(time.Second)
		var calls sync.WaitGroup
		for range 20 { // each comes back until it is let in
			calls.Go(func() {
				for {
					got, _ := room.handle(t.Context(), newCall("u", "t"), slow.next(func(int64) *interceptors.Outcome { return result() }))
					if !got.Verdict.Refused {
						return
					}
					time.Sleep(time.Duration(got.Error.GetRetryAfter() * float64(time.Second)))
				}
			})
		}
		time.Sleep(6 * time.Second)
		if n := slow.in.Load(); n != 20 {
			t.Errorf("%d of 20 were let in after 6 s", n)
		}
		calls.Wait()
	})
}

func TestWhoCameFirstGoesFirstEvenAfterBeingSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, hinted(1))
		time.Sleep(time.Second)
		var order []int
		var mu sync.Mutex
		var calls sync.WaitGroup
		attempt := func(i int, arrived time.Time) {
			call := newCall("u", "t")
			call.Arrived = arrived
			calls.Go(func() {
				_, _ = room.handle(t.Context(), call, func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					time.Sleep(50 * time.Millisecond)
					return nil, interceptors.StatusInternal(nil) // says nothing: the pace stays
				})
			})
			synctest.Wait()
		}
		now := time.Now()
		for i, age := range []int{0, 1, 5, 3, 4, 2} { // 0 is the probe, the others wait
			attempt(i, now.Add(-time.Duration(age)*time.Second))
		}
		calls.Wait()
		for i, want := range []int{0, 2, 4, 3, 5, 1} {
			if order[i] != want {
				t.Fatalf("order of entry %v", order)
			}
		}
	})
}

func TestThoseWhoWaitAreSentAwayWhenTheProbeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, api := New(), &upstream{answers: 10 * time.Millisecond}
		send(t, room, hinted(1))
		time.Sleep(time.Second)
		start := time.Now()
		refused := burst(t, room, 50, api.next(func(int64) *interceptors.Outcome { return hinted(30) }))
		if api.in.Load() != 1 || refused != 49 || time.Since(start) != api.answers {
			t.Errorf("%d attempts, %d refused after %v", api.in.Load(), refused, time.Since(start))
		}
		checkRefused(t, send(t, room, result()), interceptors.HoldCooldown, 30*time.Second)
	})
}
