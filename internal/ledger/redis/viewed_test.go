package redis

import (
	"context"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/ledgertest"
	"toolgate.dev/toolgate/internal/redistest"
)

// viewed asks every question as a room does: with the view of an rpc that has
// just arrived. What follows the call is written before the next one.
type viewed struct{ *Ledger }

func (l viewed) with(ctx context.Context, run interceptors.RunKey, do func(ctx context.Context)) {
	v := &view{ledger: l.Ledger, names: l.namesOf(run)}
	v.followed.view = v
	changes, term := l.bucket(&v.names).Load(), l.link.term.Load()
	if s, err := l.readNow(ctx, &v.names); err == nil {
		v.adopt(s, term, changes)
	}
	ctx = context.WithValue(ctx, viewKey{l.Ledger}, v)
	do(ctx)
	l.send(v, v.followed.take())
	l.flights.drain(patient)
}

func (l viewed) Snapshot(ctx context.Context, run interceptors.RunKey) (interceptors.Snapshot, error) {
	_, snapshot, err := l.Arrive(ctx, run)
	return snapshot, err
}

func (l viewed) Tally(ctx context.Context, run interceptors.RunKey, tally interceptors.Tally) (err error) {
	l.with(ctx, run, func(ctx context.Context) { err = l.Ledger.Tally(ctx, run, tally) })
	return err
}

func (l viewed) Standing(ctx context.Context, q interceptors.StandingQuery) (standing interceptors.Standing, err error) {
	l.with(ctx, q.Run, func(ctx context.Context) { standing, err = l.Ledger.Standing(ctx, q) })
	return standing, err
}

func (l viewed) Reject(ctx context.Context, r interceptors.Rejection) (count uint32, err error) {
	l.with(ctx, r.Run, func(ctx context.Context) { count, err = l.Ledger.Reject(ctx, r) })
	return count, err
}

func (l viewed) TakeOffer(ctx context.Context, run interceptors.RunKey, offer interceptors.Offer) (taken bool, err error) {
	l.with(ctx, run, func(ctx context.Context) { taken, err = l.Ledger.TakeOffer(ctx, run, offer) })
	return taken, err
}

func (l viewed) Forgive(ctx context.Context, run interceptors.RunKey, tool string) (err error) {
	l.with(ctx, run, func(ctx context.Context) { err = l.Ledger.Forgive(ctx, run, tool) })
	return err
}

func (l viewed) Recall(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (m *interceptors.Memory, err error) {
	l.with(ctx, run, func(ctx context.Context) { m, err = l.Ledger.Recall(ctx, run, key) })
	return m, err
}

func (l viewed) Unblock(ctx context.Context, run interceptors.RunKey, tool string, reads bool) (err error) {
	l.with(ctx, run, func(ctx context.Context) { err = l.Ledger.Unblock(ctx, run, tool, reads) })
	return err
}

func (l viewed) Unknowns(ctx context.Context, run interceptors.RunKey, tools []string) (unknowns []interceptors.Unknown, err error) {
	l.with(ctx, run, func(ctx context.Context) { unknowns, err = l.Ledger.Unknowns(ctx, run, tools) })
	return unknowns, err
}

func (l viewed) Held(ctx context.Context, run interceptors.RunKey, keys []interceptors.Key) (held []bool, err error) {
	l.with(ctx, run, func(ctx context.Context) { held, err = l.Ledger.Held(ctx, run, keys) })
	return held, err
}

func (l viewed) TakeKey(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (kept string, err error) {
	l.with(ctx, run, func(ctx context.Context) { kept, err = l.Ledger.TakeKey(ctx, run, key) })
	return kept, err
}

func (l viewed) Claim(ctx context.Context, run interceptors.RunKey, callID string, same interceptors.Key, fresh bool) (claim interceptors.Claim, err error) {
	l.with(ctx, run, func(ctx context.Context) { claim, err = l.Ledger.Claim(ctx, run, callID, same, fresh) })
	return claim, err
}

func (l viewed) SettleClaim(ctx context.Context, run interceptors.RunKey, callID string, response *toolgatev1.CallToolResponse) (err error) {
	l.with(ctx, run, func(ctx context.Context) { err = l.Ledger.SettleClaim(ctx, run, callID, response) })
	return err
}

func (l viewed) ReleaseClaim(ctx context.Context, run interceptors.RunKey, callID string) (err error) {
	l.with(ctx, run, func(ctx context.Context) { err = l.Ledger.ReleaseClaim(ctx, run, callID) })
	return err
}

func TestTheKeeperHoldsTheContractAskedOncePerRPC(t *testing.T) {
	long(t)
	server := redistest.Start(t, redistest.MovableClock)
	var l *Ledger
	ledgertest.Run(t, ledgertest.Keeper{
		Open: func(t *testing.T) interceptors.Ledger {
			server.Do("FLUSHALL")
			l = open(t, server.URL)
			return viewed{l}
		},
		Wait: func(d time.Duration) { pass(l, server.Clock(), d) },
	})
	if absences := l.Health().Absences; absences > 0 {
		t.Errorf("the server was lost %d times", absences)
	}
}
