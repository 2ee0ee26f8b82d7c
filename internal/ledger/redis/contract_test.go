package redis

import (
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/ledgertest"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

// patient is for tests of what is right, not of what is quick: the machine may
// be busy.
const patient = 20 * time.Second

func open(t *testing.T, url string, options ...Option) *Ledger {
	t.Helper()
	l, err := Open(url, memory.New(), append([]Option{WithWait(patient)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// long marks a test that takes seconds.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// pass moves the server's clock as time passes: step by step, with the leases
// renewed in between.
func pass(l *Ledger, clock *redistest.Clock, d time.Duration) {
	for last := time.Now(); d > 0; {
		step := min(d, l.lease/leaseShare)
		clock.Move(step)
		l.renew(time.Now())
		d -= step + time.Since(last) // time passes by itself, too
		last = time.Now()
	}
	clock.Move(50 * time.Millisecond) // behind the moment, not at it
}

func TestTheKeeperHoldsTheContract(t *testing.T) {
	server := redistest.Start(t, redistest.MovableClock)
	var l *Ledger
	ledgertest.Run(t, ledgertest.Keeper{
		Open: func(t *testing.T) interceptors.Ledger {
			server.Do("FLUSHALL")
			l = open(t, server.URL)
			return l
		},
		Wait: func(d time.Duration) { pass(l, server.Clock(), d) },
	})
	if absences := l.Health().Absences; absences > 0 {
		t.Errorf("the server was lost %d times", absences)
	}
}
