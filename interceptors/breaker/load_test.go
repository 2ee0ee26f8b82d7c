package breaker

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// Whatever an upstream does, every call is answered, nobody is left in a queue,
// no place is lost, and when the upstream is well again calls get through.
func TestNoPlaceIsEverLost(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			dice := rand.New(rand.NewPCG(seed, 3))
			roll := func(n int) int { mu.Lock(); defer mu.Unlock(); return dice.IntN(n) }
			room := New()
			ill := func(ctx context.Context, _ *interceptors.Call) (*interceptors.Outcome, error) {
				select {
				case <-time.After(time.Duration(roll(2000)) * time.Millisecond):
				case <-ctx.Done():
					return nil, interceptors.StatusDone(ctx)
				}
				switch roll(8) {
				case 0:
					panic("a bug")
				case 1:
					return nil, interceptors.StatusInternal(nil)
				default:
					lines := []func() *interceptors.Outcome{result, semantic, toolDown, upstreamDown, limited, bare500,
						func() *interceptors.Outcome { return account(hinted(float64(roll(90)))) }}
					return lines[roll(len(lines))](), nil
				}
			}
			var calls sync.WaitGroup
			for range 300 {
				calls.Go(func() {
					defer func() { _ = recover() }()
					time.Sleep(time.Duration(roll(120000)) * time.Millisecond)
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+roll(4000))*time.Millisecond)
					defer cancel()
					got, err := room.handle(ctx, newCall("u", string(rune('a'+roll(3)))), ill)
					if (got == nil) == (err == nil) {
						t.Errorf("got %v and %v", got, err)
					}
				})
			}
			calls.Wait()
			for k, e := range room.book.all() {
				if e.gate.flight < 0 || e.gate.queue.Len() != 0 {
					t.Errorf("%v: %d in flight, %d waiting", k, e.gate.flight, e.gate.queue.Len())
				}
			}
			time.Sleep(2 * time.Minute)
			for range 5 {
				for _, tool := range []string{"a", "b", "c"} {
					checkPassed(t, sendTo(t, room, newCall("u", tool), result()))
				}
			}
		})
	}
}
