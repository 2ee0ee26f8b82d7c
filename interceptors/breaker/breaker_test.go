package breaker

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// The kinds of outcome, as diagnosis makes them.
func result() *interceptors.Outcome {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
}

func failed(class toolgatev1.ErrorClass, code string, verdict interceptors.Verdict) *interceptors.Outcome {
	return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: class, Code: code}, Verdict: verdict}
}

func toolDown() *interceptors.Outcome {
	return failed(interceptors.Transient, "unavailable", interceptors.Verdict{Health: interceptors.HealthToolDown})
}

func upstreamDown() *interceptors.Outcome {
	return failed(interceptors.Transient, "unreachable", interceptors.Verdict{Health: interceptors.HealthUpstreamDown})
}

func timedOut() *interceptors.Outcome {
	return failed(interceptors.Transient, "timeout", interceptors.Verdict{Health: interceptors.HealthToolDown, TimedOut: true})
}

func semantic() *interceptors.Outcome {
	return failed(interceptors.InvalidRequest, "bad", interceptors.Verdict{Health: interceptors.HealthAlive})
}

func bare500() *interceptors.Outcome {
	return failed(interceptors.Transient, "internal_error", interceptors.Verdict{})
}

func limited() *interceptors.Outcome {
	return failed(interceptors.Transient, "rate_limit", interceptors.Verdict{RateLimited: true})
}

func hinted(seconds float64) *interceptors.Outcome {
	outcome := failed(interceptors.Transient, "slow_down", interceptors.Verdict{Hinted: true})
	outcome.Error.RetryAfter = &seconds
	return outcome
}

func account(outcome *interceptors.Outcome) *interceptors.Outcome {
	outcome.Verdict.Scope = interceptors.ScopeAccount
	return outcome
}

func newCall(upstream, tool string) *interceptors.Call {
	return &interceptors.Call{
		Tool:    &interceptors.Tool{Name: tool, Upstream: upstream, Policy: interceptors.DefaultPolicy()},
		Arrived: time.Now(),
	}
}

func answering(outcome *interceptors.Outcome) interceptors.Next {
	return func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return outcome, nil }
}

// send makes one attempt at tool t of upstream u.
func send(t *testing.T, room *Room, outcome *interceptors.Outcome) *interceptors.Outcome {
	t.Helper()
	return sendTo(t, room, newCall("u", "t"), outcome)
}

func sendTo(t *testing.T, room *Room, call *interceptors.Call, outcome *interceptors.Outcome) *interceptors.Outcome {
	t.Helper()
	got, err := room.handle(t.Context(), call, answering(outcome))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func checkRefused(t *testing.T, got *interceptors.Outcome, hold interceptors.Hold, wait time.Duration) {
	t.Helper()
	code, exhausted := "cooling_down", false
	if hold == interceptors.HoldOpen {
		code, exhausted = "circuit_open", true
	}
	e := got.Error
	if e == nil || !got.Verdict.Refused || got.Verdict.Hold != hold || e.GetErrorClass() != interceptors.Transient ||
		e.GetCode() != code || e.GetExhausted() != exhausted || !got.Exempt {
		t.Fatalf("got %v %+v, want a refusal with %s", e, got.Verdict, code)
	}
	if e.GetRetryAfter() != wait.Seconds() {
		t.Errorf("retry_after %v, want %v", e.GetRetryAfter(), wait.Seconds())
	}
}

func checkPassed(t *testing.T, got *interceptors.Outcome) {
	t.Helper()
	if got.Verdict.Refused {
		t.Fatalf("refused: %v", got.Error)
	}
}

func TestFiveFailuresInARowOpenTheCircuitForThatToolAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		for i := range 5 {
			got := send(t, room, toolDown())
			checkPassed(t, got)
			if opened := got.Verdict.Hold == interceptors.HoldOpen; opened != (i == 4) {
				t.Errorf("attempt %d: hold %v", i, got.Verdict.Hold)
			}
			if i == 4 && got.Error.GetRetryAfter() != 30 {
				t.Errorf("the attempt that opened it says %v s", got.Error.GetRetryAfter())
			}
		}
		time.Sleep(12 * time.Second)
		checkRefused(t, send(t, room, result()), interceptors.HoldOpen, 18*time.Second)
		checkPassed(t, sendTo(t, room, newCall("u", "other"), result()))
		if room.Ready("u", "t") || !room.Ready("u", "other") || !room.Ready("v", "t") {
			t.Error("Ready must be false for the open tool alone")
		}
	})
}

func TestFailuresToReachTheUpstreamOpenItForAllItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		for i := range 5 {
			checkPassed(t, sendTo(t, room, newCall("u", fmt.Sprint("tool", i)), upstreamDown()))
		}
		checkRefused(t, sendTo(t, room, newCall("u", "any"), result()), interceptors.HoldOpen, 30*time.Second)
		checkPassed(t, sendTo(t, room, newCall("v", "any"), result()))
		time.Sleep(30 * time.Second)
		// Its tool fails, but it was reached.
		checkPassed(t, send(t, room, toolDown()))
		checkPassed(t, sendTo(t, room, newCall("u", "any"), result()))
		checkPassed(t, sendTo(t, room, newCall("u", "any"), result()))
	})
}

func TestAProbeThatTimesOutHasNotReachedTheUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		for range 5 {
			send(t, room, upstreamDown())
		}
		time.Sleep(30 * time.Second)
		checkPassed(t, send(t, room, timedOut()))
		checkRefused(t, send(t, room, result()), interceptors.HoldOpen, 30*time.Second)
	})
}

func TestAHintLongerThanTheOpenCircuitStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, call := New(), newCall("u", "t")
		call.Tool.Policy.CooldownMax = 0
		var calls sync.WaitGroup
		calls.Go(func() {
			got, _ := room.handle(t.Context(), call, func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
				time.Sleep(time.Second)
				return hinted(100), nil
			})
			if got.Verdict.Hold != interceptors.HoldOpen || got.Error.GetRetryAfter() != 100 {
				t.Errorf("got %v %+v", got.Error, got.Verdict)
			}
		})
		synctest.Wait()
		open(t, room)
		calls.Wait()
	})
}

func TestWhatCountsAndWhatDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		after []*interceptors.Outcome // four failures
		open  bool                    // one failure later
	}{
		"nothing else":    {nil, true},
		"a result":        {[]*interceptors.Outcome{result()}, false},
		"a semantic no":   {[]*interceptors.Outcome{semantic()}, false},
		"a terminal no":   {[]*interceptors.Outcome{failed(interceptors.Terminal, "x", interceptors.Verdict{Health: interceptors.HealthAlive})}, false},
		"a bare 500":      {[]*interceptors.Outcome{bare500(), bare500()}, true},
		"another tool up": {[]*interceptors.Outcome{upstreamDown()}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				room := New()
				for _, outcome := range append([]*interceptors.Outcome{toolDown(), toolDown(), toolDown(), toolDown()}, c.after...) {
					checkPassed(t, send(t, room, outcome))
				}
				checkPassed(t, send(t, room, toolDown()))
				if got := send(t, room, result()); got.Verdict.Refused != c.open {
					t.Errorf("open %v, want %v", got.Verdict.Refused, c.open)
				}
			})
		})
	}
}

func TestRateLimitsAndSemanticErrorsNeverOpenACircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		for _, outcome := range []func() *interceptors.Outcome{limited, semantic, bare500, func() *interceptors.Outcome { return hinted(1) }} {
			for range 50 {
				time.Sleep(time.Minute) // cooldowns pass
				if got := send(t, room, outcome()); got.Verdict.Refused || got.Verdict.Hold == interceptors.HoldOpen {
					t.Fatalf("got %v %+v", got.Error, got.Verdict)
				}
			}
		}
	})
}

func TestAPolicyOfZeroNeverOpensAndAnotherPolicyIsReadPerCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, call := New(), newCall("u", "t")
		call.Tool.Policy.BreakerFailures = 0
		for range 20 {
			checkPassed(t, sendTo(t, room, call, toolDown()))
		}
		reloaded := newCall("u", "t")
		reloaded.Tool.Policy.BreakerFailures, reloaded.Tool.Policy.BreakerOpen = 2, time.Second
		checkPassed(t, sendTo(t, room, reloaded, toolDown())) // the count survived the reload
		checkRefused(t, sendTo(t, room, reloaded, result()), interceptors.HoldOpen, time.Second)
	})
}

func open(t *testing.T, room *Room) {
	t.Helper()
	for range 5 {
		send(t, room, toolDown())
	}
}

func TestSnapshotAndForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		open(t, room)
		sendTo(t, room, newCall("u", "limited"), hinted(10))
		sendTo(t, room, newCall("v", "x"), account(hinted(20)))
		want := []Condition{
			{"u", "limited", Cooling, 10 * time.Second}, {"u", "t", Open, 30 * time.Second}, {"v", "", Cooling, 20 * time.Second},
		}
		if got := room.Snapshot(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		time.Sleep(30 * time.Second)
		if got := room.Snapshot(); fmt.Sprint(got) != fmt.Sprint([]Condition{{"u", "t", HalfOpen, 0}}) {
			t.Errorf("got %v", got)
		}
		room.Forget("u", "t")
		if got := room.Snapshot(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
		open(t, room)
		room.Forget("u", "")
		if !room.Ready("u", "t") {
			t.Error("a forgotten upstream must be ready")
		}
	})
}

func TestKeysThatAreGoneAreForgotten(t *testing.T) {
	book := newBook()
	held := book.of(key{"u", "open"}, 0)
	held.circuit.open(0, time.Minute)
	many := maps.Clone(book.all())
	for i := range maxKeys {
		many[key{"u", fmt.Sprint(i)}] = &entry{}
	}
	book.entries.Store(&many)
	book.of(key{"u", "one more"}, time.Hour)
	if n := len(book.all()); n > maxKeys {
		t.Errorf("%d keys are kept", n)
	}
	if book.of(key{"u", "open"}, time.Hour) != held {
		t.Error("an open circuit was forgotten")
	}
}

func TestACallerThatLeavesTheQueueIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		send(t, room, hinted(1))
		time.Sleep(time.Second)
		stop := make(chan struct{})
		go func() { // the probe
			_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
				<-stop
				return result(), nil
			})
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		go func() {
			time.Sleep(10 * time.Millisecond)
			cancel()
		}()
		_, err := room.handle(ctx, newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
			t.Error("an attempt was made for a caller that is gone")
			return result(), nil
		})
		if status.Code(err) != codes.Canceled {
			t.Errorf("got %v, want CANCELLED", err)
		}
		close(stop)
	})
}
