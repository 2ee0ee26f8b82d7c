package limits

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// Whatever callers do, no limit is ever exceeded, everybody gets exactly one
// answer, and nothing is held in the end.
func TestLimitsHoldUnderAnyLoad(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			room, p := New(nil), policy(3, 4, 6)
			var perRun, perTool [4]atomic.Int64
			var answered atomic.Int64
			var calls sync.WaitGroup
			const total = 200
			for range total {
				run, tool := dice.IntN(4), dice.IntN(4)
				works, patience := time.Duration(dice.IntN(500))*time.Millisecond, time.Duration(dice.IntN(3000))*time.Millisecond
				calls.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					outcome, err := room.handle(ctx, newCall(fmt.Sprint(run), fmt.Sprint(tool), p), func(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
						if perRun[run].Add(1) > 3 || perTool[tool].Add(1) > 4 {
							t.Error("a limit was exceeded")
						}
						defer func() { perRun[run].Add(-1); perTool[tool].Add(-1) }()
						return answer(works)(ctx, call)
					})
					if (outcome == nil) == (err == nil) {
						t.Errorf("got %v and %v", outcome, err)
					}
					answered.Add(1)
				})
				time.Sleep(time.Duration(dice.IntN(40)) * time.Millisecond)
			}
			calls.Wait()
			if answered.Load() != total {
				t.Errorf("%d of %d calls were answered", answered.Load(), total)
			}
			checkIdle(t, room)
		})
	}
}

func BenchmarkAFreePlace(b *testing.B) {
	room, call := New(nil), newCall("r", "t", interceptors.DefaultPolicy())
	outcome := &interceptors.Outcome{}
	next := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return outcome, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room.handle(context.Background(), call, next)
	}
}
