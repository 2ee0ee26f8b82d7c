package ledgertest

import (
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func runTrials() []trial {
	return []trial{
		{"a run that nobody began is not known", func(t *book) {
			if _, known, err := t.ledger.Run(t.Context(), run); known || err != nil {
				t.Errorf("known %v, error %v", known, err)
			}
			if _, known, err := t.ledger.EndRun(t.Context(), run); known || err != nil {
				t.Errorf("ending it: known %v, error %v", known, err)
			}
		}},
		{"a snapshot begins the run and is never zero", func(t *book) {
			if t.snapshot().Sequence == 0 {
				t.Error("the snapshot is zero, which is older than everything")
			}
			if _, known, _ := t.ledger.Run(t.Context(), run); !known {
				t.Error("the run is not known")
			}
		}},
		{"a summary counts what was tallied", func(t *book) {
			t.snapshot()
			t.tally(interceptors.Tally{Tool: "list", Attempts: 3})
			t.tally(interceptors.Tally{Tool: "list", Attempts: 1})
			t.tally(interceptors.Tally{Tool: "book", Attempts: 1})
			t.tally(interceptors.Tally{Tool: "pay", Attempts: 1})
			t.tally(interceptors.Tally{Tool: "pay", Failed: true, Class: interceptors.Terminal, Attempts: 1})
			t.tally(interceptors.Tally{Tool: "list", Failed: true, Class: interceptors.Transient, Attempts: 5})
			t.tally(interceptors.Tally{Tool: "list", Failed: true, Class: interceptors.Transient})
			t.rejectTimes("pay", 2)
			t.remember(1, doubt("book", `{}`), t.snapshot())

			got, _, err := t.ledger.Run(t.Context(), run)
			t.must(err)
			if got.GetStartedAt() == nil || got.GetAge() == nil {
				t.Error("the summary has no start or no age")
			}
			got.StartedAt, got.Age = nil, nil
			want := &toolgatev1.RunSummary{
				RunId: run.ID, Calls: 7, Results: 4, Attempts: 12,
				Errors: []*toolgatev1.ClassCount{{ErrorClass: interceptors.Transient, Count: 2}, {ErrorClass: interceptors.Terminal, Count: 1}},
				Tools: []*toolgatev1.RunTool{
					{Tool: "book", Results: 1, UnknownOutcomes: 1},
					{Tool: "list", Results: 2},
					{Tool: "pay", Results: 1, Rejections: 2, RejectionCap: 3},
				},
			}
			if !proto.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		}},
		{"the age runs from the first call", func(t *book) {
			t.snapshot()
			t.wait(90 * time.Second)
			t.snapshot()
			got, _, err := t.ledger.Run(t.Context(), run)
			t.must(err)
			if age := got.GetAge().AsDuration(); age < 90*time.Second || age > 100*time.Second {
				t.Errorf("the age is %s", age)
			}
		}},
		{"runs of different principals share nothing", func(t *book) {
			other := interceptors.RunKey{Principal: "bob", ID: run.ID}
			t.rejectTimes("pay", 3)
			q := t.query("pay", t.snapshotOf(other))
			q.Run = other
			t.wantStandingOf(q, 0, open)
			// Names that would meet if they were only joined.
			q.Run = interceptors.RunKey{Principal: run.Principal + run.ID[:1], ID: run.ID[1:]}
			q.Snapshot = t.snapshotOf(q.Run)
			t.wantStandingOf(q, 0, open)
		}},
		{"an idle run is forgotten after an hour", func(t *book) {
			t.rejectTimes("pay", 2)
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.wait(time.Hour)
			if _, known, _ := t.ledger.Run(t.Context(), run); known {
				t.Error("the run is still known")
			}
			t.snapshot()
			t.wantNothing(1)
			t.wantCount(t.reject("pay", t.snapshot()), 1)
		}},
		{"a run that goes on is not idle", func(t *book) {
			t.snapshot()
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			for range 4 {
				t.wait(50 * time.Minute)
				t.snapshot()
			}
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
		}},
		{"each call that is spent is counted once", func(t *book) {
			t.snapshot()
			var sum atomic.Uint64
			t.together(50, func(int) {
				n, err := t.ledger.Spend(t.Context(), run)
				t.must(err)
				sum.Add(n)
			})
			if want := uint64(50 * 51 / 2); sum.Load() != want {
				t.Errorf("50 calls got numbers that add up to %d, not %d", sum.Load(), want)
			}
			t.wantSpent(51)
		}},
	}
}

func endTrials() []trial {
	return []trial{
		{"ending a run forgets it whole", func(t *book) {
			at := t.snapshot()
			t.rejectTimes("pay", 3)
			t.remember(1, failure("pay", interceptors.Terminal), t.snapshot())
			t.remember(2, doubt("pay", `{}`), t.snapshot())
			t.must(t.ledger.KeepKey(t.Context(), run, key(3), "k"))
			t.must(t.ledger.Offer(t.Context(), run, []interceptors.Offer{{Tool: "pay", Key: key(4)}}))
			t.claim("id", 1)
			t.settle("id", result("x"))
			if _, err := t.ledger.Spend(t.Context(), run); err != nil {
				t.Fatal(err)
			}

			if _, known, err := t.ledger.EndRun(t.Context(), run); !known || err != nil {
				t.Fatalf("known %v, error %v", known, err)
			}
			if _, known, _ := t.ledger.Run(t.Context(), run); known {
				t.Error("the run is still known")
			}
			if again := t.snapshot(); again.Sequence <= at.Sequence {
				t.Errorf("the sequence began again: %d after %d", again.Sequence, at.Sequence)
			}
			t.wantStanding("pay", 0, open)
			t.wantNothing(1)
			t.wantNothing(2)
			t.wantKept(3, "")
			t.wantOffer("pay", 4, false)
			t.wantClaim("id", 2, interceptors.ClaimTaken)
			t.wantSpent(1)
		}},
		{"what was in flight when its run ended does not count in the next of that name", func(t *book) {
			at := t.snapshot()
			_, _, err := t.ledger.EndRun(t.Context(), run)
			t.must(err)
			t.wantCount(t.reject("pay", at), 0)
			t.remember(1, failure("pay", interceptors.Terminal), at)
			t.tally(interceptors.Tally{Tool: "pay"})
			if _, known, _ := t.ledger.Run(t.Context(), run); known {
				t.Error("a straggler began the run again")
			}
			t.snapshot()
			t.wantCount(t.reject("pay", at), 0)
			t.remember(1, failure("pay", interceptors.Terminal), at)
			t.wantNothing(1)
		}},
	}
}

func (b *book) tally(tally interceptors.Tally) {
	b.Helper()
	b.must(b.ledger.Tally(b.Context(), run, tally))
}

func (b *book) wantSpent(want uint64) {
	b.Helper()
	got, err := b.ledger.Spend(b.Context(), run)
	b.must(err)
	if got != want {
		b.Errorf("%d calls are spent, want %d", got, want)
	}
}

// together runs n goroutines at once and waits for all of them.
func (b *book) together(n int, do func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	wg.Wait()
}
