package once_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func TestResendsJoinTheRunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.slow(time.Second)
		outcomes := make([]*interceptors.Outcome, 20)
		var wg sync.WaitGroup
		for i := range outcomes {
			wg.Go(func() {
				outcomes[i] = h.send(callOf(write, "1", `{}`))
				outcomes[i].Result.StructuredJson += "changed by its caller"
			})
		}
		wg.Wait()
		h.wantRuns(1)
		for _, o := range outcomes {
			if o.Result.GetStructuredJson() != "1changed by its caller" {
				t.Errorf("got %q: outcomes are shared", o.Result.GetStructuredJson())
			}
		}
	})
}

func TestARunningCallOutlivesItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.slow(10 * time.Second)
		impatient, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		go func() { _, _ = h.call(impatient, callOf(write, "1", `{}`)) }()
		synctest.Wait()
		start := time.Now()
		outcome := h.send(callOf(write, "1", `{}`))
		if outcome.Result.GetStructuredJson() != "1" || time.Since(start) != 10*time.Second {
			t.Errorf("got %v after %s", outcome, time.Since(start))
		}
	})
}

func TestARunningCallEndsWithItsLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		ended := make(chan time.Duration, 1)
		start := time.Now()
		h.tool = func(ctx context.Context, _ int32) (*interceptors.Outcome, error) {
			child, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			<-child.Done()
			ended <- time.Since(start)
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("it ended by %v", ctx.Err())
			}
			return nil, interceptors.StatusDone(ctx)
		}
		for _, patience := range []time.Duration{2 * time.Second, 5 * time.Second, time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			go func() {
				_, err := h.call(ctx, callOf(write, "1", `{}`))
				if status.Code(err) != codes.DeadlineExceeded {
					t.Errorf("got %v", err)
				}
			}()
			synctest.Wait()
		}
		if got := <-ended; got != 5*time.Second {
			t.Errorf("it ended after %s, want with the latest deadline", got)
		}
		synctest.Wait()
		h.tool = func(context.Context, int32) (*interceptors.Outcome, error) { return result("again"), nil }
		if again := h.send(callOf(write, "1", `{}`)); again.Result.GetStructuredJson() != "again" {
			t.Errorf("the id is not free again: %v", again)
		}
	})
}

func TestTheDeadlineIsTheLatestWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		var running context.Context
		h.tool = func(ctx context.Context, _ int32) (*interceptors.Outcome, error) {
			running = ctx
			time.Sleep(time.Second)
			return result("{}"), nil
		}
		type tag struct{}
		start := time.Now()
		deadline := func() string {
			synctest.Wait()
			at, ok := running.Deadline()
			if !ok {
				return "none"
			}
			return at.Sub(start).String()
		}
		join := func(ctx context.Context, timeout time.Duration) context.CancelFunc {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			go func() { _, _ = h.call(ctx, callOf(write, "1", `{}`)) }()
			return cancel
		}
		defer join(context.WithValue(t.Context(), tag{}, "first"), 10*time.Second)()
		if got := deadline(); got != "10s" {
			t.Errorf("alone: %s", got)
		}
		leave := join(t.Context(), 30*time.Second)
		if got := deadline(); got != "30s" {
			t.Errorf("with a patient one: %s", got)
		}
		defer join(t.Context(), 20*time.Second)()
		if got := deadline(); got != "30s" {
			t.Errorf("with one between: %s", got)
		}
		leave()
		if got := deadline(); got != "20s" {
			t.Errorf("when the patient one left: %s", got)
		}
		go func() { _, _ = h.call(t.Context(), callOf(write, "1", `{}`)) }()
		if got := deadline(); got != "none" {
			t.Errorf("with one that would wait for ever: %s", got)
		}
		if running.Value(tag{}) != "first" {
			t.Error("the values are not the first caller's")
		}
		time.Sleep(2 * time.Second)
	})
}

func TestACallerWhoLeavesIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.slow(time.Minute)
		defer h.start(callOf(write, "1", `{}`))()
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		start := time.Now()
		_, err := h.call(ctx, callOf(write, "1", `{}`))
		if status.Code(err) != codes.Canceled || time.Since(start) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

// Every caller of an id gets one outcome, whoever comes and goes, and no two runs
// of one id overlap.
func TestCallersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		var flying atomic.Int32
		h.tool = func(ctx context.Context, _ int32) (*interceptors.Outcome, error) {
			if flying.Add(1) > 1 {
				t.Error("two runs of one id overlap")
			}
			defer flying.Add(-1)
			select {
			case <-time.After(7 * time.Millisecond):
				return failure(interceptors.Transient), nil
			case <-ctx.Done():
				return nil, interceptors.StatusDone(ctx)
			}
		}
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				time.Sleep(time.Duration(i%97) * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%13)*time.Millisecond)
				defer cancel()
				outcome, err := h.call(ctx, callOf(write, "1", `{}`))
				if (outcome == nil) == (err == nil) {
					t.Errorf("got %v and %v", outcome, err)
				}
			})
		}
		wg.Wait()
	})
}
