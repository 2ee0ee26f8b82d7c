package breaker

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

func TestHalfOpenLetsOneProbeGoAndItDecides(t *testing.T) {
	for name, c := range map[string]struct {
		probe    *interceptors.Outcome
		reopened bool
	}{"good": {result(), false}, "semantic": {semantic(), false}, "bad": {toolDown(), true}, "not even reached": {upstreamDown(), true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				room := New()
				open(t, room)
				time.Sleep(30 * time.Second)
				probe := make(chan struct{})
				var calls sync.WaitGroup
				calls.Go(func() {
					_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
						<-probe
						return c.probe, nil
					})
				})
				synctest.Wait()
				checkRefused(t, send(t, room, result()), interceptors.HoldOpen, time.Second) // while it is out
				close(probe)
				calls.Wait()
				if got := send(t, room, result()); got.Verdict.Refused != c.reopened {
					t.Errorf("refused %v, want %v", got.Verdict.Refused, c.reopened)
				}
			})
		})
	}
}

func TestAProbeThatDecidesNothingGivesItsPlaceBack(t *testing.T) {
	cancelled := func(ctx context.Context, _ *interceptors.Call) (*interceptors.Outcome, error) {
		return nil, interceptors.StatusInternal(nil)
	}
	ends := map[string]interceptors.Next{
		"a status":   cancelled,
		"a limit":    answering(hinted(0)),
		"a bare 500": answering(bare500()),
		"a panic":    func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { panic("a bug") },
		"the caller": nil, // goes away meanwhile
		"it goes on": nil,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				room := New()
				open(t, room)
				time.Sleep(30 * time.Second)
				func() {
					defer func() { _ = recover() }()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if name == "the caller" {
						_, _ = room.handle(ctx, newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
							cancel()
							return timedOut(), nil
						})
						return
					}
					if end == nil { // a back end that ignores everything
						go func() {
							_, _ = room.handle(ctx, newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
								time.Sleep(time.Hour)
								return toolDown(), nil
							})
						}()
						time.Sleep(21 * time.Second)
						return
					}
					_, _ = room.handle(ctx, newCall("u", "t"), end)
				}()
				checkPassed(t, send(t, room, result())) // the next probe
				checkPassed(t, send(t, room, result()))
				time.Sleep(2 * time.Hour) // late news of the first changes nothing
				checkPassed(t, send(t, room, result()))
			})
		})
	}
}

func TestTimeoutsByTheCallersDeadlineDoNotCount(t *testing.T) {
	for _, c := range []struct {
		cause error
		open  bool
	}{{interceptors.ErrAttemptTimeout, true}, {interceptors.ErrCallNearsEnd, false}, {nil, false}} {
		synctest.Test(t, func(t *testing.T) {
			room := New()
			for range 6 {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, c.cause)
				_, _ = room.handle(ctx, newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					<-ctx.Done()
					return timedOut(), nil
				})
				cancel()
			}
			if got := send(t, room, result()); got.Verdict.Refused != c.open {
				t.Errorf("cause %v: open %v", c.cause, got.Verdict.Refused)
			}
		})
	}
}

func TestLateNewsFromBeforeTheCircuitChangedDoesNotMoveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := New()
		slow := make(chan *interceptors.Outcome)
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() {
				_, _ = room.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					return <-slow, nil
				})
			})
		}
		synctest.Wait()
		open(t, room)
		slow <- result()
		synctest.Wait()
		checkRefused(t, send(t, room, result()), interceptors.HoldOpen, 30*time.Second)
		time.Sleep(30 * time.Second)
		checkPassed(t, send(t, room, result()))
		slow <- toolDown()
		calls.Wait()
		for range 4 { // the late failure is none of these five
			checkPassed(t, send(t, room, toolDown()))
		}
		checkPassed(t, send(t, room, result()))
	})
}
