package redis

import (
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

func TestACallOfAReplicaThatDiedIsLostAfterItsLease(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	dead, err := Open(p.server.URL, memory.New(), WithWait(patient))
	p.must(err)
	p.wantClaim(dead, "id", interceptors.ClaimTaken, nil)
	dead.Close()
	p.server.Clock().Move(p.one.lease - time.Second)
	p.wantClaim(p.one, "id", interceptors.ClaimRunning, nil)
	p.server.Clock().Move(2 * time.Second)
	p.wantClaim(p.one, "id", interceptors.ClaimLost, nil)
	p.wantClaim(p.other, "id", interceptors.ClaimLost, nil)
	claim, err := p.other.Claim(t.Context(), theRun, "id", interceptors.Key{1}, true)
	if err != nil || claim.State != interceptors.ClaimTaken {
		t.Errorf("it can't be taken over: %v, %v", claim, err)
	}
}

func TestAReplicaThatWasOnlySlowStillTellsItsOutcome(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	p.wantClaim(p.one, "id", interceptors.ClaimTaken, nil)
	p.server.Clock().Move(2 * p.one.lease)
	p.wantClaim(p.other, "id", interceptors.ClaimLost, nil)
	p.one.renew(time.Now())
	p.wantClaim(p.other, "id", interceptors.ClaimRunning, nil)
	p.server.Clock().Move(2 * p.one.lease)
	p.wantClaim(p.other, "id", interceptors.ClaimLost, nil)
	p.must(p.one.SettleClaim(t.Context(), theRun, "id", result("late")))
	p.wantClaim(p.other, "id", interceptors.ClaimSettled, result("late"))
}

func TestAnIDThatWasTakenOverIsNotSettledByItsFirstReplica(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	p.wantClaim(p.one, "id", interceptors.ClaimTaken, nil)
	p.server.Clock().Move(2 * p.one.lease)
	if _, err := p.other.Claim(t.Context(), theRun, "id", interceptors.Key{1}, true); err != nil {
		t.Fatal(err)
	}
	p.one.renew(time.Now())
	p.must(p.one.SettleClaim(t.Context(), theRun, "id", result("first")))
	p.must(p.other.SettleClaim(t.Context(), theRun, "id", result("second")))
	p.wantClaim(p.one, "id", interceptors.ClaimSettled, result("second"))
}

func TestARunOfAnotherLifeHasNoClaims(t *testing.T) {
	p := newPair(t)
	p.run(p.one, "id", "1")
	if _, _, err := p.other.EndRun(t.Context(), theRun); err != nil {
		t.Fatal(err)
	}
	p.wantClaim(p.other, "id", interceptors.ClaimTaken, nil)
}

func TestWhatARunEndedWithIsNotToldAgain(t *testing.T) {
	p := newPair(t, redistest.AppendOnly)
	p.run(p.one, "id", "1")
	p.doubt(p.one, 1)
	p.must(p.one.KeepKey(t.Context(), theRun, interceptors.Key{2}, "k"))
	if _, _, err := p.other.EndRun(t.Context(), theRun); err != nil {
		t.Fatal(err)
	}
	p.server.Kill()
	p.lose()
	p.server.Restart()
	p.awaitBoth()
	p.wantClaim(p.other, "id", interceptors.ClaimTaken, nil)
	p.wantDoubt(p.other, 1, false)
	if key, err := p.other.TakeKey(t.Context(), theRun, interceptors.Key{2}); key != "" || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
}

func TestReplicasAreCounted(t *testing.T) {
	p := newPair(t, redistest.MovableClock)
	third, err := Open(p.server.URL, memory.New(), WithWait(patient))
	p.must(err)
	p.one.renew(time.Now())
	if n := p.one.Replicas(); n != 3 {
		t.Errorf("%d replicas, want 3", n)
	}
	third.Close()
	for range 2 { // the living go on, the dead is forgotten
		p.server.Clock().Move(p.one.lease - time.Second)
		p.one.renew(time.Now())
		p.other.renew(time.Now())
	}
	p.one.renew(time.Now())
	if n := p.one.Replicas(); n != 2 {
		t.Errorf("%d replicas, want 2", n)
	}
	p.server.Kill()
	p.lose()
	if n := p.one.Replicas(); n != 2 {
		t.Errorf("%d replicas while the server is away, want 2", n)
	}
}

// Everything that is written goes by itself.
func TestNothingStaysForever(t *testing.T) {
	p := newPair(t)
	p.run(p.one, "id", "1")
	p.wantClaim(p.one, "runs", interceptors.ClaimTaken, nil)
	p.doubt(p.one, 1)
	_, err := p.reject(p.one, p.snapshot(p.one))
	p.must(err)
	p.must(p.one.KeepKey(t.Context(), theRun, interceptors.Key{1}, "k"))
	p.must(p.one.Offer(t.Context(), theRun, []interceptors.Offer{{Tool: "pay"}}))
	_, err = p.one.Spend(t.Context(), interceptors.RunKey{ID: "spends"})
	p.must(err)
	p.must(p.one.KeepKey(t.Context(), interceptors.RunKey{ID: "keeps"}, interceptors.Key{1}, "k"))
	ended := interceptors.RunKey{ID: "ended"}
	if _, err := p.one.Snapshot(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.one.EndRun(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	p.one.renew(time.Now())
	p.one.post(interceptors.Notice{Upstream: "u", Kind: interceptors.NoticeOpened, Hold: time.Minute})
	// A straggler must not make a key that stays.
	p.must(p.one.Tally(t.Context(), ended, interceptors.Tally{Tool: "pay"}))
	p.must(p.one.Unblock(t.Context(), ended, "pay", false))

	keys := strings.Fields(strings.Trim(p.server.Do("KEYS", "*"), "[]"))
	if len(keys) < 9 {
		t.Errorf("only %d keys: %v", len(keys), keys)
	}
	for _, key := range keys {
		if ttl := p.server.Do("TTL", key); strings.HasPrefix(ttl, "-") {
			t.Errorf("%s has a time to live of %s", key, ttl)
		}
		if !strings.HasPrefix(key, defaultPrefix) {
			t.Errorf("%s has no prefix", key)
		}
		for _, secret := range []string{theRun.Principal, "pay"} {
			if strings.Contains(key, ":"+secret) {
				t.Errorf("%s tells who runs what", key)
			}
		}
	}
}

// The journal keeps to its bounds, and what it drops first is what is oldest.
func TestTheJournalIsBounded(t *testing.T) {
	var j journal
	for n := range 2 * maxMarks {
		j.mark(mark{run: theRun, key: interceptors.Key{byte(n), byte(n >> 8), byte(n >> 16)}, memory: []string{}}, n%2 == 0)
	}
	if len(j.marks) > maxMarks || len(j.order) > maxMarks {
		t.Errorf("%d marks, %d in order", len(j.marks), len(j.order))
	}
	if n := j.untold(); n != maxMarks/2 {
		t.Errorf("%d wait to be told, want %d", n, maxMarks/2)
	}
	var hollow int
	for range 2 * maxEnds {
		hollow += len(j.end(&ending{bytes: claimBytes / 1000, at: time.Now()}))
	}
	if len(j.ends) > maxEnds || j.bytes > claimBytes || hollow < maxEnds {
		t.Errorf("%d ends, %d bytes, %d hollowed out", len(j.ends), j.bytes, hollow)
	}
}

// A lease that ended in an absence says nothing yet: whoever runs the call may be
// coming back, too.
func TestACallWhoseLeaseEndedInAnAbsenceMayStillRun(t *testing.T) {
	p := newPair(t, redistest.MovableClock, redistest.AppendOnly)
	slow, err := Open(p.server.URL, memory.New(), WithWait(patient))
	p.must(err)
	p.wantClaim(slow, "id", interceptors.ClaimTaken, nil)
	slow.Close() // as if it had not come back yet
	p.server.Kill()
	p.lose()
	p.server.Clock().Move(2 * p.one.lease)
	p.server.Restart()
	p.awaitBoth()
	back := func(ago time.Duration) {
		p.one.link.mu.Lock()
		defer p.one.link.mu.Unlock()
		p.one.link.since = time.Now().Add(-ago)
	}
	back(0)
	p.wantClaim(p.one, "id", interceptors.ClaimRunning, nil)
	back(p.one.lease)
	p.wantClaim(p.one, "id", interceptors.ClaimLost, nil)
}
