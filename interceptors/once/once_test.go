package once_test

import (
	"context"
	"errors"
	"fmt"
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
	"toolgate.dev/toolgate/interceptors/once"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

var (
	write = &interceptors.Tool{
		Name: "pay", Effect: toolgatev1.Effect_EFFECT_WRITE, Verification: &interceptors.Verification{Tool: "get_payment"},
	}
	read = &interceptors.Tool{Name: "list", Effect: toolgatev1.Effect_EFFECT_READ}
)

// house is the room before a scripted tool.
type house struct {
	*testing.T
	chain interceptors.Next
	runs  atomic.Int32
	// tool answers; n counts from 1.
	tool func(ctx context.Context, n int32) (*interceptors.Outcome, error)
}

func newHouse(t *testing.T, ledger interceptors.ClaimBook) *house {
	t.Helper()
	h := &house{T: t}
	h.tool = func(_ context.Context, n int32) (*interceptors.Outcome, error) { return result(fmt.Sprint(n)), nil }
	h.chain = interceptors.Chain(func(ctx context.Context, _ *interceptors.Call) (*interceptors.Outcome, error) {
		return h.tool(ctx, h.runs.Add(1))
	}, once.New(ledger).Interceptor())
	return h
}

func (h *house) call(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
	return h.chain(ctx, call)
}

func (h *house) send(call *interceptors.Call) *interceptors.Outcome {
	h.Helper()
	outcome, err := h.call(h.Context(), call)
	if err != nil {
		h.Error(err)
		return &interceptors.Outcome{}
	}
	return outcome
}

// start sends a call that runs beside the test; it is under way on return, and
// has ended when the function returned does.
func (h *house) start(call *interceptors.Call) (wait func()) {
	var wg sync.WaitGroup
	wg.Go(func() { h.send(call) })
	synctest.Wait()
	return wg.Wait
}

func (h *house) wantRuns(want int32) {
	h.Helper()
	if got := h.runs.Load(); got != want {
		h.Errorf("the tool ran %d times, want %d", got, want)
	}
}

func callOf(tool *interceptors.Tool, id, text string) *interceptors.Call {
	return &interceptors.Call{
		Run: interceptors.RunKey{Principal: "ann", ID: "run"}, ID: id, Name: tool.Name, Text: text, Tool: tool, CorrelationID: "c-" + id,
	}
}

func result(text string) *interceptors.Outcome {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: text, Attempts: 1}}
}

func failure(class toolgatev1.ErrorClass) *interceptors.Outcome {
	return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: class, Code: "taken", Attempts: 1}}
}

func wantCode(t *testing.T, outcome *interceptors.Outcome, code string) {
	t.Helper()
	if got := outcome.Error.GetCode(); got != code {
		t.Errorf("got %q (%v), want %q", got, outcome, code)
	}
}

func TestWithoutAnIDEveryMessageIsACallOfItsOwn(t *testing.T) {
	h := newHouse(t, memory.New())
	h.send(callOf(write, "", `{}`))
	h.send(callOf(write, "", `{}`))
	h.wantRuns(2)
}

func TestAResendGetsTheFinalOutcome(t *testing.T) {
	for name, outcome := range map[string]*interceptors.Outcome{
		"a result": result(`{"id":1}`), "invalid_request": failure(interceptors.InvalidRequest),
		"terminal": failure(interceptors.Terminal), "unclassified": failure(0),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.tool = func(context.Context, int32) (*interceptors.Outcome, error) { return outcome, nil }
			first, call := h.send(callOf(write, "1", `{}`)), callOf(write, "1", `{}`)
			again := h.send(call)
			h.wantRuns(1)
			if first.Response().String() != again.Response().String() {
				t.Errorf("first %v, then %v", first.Response(), again.Response())
			}
			if again.Error != nil && again.Error.GetCorrelationId() != "c-1" {
				t.Error("the outcome does not lead to the call that had it")
			}
			if call.Trace.Answered != "once" {
				t.Error("nobody is noted as having answered")
			}
		})
	}
}

func TestWhatIsNotFinalIsDispatchedAnew(t *testing.T) {
	transient := failure(interceptors.Transient)
	remembered := failure(interceptors.Terminal)
	remembered.FromMemory = true
	for name, outcome := range map[string]*interceptors.Outcome{"transient": transient, "from memory": remembered} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.tool = func(_ context.Context, n int32) (*interceptors.Outcome, error) {
				if n == 1 {
					return outcome, nil
				}
				return result("{}"), nil
			}
			h.send(callOf(write, "1", `{}`))
			if again := h.send(callOf(write, "1", `{}`)); again.Error != nil {
				t.Errorf("got %v", again.Error)
			}
			h.wantRuns(2)
		})
	}
}

func TestAnIDOfAnotherCallIsTheRuntimesFault(t *testing.T) {
	for name, other := range map[string]*interceptors.Call{
		"other arguments": callOf(write, "1", `{ }`), "another tool": callOf(read, "1", `{}`),
		"a shifted border": func() *interceptors.Call { c := callOf(write, "1", `y{}`); c.Name = "pa"; return c }(),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.send(callOf(write, "1", `{}`))
			_, err := h.call(t.Context(), other)
			if status.Code(err) != codes.InvalidArgument {
				t.Errorf("got %v", err)
			}
			other.Batch = true
			wantCode(t, h.send(other), interceptors.CodeCallIDReused)
			h.wantRuns(1)
		})
	}
}

func TestAnIDOfARunningCallIsTheRuntimesFaultToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.slow(time.Second)
		defer h.start(callOf(write, "1", `{}`))()
		if _, err := h.call(t.Context(), callOf(write, "1", `{"a":1}`)); status.Code(err) != codes.InvalidArgument {
			t.Errorf("got %v", err)
		}
	})
}

// slow has the tool take its time, or end with its context.
func (h *house) slow(d time.Duration) {
	h.tool = func(ctx context.Context, n int32) (*interceptors.Outcome, error) {
		select {
		case <-time.After(d):
			return result(fmt.Sprint(n)), nil
		case <-ctx.Done():
			return nil, interceptors.StatusDone(ctx)
		}
	}
}

func TestAPanicReachesTheFirstAndIsToldToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.tool = func(context.Context, int32) (*interceptors.Outcome, error) {
			time.Sleep(time.Second)
			panic("broken")
		}
		caught := make(chan any, 1)
		go func() {
			defer func() { caught <- recover() }()
			_, _ = h.call(t.Context(), callOf(write, "1", `{}`))
		}()
		synctest.Wait()
		wantCode(t, h.send(callOf(write, "1", `{}`)), interceptors.CodeInternal)
		if got := <-caught; got != "broken" {
			t.Errorf("the first caller saw %v", got)
		}
		// How far it came is not known.
		after := h.send(callOf(write, "1", `{}`))
		wantCode(t, after, interceptors.CodeOutcomeUnknown)
		if e := after.Error; !e.GetMaybeExecuted() || e.GetBlockedBy() != "unknown_outcome" || e.GetUnblockWith() != "get_payment" {
			t.Errorf("got %v", e)
		}
		h.wantRuns(1)
	})
}

func TestAReadThatBrokeDownRunsAgain(t *testing.T) {
	h := newHouse(t, memory.New())
	h.tool = func(_ context.Context, n int32) (*interceptors.Outcome, error) {
		if n == 1 {
			return nil, interceptors.StatusInternal(errors.New("broken"))
		}
		return result("{}"), nil
	}
	_, err := h.call(t.Context(), callOf(read, "1", `{}`))
	if status.Code(err) != codes.Internal {
		t.Errorf("got %v", err)
	}
	if again := h.send(callOf(read, "1", `{}`)); again.Result == nil {
		t.Errorf("got %v", again)
	}
	h.send(callOf(read, "1", `{}`))
	h.wantRuns(2)
}

func TestAWriteThatBrokeDownIsNotRunAgain(t *testing.T) {
	h := newHouse(t, memory.New())
	h.tool = func(context.Context, int32) (*interceptors.Outcome, error) {
		return nil, interceptors.StatusInternal(errors.New("broken"))
	}
	_, err := h.call(t.Context(), callOf(write, "1", `{}`))
	if status.Code(err) != codes.Internal {
		t.Errorf("got %v", err)
	}
	wantCode(t, h.send(callOf(write, "1", `{}`)), interceptors.CodeOutcomeUnknown)
	h.wantRuns(1)
}

func TestAFreshCallerIsNotToldWhatWasKeptForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &elsewhere{ClaimBook: memory.New(), claim: func(fresh bool) (interceptors.Claim, error) {
			time.Sleep(time.Second)
			if fresh {
				return interceptors.Claim{State: interceptors.ClaimTaken}, nil
			}
			return interceptors.Claim{State: interceptors.ClaimSettled, Response: result("kept").Response()}, nil
		}})
		defer h.start(callOf(write, "1", `{}`))()
		fresh := callOf(write, "1", `{}`)
		fresh.Fresh = true
		if got := h.send(fresh); got.Result.GetStructuredJson() != "1" {
			t.Errorf("got %v", got)
		}
	})
}

// strict is a ledger that listens to its context.
type strict struct{ interceptors.ClaimBook }

func (s strict) SettleClaim(ctx context.Context, run interceptors.RunKey, id string, response *toolgatev1.CallToolResponse) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.ClaimBook.SettleClaim(ctx, run, id, response)
}

func TestAnOutcomeIsKeptWhoeverHasLeft(t *testing.T) {
	h := newHouse(t, strict{memory.New()})
	ctx, leave := context.WithCancel(t.Context())
	h.tool = func(ctx context.Context, _ int32) (*interceptors.Outcome, error) {
		leave()
		<-ctx.Done()
		return failure(interceptors.Terminal), nil // it was sent, and nobody knows
	}
	_, _ = h.call(ctx, callOf(write, "1", `{}`))
	wantCode(t, h.send(callOf(write, "1", `{}`)), "taken")
	h.wantRuns(1)
}

func TestAResultTooLargeToKeep(t *testing.T) {
	large := func(context.Context, int32) (*interceptors.Outcome, error) {
		return result(strings.Repeat("x", 300<<10)), nil
	}
	t.Run("of a write is not repeated", func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.tool = large
		h.send(callOf(write, "1", `{}`))
		wantCode(t, h.send(callOf(write, "1", `{}`)), interceptors.CodeAlreadyExecuted)
		h.wantRuns(1)
	})
	t.Run("of a read runs again", func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.tool = large
		h.send(callOf(read, "1", `{}`))
		if again := h.send(callOf(read, "1", `{}`)); again.Result == nil {
			t.Errorf("got %v", again)
		}
		h.wantRuns(2)
	})
}

func TestFreshReplacesAnOutcomeAndJoinsARunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.slow(time.Second)
		fresh := func() *interceptors.Call {
			c := callOf(write, "1", `{}`)
			c.Fresh = true
			return c
		}
		h.send(callOf(write, "1", `{}`))
		if got := h.send(fresh()); got.Result.GetStructuredJson() != "2" {
			t.Errorf("a settled outcome was not replaced: %v", got)
		}
		defer h.start(fresh())()
		if got := h.send(fresh()); got.Result.GetStructuredJson() != "3" {
			t.Errorf("a running call was not joined: %v", got)
		}
		h.wantRuns(3)
	})
}

// elsewhere is a ledger whose claims may be another process's.
type elsewhere struct {
	interceptors.ClaimBook
	claim func(fresh bool) (interceptors.Claim, error)
}

func (e *elsewhere) Claim(_ context.Context, _ interceptors.RunKey, _ string, _ interceptors.Key, fresh bool) (interceptors.Claim, error) {
	return e.claim(fresh)
}

func TestACallThatRunsInAnotherProcessIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := newHouse(t, &elsewhere{claim: func(bool) (interceptors.Claim, error) {
			if time.Since(start) < 5*time.Second {
				return interceptors.Claim{State: interceptors.ClaimRunning}, nil
			}
			return interceptors.Claim{State: interceptors.ClaimSettled, Response: result("theirs").Response()}, nil
		}})
		if got := h.send(callOf(write, "1", `{}`)); got.Result.GetStructuredJson() != "theirs" {
			t.Errorf("got %v", got)
		}
		h.wantRuns(0)
		start = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := h.call(ctx, callOf(write, "1", `{}`)); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
	})
}

func TestWithoutALedgerCallsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &elsewhere{claim: func(bool) (interceptors.Claim, error) {
			return interceptors.Claim{}, errors.New("gone")
		}})
		h.slow(time.Second)
		defer h.start(callOf(write, "1", `{}`))()
		h.send(callOf(write, "1", `{}`)) // joins
		h.wantRuns(1)
		h.send(callOf(write, "1", `{}`))
		h.wantRuns(2)
	})
}

func TestACallThatIsCancelledBeforeItRanLeavesItsIDFree(t *testing.T) {
	h := newHouse(t, memory.New())
	h.slow(0)
	h.tool = func(ctx context.Context, _ int32) (*interceptors.Outcome, error) {
		if ctx.Err() != nil {
			return nil, interceptors.StatusDone(ctx)
		}
		return result("{}"), nil
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, _ = h.call(gone, callOf(write, "1", `{}`))
	if again := h.send(callOf(write, "1", `{}`)); again.Result == nil {
		t.Errorf("got %v", again)
	}
}
