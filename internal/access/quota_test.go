package access

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func TestACallerGetsItsBurstAndThenItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Quotas
		limits := Limits{PerSecond: 2, Burst: 3}
		enter := func(n int64, want Over, wantWait time.Duration) {
			t.Helper()
			if _, over, wait := q.Enter("ann", limits, n); over != want || wait != wantWait {
				t.Errorf("%d at once: %v for %s, want %v for %s", n, over, wait, want, wantWait)
			}
		}
		for range 3 {
			enter(1, OverNothing, 0)
		}
		enter(1, OverRate, 500*time.Millisecond)
		if _, over, _ := q.Enter("bob", limits, 1); over != OverNothing {
			t.Error("another caller is held back, too")
		}
		time.Sleep(500 * time.Millisecond)
		enter(1, OverNothing, 0)
		time.Sleep(time.Hour)
		enter(2, OverNothing, 0)
		enter(2, OverRate, 500*time.Millisecond)
		time.Sleep(time.Hour)
		enter(10, OverNothing, 0) // a batch that never fits waits afterwards
		enter(1, OverRate, 4*time.Second)
	})
}

func TestACallerHasSoManyRequestsInFlight(t *testing.T) {
	var q Quotas
	limits := Limits{InFlight: 2}
	leaveOne, _, _ := q.Enter("ann", limits, 1)
	leaveTwo, _, _ := q.Enter("ann", limits, 1)
	if _, over, wait := q.Enter("ann", limits, 1); over != OverInFlight || wait <= 0 {
		t.Errorf("a third: %v, %s", over, wait)
	}
	leaveOne()
	if _, over, _ := q.Enter("ann", limits, 5); over != OverInFlight {
		t.Error("a large batch enters beside others")
	}
	leaveTwo()
	leaveAll, over, _ := q.Enter("ann", limits, 5)
	if over != OverNothing {
		t.Fatal("a batch larger than the bound never enters")
	}
	if _, over, _ := q.Enter("ann", limits, 1); over != OverInFlight {
		t.Error("another enters beside a large batch")
	}
	leaveAll()
	for range 100 { // nothing is kept by mistake
		leave, over, _ := q.Enter("ann", limits, 1)
		if over != OverNothing {
			t.Fatal("places are lost")
		}
		leave()
	}
}

func TestCallersAtRestAreForgottenAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Quotas
		limits := Limits{PerSecond: 1, Burst: 1, InFlight: 4}
		stay, _, _ := q.Enter("stays", limits, 1)
		for i := range 10 * minSweep {
			leave, over, _ := q.Enter(fmt.Sprint("p", i), limits, 1)
			if over != OverNothing {
				t.Fatal(over)
			}
			leave()
			if i%minSweep == 0 {
				time.Sleep(2 * time.Second)
			}
		}
		if n := len(q.of); n > 4*minSweep {
			t.Errorf("%d callers are remembered", n)
		}
		if _, known := q.of["stays"]; !known {
			t.Error("one with a request in flight is forgotten")
		}
		stay()
	})
}

// Over any time a caller gets no more than its burst and what its rate gave.
func TestNobodyGetsMoreThanItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(7, 9))
		for range 200 {
			limits := Limits{PerSecond: 0.1 + 20*random.Float64(), Burst: float64(1 + random.IntN(10))}
			var q Quotas
			got, start := 0.0, time.Now()
			for range 200 {
				if _, over, wait := q.Enter("ann", limits, 1); over == OverNothing {
					got++
				} else if random.IntN(2) == 0 {
					time.Sleep(wait + time.Nanosecond)
					if _, over, _ := q.Enter("ann", limits, 1); over != OverNothing {
						t.Fatalf("after the wait that was said it is refused again: %+v", limits)
					}
					got++
				}
				time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			}
			if most := limits.Burst + limits.PerSecond*time.Since(start).Seconds() + 1; got > most {
				t.Fatalf("%v requests of %v at most by %+v", got, most, limits)
			}
		}
	})
}
