package retry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/retry"
)

func TestWhatTimeCuresIsCuredOutOfTheModelsSight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(unavailable, unavailable, ok)
		got := reads("t").call(t.Context(), h)
		got.checkResult(t, 3)
		if h.calls != 3 || got.took != 1500*time.Millisecond || got.call.Trace.Waited != got.took {
			t.Errorf("%d upstream calls in %v, waited %v", h.calls, got.took, got.call.Trace.Waited)
		}
		want := []struct {
			phase   toolgatev1.CallProgress_Phase
			attempt uint32
			wait    float64
			code    string
		}{
			{toolgatev1.CallProgress_PHASE_ATTEMPT, 1, 0, ""}, {toolgatev1.CallProgress_PHASE_WAIT, 1, 0.5, "unavailable"},
			{toolgatev1.CallProgress_PHASE_ATTEMPT, 2, 0, ""}, {toolgatev1.CallProgress_PHASE_WAIT, 2, 1, "unavailable"},
			{toolgatev1.CallProgress_PHASE_ATTEMPT, 3, 0, ""},
		}
		if len(got.progress) != len(want) {
			t.Fatalf("progress %v", got.progress)
		}
		for i, w := range want {
			p := got.progress[i]
			if p.GetPhase() != w.phase || p.GetAttempt() != w.attempt || p.GetMaxAttempts() != 5 || p.GetWait() != w.wait || p.GetCode() != w.code {
				t.Errorf("progress %d: %v, want %+v", i, p, w)
			}
		}
	})
}

func TestAHintThatDoesNotFitComesBackAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(120))
		got := reads("t").within(t, 10*time.Second, h)
		got.check(t, want{interceptors.Transient, "slow_down", 1, false, 120})
		if h.calls != 1 || got.took != 0 {
			t.Errorf("%d upstream calls in %v", h.calls, got.took)
		}
		// All waits of a call have a bound of their own, whatever the deadline.
		got = reads("other").within(t, time.Hour, newHouse(hinted(21)))
		got.check(t, want{interceptors.Transient, "slow_down", 1, false, 21})
	})
}

func TestAHintIsAFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(2), ok)
		got := reads("t").call(t.Context(), h)
		got.checkResult(t, 2)
		if got.took < 2*time.Second || got.took > 2500*time.Millisecond {
			t.Errorf("took %v", got.took)
		}
		// It shortens no backoff of our own.
		h = newHouse(unavailable, unavailable, hinted(0.001), ok)
		if got := reads("t").call(t.Context(), h); got.took != 500*time.Millisecond+time.Second+2*time.Second {
			t.Errorf("took %v", got.took)
		}
		// Nothing to wait for is no hint to come at once.
		h = newHouse(hinted(0), ok)
		if got := reads("t").call(t.Context(), h); got.took != 500*time.Millisecond {
			t.Errorf("took %v", got.took)
		}
	})
}

func TestFiveFailuresExhaustTheCallAndOpenTheCircuitForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(unavailable)
		got := reads("t").call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "unavailable", 5, true, 30})
		time.Sleep(10 * time.Second)
		other := reads("t")
		other.run = "another run"
		got = other.call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "circuit_open", 0, true, 20})
		if h.calls != 5 || got.took != 0 || got.call.Trace.Answered != "breaker" || !got.Exempt {
			t.Errorf("%d upstream calls, refused after %v, by %q", h.calls, got.took, got.call.Trace.Answered)
		}
	})
}

func TestAnOpenCircuitIsNeverWaitedForAndKeepsTheLastDiagnosis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(unavailable)
		h2 := reads("t")
		h2.tool.Policy.BreakerOpen = time.Second // it would fit
		h2.tool.Policy.BreakerFailures = 2
		got := h2.call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "unavailable", 2, true, 1})
		if got.took != 500*time.Millisecond {
			t.Errorf("took %v", got.took)
		}
	})
	synctest.Test(t, func(t *testing.T) { // it is opened by others while this call waits
		h := newHouse(unavailable)
		go func() {
			time.Sleep(100 * time.Millisecond)
			impatient := reads("t")
			impatient.tool.Policy.MaxAttempts = 1
			for range 4 {
				impatient.call(t.Context(), h)
			}
		}()
		got := reads("t").call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "unavailable", 1, true, 29.6})
	})
}

func TestAToolThatNeverAnswersComesBackWithinTheDeadline(t *testing.T) {
	for _, c := range []struct {
		deadline time.Duration // 0: the caller sets none
		attempts uint32
	}{{0, 5}, {2 * time.Minute, 5}, {10 * time.Second, 2}} {
		synctest.Test(t, func(t *testing.T) {
			h, read := newHouse(never), reads("t")
			read.tool.Policy.BreakerFailures = 0
			var got told
			limit := c.deadline
			if c.deadline == 0 {
				limit = time.Minute
				got = read.call(t.Context(), h)
			} else {
				got = read.within(t, c.deadline, h)
			}
			after := map[uint32]float64{5: 16, 2: 2}[c.attempts]
			got.check(t, want{interceptors.Transient, "timeout", c.attempts, true, after})
			if got.took >= limit {
				t.Errorf("deadline %v: took %v", limit, got.took)
			}
		})
	}
}

func TestAnOutcomeAtTheLastMomentStillArrivesInBand(t *testing.T) {
	for _, c := range []struct{ deadline, margin time.Duration }{
		{300 * time.Millisecond, 20 * time.Millisecond}, {2 * time.Second, 100 * time.Millisecond}, {50 * time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			last := c.deadline - c.margin
			// An answer at the very end of the attempt's time ...
			h := newHouse(func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
				time.Sleep(last - time.Nanosecond)
				return ok(ctx, call)
			})
			write := writes("t", false)
			write.tool.Policy.AttemptTimeout, write.tool.Policy.MaxAttempts, write.tool.Policy.CallDeadline = time.Hour, 1, time.Hour
			write.within(t, c.deadline, h).checkResult(t, 1)
			// ... or none at all.
			got := write.within(t, c.deadline, newHouse(never))
			got.check(t, want{interceptors.Terminal, "outcome_unknown", 1, false, -1})
			if got.took != last {
				t.Errorf("deadline %v: the outcome came after %v", c.deadline, got.took)
			}
		})
	}
}

func TestADeadlineThatLeavesNoTimeSpendsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(ok)
		got := reads("t").within(t, 20*time.Millisecond, h)
		got.check(t, want{interceptors.Transient, "deadline_too_short", 0, false, 1})
		if h.calls != 0 || got.call.Trace.Answered != "retry" {
			t.Errorf("%d upstream calls, answered by %q", h.calls, got.call.Trace.Answered)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := reads("t").call(ctx, h); status.Code(got.err) != codes.Canceled || h.calls != 0 {
			t.Errorf("a caller that is gone: %v, %d upstream calls", got.err, h.calls)
		}
	})
}

func TestOnlyTransientIsRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		line attempt
		want want
	}{
		"invalid":  {invalid, want{interceptors.InvalidRequest, "bad_date", 1, false, -1}},
		"terminal": {taken, want{interceptors.Terminal, "slot_taken", 1, false, -1}},
		"unclassified": {
			fails(toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED, "odd", 0, interceptors.Verdict{}),
			want{0, "odd", 1, false, -1},
		},
		"forbidden to repeat": {
			fails(interceptors.Transient, "lock", 429, interceptors.Verdict{NeverRetry: true}),
			want{interceptors.Transient, "lock", 1, false, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(c.line)
				reads("t").call(t.Context(), h).check(t, c.want)
				if h.calls != 1 {
					t.Errorf("%d upstream calls", h.calls)
				}
			})
		})
	}
}

func TestExhaustedIsSaidOnlyWhereItIsTrue(t *testing.T) {
	once := func(c *caller) { c.tool.Policy.MaxAttempts = 1 }
	hasty := func(c *caller) { c.tool.Policy.MaxWait = time.Second }
	poor := func(c *caller) { c.tool.Policy.RetryBudget, c.tool.Policy.RetryBudgetFloor = 0, 0 }
	for name, c := range map[string]struct {
		script []attempt
		policy func(*caller)
		want   want
	}{
		"every attempt was spent":              {[]attempt{unavailable}, once, want{interceptors.Transient, "unavailable", 1, true, 1}},
		"time ended it after two":              {[]attempt{unavailable}, hasty, want{interceptors.Transient, "unavailable", 2, true, 2}},
		"a hint ended it after two":            {[]attempt{unavailable, unavailable, hinted(30)}, nil, want{interceptors.Transient, "slow_down", 3, false, 30}},
		"time ended it, one of two was hinted": {[]attempt{hinted(0.1), unavailable}, hasty, want{interceptors.Transient, "unavailable", 2, false, 2}},
		"the budget ended it after one":        {[]attempt{unavailable}, poor, want{interceptors.Transient, "unavailable", 1, false, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read := reads("t")
				if c.policy != nil {
					c.policy(read)
				}
				read.call(t.Context(), newHouse(c.script...)).check(t, c.want)
			})
		})
	}
}

func TestACooldownThatFitsIsWaitedForAndSpendsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(5), ok)
		first, second := reads("t"), reads("t")
		second.run = "another"
		first.tool.Policy.MaxAttempts = 1
		first.call(t.Context(), h).check(t, want{interceptors.Transient, "slow_down", 1, true, 5})
		got := second.call(t.Context(), h)
		got.checkResult(t, 1)
		if got.took < 5*time.Second || h.calls != 2 {
			t.Errorf("took %v with %d upstream calls", got.took, h.calls)
		}
	})
}

func TestACooldownThatDoesNotFitIsToldWithAllThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(hinted(300), ok)
		reads("t").call(t.Context(), h).check(t, want{interceptors.Transient, "slow_down", 1, false, 300})
		time.Sleep(20 * time.Second)
		got := reads("t").call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "cooling_down", 0, false, 280})
		if h.calls != 1 {
			t.Errorf("%d upstream calls", h.calls)
		}
	})
	synctest.Test(t, func(t *testing.T) { // others learn of the pause while this call waits
		h := newHouse(unavailable, hinted(40))
		go func() {
			time.Sleep(100 * time.Millisecond)
			reads("t").call(t.Context(), h)
		}()
		got := reads("t").call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "unavailable", 1, false, 39.6})
	})
}

func TestLimitsWithoutAHintAreWaitedOutWithTheWholeStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(limited, limited, ok)
		got := reads("t").call(t.Context(), h)
		got.checkResult(t, 3)
		if got.took < 3*time.Second || got.took > 3600*time.Millisecond {
			t.Errorf("took %v, want the steps of 1 s and 2 s", got.took)
		}
	})
}

func TestACallerThatGoesAwayEndsTheWaitAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		got := reads("t").call(ctx, newHouse(unavailable))
		if status.Code(got.err) != codes.Canceled || got.took != 100*time.Millisecond {
			t.Errorf("got %v after %v", got.err, got.took)
		}
		// In an attempt: a read has nothing to say ...
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if got := reads("t").call(ctx, newHouse(never)); status.Code(got.err) != codes.Canceled {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		// ... and what may have taken effect has: the ledger must hear of it.
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		writes("w", false).call(ctx, newHouse(never)).check(t, want{interceptors.Terminal, "outcome_unknown", 1, false, -1})
	})
}

func TestTheHintAndTheBackoffAreWithinTheirBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := reads("t")
		read.tool.Policy.MaxAttempts, read.tool.Policy.MaxWait, read.tool.Policy.BreakerFailures = 8, time.Hour, 0
		h := newHouse(unavailable)
		read.within(t, time.Hour, h).check(t, want{interceptors.Transient, "unavailable", 8, true, 16})
		for i, step := range []time.Duration{1, 2, 4, 8, 16, 16, 16} {
			if got := h.times[i+1].Sub(h.times[i]); got != step*time.Second/2 {
				t.Errorf("wait %d was %v, want half of %d s", i+1, got, step)
			}
		}
	})
}

func TestJitterIsFullAndNeverBelowTheFloor(t *testing.T) {
	for _, c := range []struct {
		dice  float64
		line  attempt
		waits time.Duration
	}{
		{0, unavailable, 0}, {0.5, unavailable, 500 * time.Millisecond}, {0.999, unavailable, 999 * time.Millisecond},
		{0, hinted(2), 2 * time.Second}, {0.5, hinted(2), 2*time.Second + 125*time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &house{}
			h.chain = interceptors.Chain(func(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
				h.calls++
				return []attempt{c.line, ok}[h.calls-1](ctx, call), nil
			}, retry.New(nil, retry.WithDice(func() float64 { return c.dice })).Interceptor())
			if got := reads("t").call(t.Context(), h); got.took != c.waits {
				t.Errorf("dice %v: waited %v, want %v", c.dice, got.took, c.waits)
			}
		})
	}
}

// A back end that refuses the request before it asks anybody made no attempt.
func TestARequestThatIsNotSentIsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unsent := fails(interceptors.InvalidRequest, "invalid_arguments", 0, interceptors.Verdict{Unasked: true})
		got := reads("t").call(t.Context(), newHouse(unsent))
		got.check(t, want{interceptors.InvalidRequest, "invalid_arguments", 0, false, -1})
		got = reads("t").call(t.Context(), newHouse(unavailable, unsent)) // one was asked before
		got.check(t, want{interceptors.InvalidRequest, "invalid_arguments", 1, false, -1})
	})
}
