package redis

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/ledgertest"
	"toolgate.dev/toolgate/internal/redistest"
)

// restarted kills its server before one of its first questions, and starts it
// again.
type restarted struct {
	*Ledger
	server    *redistest.Server
	questions *atomic.Int32
	quiet     *sync.RWMutex // held while it restarts: nobody asks just then
}

func (r restarted) ask() (done func()) {
	if r.questions.Add(-1) == 0 {
		r.quiet.Lock()
		defer r.quiet.Unlock()
		r.server.Kill()
		r.server.Restart()
		for r.Health().Absences == 0 || !r.Connected() { // the next question would notice
			_, _ = r.Ledger.Snapshot(context.Background(), interceptors.RunKey{ID: "look"})
		}
		return func() {}
	}
	r.quiet.RLock()
	return r.quiet.RUnlock
}

func (r restarted) Snapshot(ctx context.Context, run interceptors.RunKey) (interceptors.Snapshot, error) {
	defer r.ask()()
	return r.Ledger.Snapshot(ctx, run)
}

func (r restarted) Standing(ctx context.Context, q interceptors.StandingQuery) (interceptors.Standing, error) {
	defer r.ask()()
	return r.Ledger.Standing(ctx, q)
}

func (r restarted) Recall(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (*interceptors.Memory, error) {
	defer r.ask()()
	return r.Ledger.Recall(ctx, run, key)
}

func (r restarted) Claim(ctx context.Context, run interceptors.RunKey, callID string, same interceptors.Key, fresh bool) (interceptors.Claim, error) {
	defer r.ask()()
	return r.Ledger.Claim(ctx, run, callID, same, fresh)
}

func (r restarted) SettleClaim(ctx context.Context, run interceptors.RunKey, callID string, response *toolgatev1.CallToolResponse) error {
	defer r.ask()()
	return r.Ledger.SettleClaim(ctx, run, callID, response)
}

func (r restarted) Spend(ctx context.Context, run interceptors.RunKey) (uint64, error) {
	defer r.ask()()
	return r.Ledger.Spend(ctx, run)
}

func TestTheContractHoldsOnAServerThatIsRestartedInItsMiddle(t *testing.T) {
	long(t)
	server := redistest.Start(t, redistest.MovableClock, redistest.AppendOnly)
	var l *Ledger
	trial := int32(0)
	ledgertest.Run(t, ledgertest.Keeper{
		Open: func(t *testing.T) interceptors.Ledger {
			server.Do("FLUSHALL")
			l = open(t, server.URL, WithLease(time.Hour)) // no tick in between: it might notice
			l.tail = 0                                    // the clock jumps over the ends of what would be told anew
			trial++
			questions := &atomic.Int32{}
			questions.Store(2 + trial%4)
			return restarted{l, server, questions, &sync.RWMutex{}}
		},
		Wait: func(d time.Duration) { pass(l, server.Clock(), d) },
	})
}
