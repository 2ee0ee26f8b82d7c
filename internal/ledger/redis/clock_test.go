package redis

import (
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/redistest"
)

// The server's clock is set back, as it may be: what stands goes on, in its order.
func TestAClockThatJumpsBackLosesNothing(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	rejected := func(l *Ledger, want uint32) {
		t.Helper()
		if n, err := p.reject(l, p.snapshot(l)); n != want || err != nil {
			t.Errorf("the count is %d, %v, want %d", n, err, want)
		}
	}
	p.run(p.one, "id", "1")
	p.wantClaim(p.one, "runs", interceptors.ClaimTaken, nil)
	p.doubt(p.one, 1)
	rejected(p.one, 1)
	for hour := range uint32(2) {
		p.server.Clock().Move(-time.Hour)
		p.wantClaim(p.other, "id", interceptors.ClaimSettled, result("1"))
		p.wantClaim(p.other, "runs", interceptors.ClaimRunning, nil)
		p.wantDoubt(p.other, 1, true)
		rejected(p.other, 2+hour)
	}
	p.must(p.other.Forgive(t.Context(), theRun, "pay"))
	rejected(p.one, 1)
	p.must(p.one.SettleClaim(t.Context(), theRun, "runs", result("2")))
	p.wantClaim(p.other, "runs", interceptors.ClaimSettled, result("2"))
}

// It is set ahead by less than anything lives: nothing is lost but leases, and
// they are renewed.
func TestAClockThatJumpsAheadEndsLeasesAlone(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	p.run(p.one, "id", "1")
	p.wantClaim(p.one, "runs", interceptors.ClaimTaken, nil)
	p.doubt(p.one, 1)
	p.server.Clock().Move(9 * time.Minute)
	p.wantClaim(p.other, "id", interceptors.ClaimSettled, result("1"))
	p.wantDoubt(p.other, 1, true)
	p.one.renew(time.Now())
	p.wantClaim(p.other, "runs", interceptors.ClaimRunning, nil)
}
