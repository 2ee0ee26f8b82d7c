package limits

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func policy(perRun, perTool, queued uint32) interceptors.Policy {
	p := interceptors.DefaultPolicy()
	p.MaxInFlightPerRun, p.MaxInFlightPerTool, p.MaxQueued = perRun, perTool, queued
	return p
}

func newCall(run, tool string, p interceptors.Policy) *interceptors.Call {
	return &interceptors.Call{
		Run:      interceptors.RunKey{Principal: "ann", ID: run},
		Tool:     &interceptors.Tool{Name: tool, Policy: p},
		Arrived:  time.Now(),
		Progress: func(*toolgatev1.CallProgress) {},
	}
}

// answer is a back end that takes that long.
func answer(d time.Duration) interceptors.Next {
	return func(ctx context.Context, _ *interceptors.Call) (*interceptors.Outcome, error) {
		select {
		case <-time.After(d):
			return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil
		case <-ctx.Done():
			return nil, interceptors.StatusDone(ctx)
		}
	}
}

func mustNotRun(t *testing.T) interceptors.Next {
	return func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		t.Error("the call was let through")
		return nil, errors.New("let through")
	}
}

func checkBusy(t *testing.T, outcome *interceptors.Outcome, err error) {
	t.Helper()
	e := outcomeError(t, outcome, err)
	if e.GetErrorClass() != interceptors.Transient || e.GetCode() != "busy" || e.GetRetryAfter() <= 0 || e.GetExhausted() || !outcome.Exempt {
		t.Errorf("got %v, want transient busy with a wait, not exhausted", e)
	}
}

func outcomeError(t *testing.T, outcome *interceptors.Outcome, err error) *toolgatev1.ToolError {
	t.Helper()
	if err != nil || outcome == nil || outcome.Error == nil {
		t.Fatalf("got %v, %v, want an error in-band", outcome, err)
	}
	return outcome.Error
}

// checkIdle asserts that nothing is held and no run is remembered.
func checkIdle(t *testing.T, room *Room) {
	t.Helper()
	if n := room.runs.size(); n != 0 {
		t.Errorf("%d runs are still kept", n)
	}
	for name, tool := range *room.tools.tools.Load() {
		if n, w := tool.inFlight.Load(), tool.waiting.Load(); n != 0 || w != 0 {
			t.Errorf("tool %s: %d in flight, %d waiting", name, n, w)
		}
	}
}

func TestTheSizeOfArgumentsIsBounded(t *testing.T) {
	for _, c := range []struct {
		size, limit int
		fits        bool
	}{{100, 100, true}, {101, 100, false}, {0, 100, true}, {1 << 20, 0, true}} {
		call := newCall("r", "t", policy(1, 1, 1))
		call.Tool.Policy.MaxArgumentsBytes = uint32(c.limit)
		call.Text = strings.Repeat("x", c.size)
		next := answer(0)
		if !c.fits {
			next = mustNotRun(t)
		}
		outcome, err := New(nil).handle(context.Background(), call, next)
		if c.fits {
			if err != nil || outcome.Result == nil {
				t.Errorf("%d of %d bytes: got %v, %v", c.size, c.limit, outcome, err)
			}
			continue
		}
		e := outcomeError(t, outcome, err)
		v := e.GetViolations()
		if e.GetErrorClass() != interceptors.InvalidRequest || e.GetCode() != "arguments_too_large" || len(v) != 1 || v[0].GetField() != "" ||
			!strings.Contains(v[0].GetRange(), "100") || !strings.Contains(v[0].GetProblem(), "101") {
			t.Errorf("got %v", e)
		}
		if outcome.Exempt || call.Trace.Answered != "limits" {
			t.Errorf("exempt %v, answered by %q: the model wrote it, so it counts", outcome.Exempt, call.Trace.Answered)
		}
	}
}

func TestCallsBeyondTheLimitAreServedFirstComeFirstServed(t *testing.T) {
	for _, p := range []interceptors.Policy{policy(2, 0, 64), policy(0, 2, 64)} {
		synctest.Test(t, func(t *testing.T) {
			room := New(nil)
			var order []int
			var inFlight, most atomic.Int64
			var calls sync.WaitGroup
			var mu sync.Mutex
			for i := range 12 {
				calls.Go(func() {
					_, err := room.handle(t.Context(), newCall("r", "t", p), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
						if n := inFlight.Add(1); n > most.Load() {
							most.Store(n)
						}
						mu.Lock()
						order = append(order, i)
						mu.Unlock()
						time.Sleep(100 * time.Millisecond)
						inFlight.Add(-1)
						return &interceptors.Outcome{}, nil
					})
					if err != nil {
						t.Error(err)
					}
				})
				time.Sleep(time.Millisecond)
			}
			calls.Wait()
			if most.Load() != 2 {
				t.Errorf("%d were in flight, want 2", most.Load())
			}
			for i, n := range order {
				if i != n {
					t.Fatalf("served in the order %v", order)
				}
			}
			checkIdle(t, room)
		})
	}
}

func TestAFullQueueAnswersBusyAtOnceAndALateTurnInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(1, 0, 1)
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = room.handle(t.Context(), newCall("r", "t", p), answer(time.Minute)) })
		synctest.Wait()
		calls.Go(func() { // waits, and gets no turn
			start := time.Now()
			call := newCall("r", "t", p)
			var phases []toolgatev1.CallProgress_Phase
			call.Progress = func(progress *toolgatev1.CallProgress) { phases = append(phases, progress.GetPhase()) }
			outcome, err := room.handle(t.Context(), call, mustNotRun(t))
			checkBusy(t, outcome, err)
			if took := time.Since(start); took != p.QueueTimeout || call.Trace.Queued != took {
				t.Errorf("took %v, traced %v, want %v", took, call.Trace.Queued, p.QueueTimeout)
			}
			if len(phases) != 1 || phases[0] != toolgatev1.CallProgress_PHASE_QUEUED {
				t.Errorf("progress %v, want queued once", phases)
			}
		})
		synctest.Wait()
		start := time.Now()
		outcome, err := room.handle(t.Context(), newCall("r", "t", p), mustNotRun(t))
		checkBusy(t, outcome, err)
		if took := time.Since(start); took != 0 {
			t.Errorf("a full queue answered after %v", took)
		}
		calls.Wait()
		checkIdle(t, room)
	})
}

func TestWithoutAQueueTheLimitAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(1, 0, 0)
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = room.handle(t.Context(), newCall("r", "t", p), answer(time.Second)) })
		synctest.Wait()
		outcome, err := room.handle(t.Context(), newCall("r", "t", p), mustNotRun(t))
		checkBusy(t, outcome, err)
		calls.Wait()
	})
}

func TestBusyArrivesBeforeTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(1, 0, 4)
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = room.handle(t.Context(), newCall("r", "t", p), answer(time.Minute)) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		outcome, err := room.handle(ctx, newCall("r", "t", p), mustNotRun(t))
		checkBusy(t, outcome, err)
		if took := time.Since(start); took != 950*time.Millisecond {
			t.Errorf("answered after %v of a second", took)
		}
		calls.Wait()
	})
}

func TestACancelledWaiterLeavesItsPlaceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(0, 1, 1)
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = room.handle(t.Context(), newCall("a", "t", p), answer(time.Second)) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		calls.Go(func() {
			if _, err := room.handle(ctx, newCall("b", "t", p), mustNotRun(t)); status.Code(err) != codes.Canceled {
				t.Errorf("got %v, want CANCELLED", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		// The queue has room for one: it is free again.
		outcome, err := room.handle(t.Context(), newCall("c", "t", p), answer(0))
		if err != nil || outcome.Result == nil {
			t.Errorf("got %v, %v, want a result", outcome, err)
		}
		calls.Wait()
		checkIdle(t, room)
	})
}

func TestAHangingToolKeepsNothingFromTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(4, 2, 64)
		ctx, cancel := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		for range 20 { // two hang, the others wait for the tool
			calls.Go(func() { _, _ = room.handle(ctx, newCall("r", "hangs", p), answer(time.Hour)) })
		}
		synctest.Wait()
		start := time.Now()
		for _, other := range []*interceptors.Call{newCall("r", "works", p), newCall("s", "works", p)} {
			outcome, err := room.handle(t.Context(), other, answer(0))
			if err != nil || outcome.Result == nil || time.Since(start) != 0 {
				t.Errorf("run %s: got %v, %v after %v", other.Run.ID, outcome, err, time.Since(start))
			}
		}
		cancel()
		calls.Wait()
		checkIdle(t, room)
	})
}

func TestARunAtItsLimitKeepsNoToolFromOtherRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, p := New(nil), policy(1, 2, 64)
		ctx, cancel := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = room.handle(ctx, newCall("r", "hangs", p), answer(time.Hour)) })
		synctest.Wait()
		for range 10 { // all wait for their run
			calls.Go(func() { _, _ = room.handle(ctx, newCall("r", "works", p), answer(0)) })
		}
		synctest.Wait()
		outcome, err := room.handle(t.Context(), newCall("s", "works", p), answer(0))
		if err != nil || outcome.Result == nil {
			t.Errorf("got %v, %v", outcome, err)
		}
		cancel()
		calls.Wait()
		checkIdle(t, room)
	})
}

func TestNamesThatDoNotExistNeverWaitForOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New(nil)
		var calls sync.WaitGroup
		for i := range 5 {
			calls.Go(func() {
				call := newCall(fmt.Sprint("run", i), "unknown", policy(1, 1, 0))
				call.Tool.Unknown = true
				if outcome, err := room.handle(t.Context(), call, answer(time.Second)); err != nil || outcome.Error != nil {
					t.Errorf("got %v, %v", outcome, err)
				}
			})
		}
		calls.Wait()
	})
}

type purse struct {
	spent atomic.Uint64
	err   error
}

func (p *purse) Spend(context.Context, interceptors.RunKey) (uint64, error) {
	return p.spent.Add(1), p.err
}

func TestARunThatSpentItsCallsIsOver(t *testing.T) {
	money := &purse{}
	room, p := New(money), policy(0, 0, 0)
	p.MaxCallsPerRun = 3
	for i := range 5 {
		outcome, err := room.handle(context.Background(), newCall("r", "t", p), answer(0))
		if i < 3 {
			if err != nil || outcome.Error != nil {
				t.Errorf("call %d: got %v, %v", i, outcome, err)
			}
			continue
		}
		e := outcomeError(t, outcome, err)
		if e.GetErrorClass() != interceptors.Terminal || e.GetCode() != "run_budget" || !outcome.Exempt {
			t.Errorf("call %d: got %v", i, e)
		}
	}
	checkIdle(t, room)
	p.MaxCallsPerRun = 0
	if outcome, _ := room.handle(context.Background(), newCall("r", "t", p), answer(0)); outcome.Error != nil || money.spent.Load() != 5 {
		t.Errorf("got %v and %d spent: the budget is off", outcome, money.spent.Load())
	}
	p.MaxCallsPerRun, money.err = 1, errors.New("gone")
	if outcome, _ := room.handle(context.Background(), newCall("r", "t", p), answer(0)); outcome.Error != nil {
		t.Errorf("got %v: a keeper that can't be asked stops nobody", outcome)
	}
}

func TestAPanicGivesThePlaceBack(t *testing.T) {
	room, p := New(nil), policy(1, 1, 0)
	func() {
		defer func() { _ = recover() }()
		_, _ = room.handle(context.Background(), newCall("r", "t", p), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
			panic("a bug")
		})
	}()
	checkIdle(t, room)
}

func TestNobodyIsOvertakenNotEvenByACallWithAHigherLimit(t *testing.T) {
	var s slots
	s.raise(0)
	s.raise(0)
	low, high := &waiter{limit: 1, turn: 1}, &waiter{limit: 5, turn: 2}
	s.join(low, 9)
	s.join(high, 9)
	if s.take(5) || s.takeAt(5, 3) || high.place == nil {
		t.Error("a call overtook one that waits")
	}
	if how := s.leave(low, waitDone); how != waitDone || high.place != nil || s.inFlight.Load() != 3 {
		t.Errorf("%v: the next was not let in when the first left, %d in flight", how, s.inFlight.Load())
	}
}

func TestTheEstimateGrowsWithTheQueueAndStaysSmall(t *testing.T) {
	var s slots
	if got := s.estimate(4); got != 250*time.Millisecond {
		t.Errorf("nothing known: %v", got)
	}
	s.held(200 * time.Millisecond)
	few := s.estimate(2)
	s.waiting.Store(9)
	many := s.estimate(2)
	s.waiting.Store(1e6)
	if huge := s.estimate(1); few != 100*time.Millisecond || many != time.Second || huge != maxEstimate {
		t.Errorf("got %v, %v, %v", few, many, huge)
	}
}

func TestToolsThatAreGoneAreForgotten(t *testing.T) {
	book := newToolBook()
	busy := book.of("busy")
	busy.raise(0)
	many := maps.Clone(*book.tools.Load())
	for i := range maxTools {
		many[fmt.Sprint("tool", i)] = &slots{}
	}
	book.tools.Store(&many)
	book.of("one more")
	if n := len(*book.tools.Load()); n > maxTools {
		t.Errorf("%d tools are kept", n)
	}
	if book.of("busy") != busy {
		t.Error("a tool with a call inside was forgotten")
	}
}
