package ledgertest

import (
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Keeper is a keeper under test.
type Keeper struct {
	// Open makes an empty ledger. Each test opens one of its own.
	Open func(t *testing.T) interceptors.Ledger
	// Within runs one test, for example in a synctest bubble. nil: as it is.
	Within func(t *testing.T, test func(*testing.T))
	// Wait lets time pass for the ledger and for time.Now. nil: the tests that
	// need it are skipped.
	Wait func(time.Duration)
}

// trial is one sentence of the contract.
type trial struct {
	name string
	test func(t *book)
}

// Run plays the whole suite.
func Run(t *testing.T, keeper Keeper) {
	t.Helper()
	for _, group := range []struct {
		name   string
		trials []trial
	}{
		{"runs", runTrials()}, {"ends", endTrials()}, {"rejections", rejectionTrials()}, {"offers", offerTrials()},
		{"repeats", repeatTrials()}, {"unknowns", unknownTrials()}, {"claims", claimTrials()},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, trial := range group.trials {
				t.Run(trial.name, func(t *testing.T) { keeper.play(t, trial) })
			}
		})
	}
}

func (k Keeper) play(t *testing.T, trial trial) {
	t.Helper()
	play := func(t *testing.T) {
		t.Helper()
		trial.test(&book{T: t, ledger: k.Open(t), keeper: k})
	}
	if k.Within == nil {
		play(t)
		return
	}
	k.Within(t, play)
}

// book is a ledger whose errors fail the test.
type book struct {
	*testing.T
	ledger interceptors.Ledger
	keeper Keeper
}

var run = interceptors.RunKey{Principal: "ann", ID: "run"}

func (b *book) wait(d time.Duration) {
	if b.keeper.Wait == nil {
		b.Skip("this keeper's clock can't be moved")
	}
	b.keeper.Wait(d)
}

func (b *book) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *book) snapshot() interceptors.Snapshot {
	b.Helper()
	return b.snapshotOf(run)
}

func (b *book) snapshotOf(run interceptors.RunKey) interceptors.Snapshot {
	b.Helper()
	snapshot, err := b.ledger.Snapshot(b.Context(), run)
	b.must(err)
	return snapshot
}

func (b *book) query(tool string, at interceptors.Snapshot) interceptors.StandingQuery {
	return interceptors.StandingQuery{Run: run, Tool: tool, Version: "1", Snapshot: at, Cap: 3, Memory: 10 * time.Minute}
}

func (b *book) reject(tool string, at interceptors.Snapshot) uint32 {
	b.Helper()
	return b.rejectWith(interceptors.Rejection{StandingQuery: b.query(tool, at)})
}

func (b *book) rejectWith(r interceptors.Rejection) uint32 {
	b.Helper()
	count, err := b.ledger.Reject(b.Context(), r)
	b.must(err)
	return count
}

// rejectTimes has the tool reject calls that arrive one after another.
func (b *book) rejectTimes(tool string, times int) {
	b.Helper()
	for range times {
		b.reject(tool, b.snapshot())
	}
}

func (b *book) standingOf(q interceptors.StandingQuery) interceptors.Standing {
	b.Helper()
	standing, err := b.ledger.Standing(b.Context(), q)
	b.must(err)
	return standing
}

func (b *book) wantStanding(tool string, count uint32, capped string) {
	b.Helper()
	b.wantStandingOf(b.query(tool, b.snapshot()), count, capped)
}

const (
	open   = "open"
	closed = "capped"
)

func (b *book) wantStandingOf(q interceptors.StandingQuery, count uint32, want string) {
	b.Helper()
	got := b.standingOf(q)
	if got.Count != count || got.Capped != (want == closed) {
		b.Errorf("%s stands at %d, capped %v; want %d, %s", q.Tool, got.Count, got.Capped, count, want)
	}
}

// wantCount checks what Reject returned.
func (b *book) wantCount(got, want uint32) {
	b.Helper()
	if got != want {
		b.Errorf("the count is %d, want %d", got, want)
	}
}

func key(n byte) interceptors.Key { return interceptors.Key{n, 1: 0xff, 31: n} }

// failure makes a memory that answers for two minutes.
func failure(tool string, class toolgatev1.ErrorClass) *interceptors.Memory {
	return &interceptors.Memory{
		Tool: tool, Version: "1", TTL: 2 * time.Minute, Until: time.Now().Add(2 * time.Minute),
		Error: &toolgatev1.ToolError{ErrorClass: class, Code: "taken", Message: "it is taken"},
	}
}

func unlockedBy(tool string, m *interceptors.Memory) *interceptors.Memory {
	m.Error.BlockedBy, m.Error.UnblockWith = "balance", tool
	return m
}

func doubt(tool, arguments string) *interceptors.Memory {
	return &interceptors.Memory{
		Tool: tool, Version: "1", Unknown: true, Arguments: []byte(arguments),
		Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: interceptors.CodeOutcomeUnknown, MaybeExecuted: true},
	}
}
