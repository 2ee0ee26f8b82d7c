package ledgertest

import (
	"math"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

func rejectionTrials() []trial {
	return []trial{
		{"calls that arrive one after another count each", func(t *book) {
			for want := range uint32(3) {
				t.wantStanding("pay", want, open)
				t.wantCount(t.reject("pay", t.snapshot()), want+1)
			}
			t.wantStanding("pay", 3, closed)
			t.wantStanding("list", 0, open)
		}},
		{"whatever was in flight together counts once, wave by wave", func(t *book) {
			for wave := range uint32(3) {
				snapshots := make([]interceptors.Snapshot, 100)
				for i := range snapshots {
					snapshots[i] = t.snapshot()
				}
				var wrong atomic.Uint32
				t.together(len(snapshots), func(i int) {
					if count := t.reject("pay", snapshots[i]); count != wave+1 {
						wrong.Store(count)
					}
				})
				if n := wrong.Load(); n != 0 {
					t.Errorf("wave %d: a rejection came back with count %d", wave+1, n)
				}
			}
			t.wantStanding("pay", 3, closed)
		}},
		{"a call that was in flight while the cap was reached is not capped", func(t *book) {
			t.rejectTimes("pay", 2)
			before := t.snapshot()
			t.rejectTimes("pay", 1)
			t.wantStandingOf(t.query("pay", before), 3, open)
			t.wantStanding("pay", 3, closed)
		}},
		{"the zero snapshot is never capped and never counts", func(t *book) {
			t.rejectTimes("pay", 3)
			t.wantStandingOf(t.query("pay", interceptors.Snapshot{}), 3, open)
			t.wantCount(t.reject("list", interceptors.Snapshot{}), 0)
		}},
		{"no cap is no cap", func(t *book) {
			t.rejectTimes("pay", 9)
			q := t.query("pay", t.snapshot())
			q.Cap = 0
			t.wantStandingOf(q, 9, open)
		}},
		{"a success forgives, and what was in flight beside it does not count", func(t *book) {
			t.rejectTimes("pay", 2)
			beside := t.snapshot()
			t.forgive("pay")
			t.wantCount(t.reject("pay", beside), 0)
			t.wantStanding("pay", 0, open)
			t.wantCount(t.reject("pay", t.snapshot()), 1)
		}},
		{"a first success stands against rejections in flight beside it", func(t *book) {
			beside := t.snapshot()
			t.forgive("pay")
			t.wantCount(t.reject("pay", beside), 0)
		}},
		{"only a success of that tool forgives", func(t *book) {
			t.rejectTimes("pay", 1)
			t.forgive("list")
			t.rejectTimes("pay", 1)
			t.forgive("list")
			t.rejectTimes("pay", 1)
			t.wantStanding("pay", 3, closed)
		}},
		{"a success of the tool that an error named forgives", func(t *book) {
			t.rejectWith(interceptors.Rejection{StandingQuery: t.query("pay", t.snapshot()), Unblock: "deposit"})
			t.rejectWith(interceptors.Rejection{StandingQuery: t.query("pay", t.snapshot()), Unblock: "raise_limit"})
			t.rejectTimes("pay", 1)
			t.forgive("deposit")
			t.wantStanding("pay", 0, open)
			t.rejectTimes("pay", 1)
			t.forgive("raise_limit") // named in an epoch that is over
			t.wantStanding("pay", 1, open)
		}},
		{"an error whose cure came while it was in flight does not count", func(t *book) {
			beside := t.snapshot()
			t.forgive("deposit")
			t.wantCount(t.rejectWith(interceptors.Rejection{StandingQuery: t.query("pay", beside), Unblock: "deposit"}), 0)
		}},
		{"a pardon lifts one tool's count and no other's", func(t *book) {
			t.rejectWith(interceptors.Rejection{StandingQuery: t.query("pay", t.snapshot()), Unblock: "deposit"})
			t.rejectTimes("deposit", 3)
			beside := t.snapshot()
			t.must(t.ledger.Pardon(t.Context(), run, "deposit"))
			t.wantStanding("deposit", 0, open)
			t.wantStanding("pay", 1, open)
			t.wantCount(t.reject("deposit", beside), 0)
			t.wantCount(t.reject("deposit", t.snapshot()), 1)
		}},
		{"ten minutes without a rejection forget", func(t *book) {
			t.rejectTimes("pay", 1)
			t.wait(9 * time.Minute)
			t.rejectTimes("pay", 1)
			t.wait(9 * time.Minute)
			t.rejectTimes("pay", 1)
			t.wantStanding("pay", 3, closed)
			t.wait(10 * time.Minute)
			t.wantStanding("pay", 0, open)
			t.wantCount(t.reject("pay", t.snapshot()), 1)
		}},
		{"a rejection that does not raise the count keeps it alive", func(t *book) {
			beside := t.snapshot()
			t.rejectTimes("pay", 1)
			t.wait(9 * time.Minute)
			t.wantCount(t.reject("pay", beside), 1)
			t.wait(9 * time.Minute)
			t.wantStanding("pay", 1, open)
		}},
		{"another version of the tool begins anew", func(t *book) {
			t.rejectTimes("pay", 3)
			q := t.query("pay", t.snapshot())
			q.Version = "2"
			t.wantStandingOf(q, 0, open)
			t.wantCount(t.rejectWith(interceptors.Rejection{StandingQuery: q}), 1)
			q.Snapshot = t.snapshot()
			t.wantStandingOf(q, 1, open)
		}},
		{"a straggler of the old version does not touch the new count", func(t *book) {
			old := t.query("pay", t.snapshot())
			q := t.query("pay", t.snapshot())
			q.Version = "2"
			t.rejectWith(interceptors.Rejection{StandingQuery: q})
			t.rejectWith(interceptors.Rejection{StandingQuery: old})
			q.Snapshot = t.snapshot()
			t.wantStandingOf(q, 1, open)
		}},
		{"the cap over all tools stops every tool", func(t *book) {
			t.rejectTimes("pay", 2)
			beside := t.snapshot()
			t.rejectTimes("book", 2)
			q := t.query("list", t.snapshot())
			q.RunCap = 4
			t.wantStandingOf(q, 0, closed)
			q.RunCap = 5
			t.wantStandingOf(q, 0, open)
			q.RunCap, q.Snapshot = 4, beside
			t.wantStandingOf(q, 0, open)
			t.forgive("book")
			q.Snapshot = t.snapshot()
			t.wantStandingOf(q, 0, open)
		}},
		{"an offered call never counts, and what it named is remembered", func(t *book) {
			t.rejectTimes("pay", 3)
			offered := interceptors.Rejection{StandingQuery: t.query("pay", t.snapshot()), Unblock: "deposit", Offered: true}
			t.wantCount(t.rejectWith(offered), 3)
			t.forgive("deposit")
			t.wantStanding("pay", 0, open)
			offered.Snapshot = t.snapshot()
			t.wantCount(t.rejectWith(offered), 0)
		}},
		{"it agrees with counts and epochs spelt out", agreesWithModel},
		{"the latest snapshot of all sees what stands now", func(t *book) {
			t.rejectTimes("pay", 3)
			t.wantStandingOf(t.query("pay", interceptors.Snapshot{Sequence: math.MaxUint64}), 3, closed)
		}},
	}
}

func (b *book) forgive(tool string) {
	b.Helper()
	b.must(b.ledger.Forgive(b.Context(), run, tool))
}

func offerTrials() []trial {
	return []trial{
		{"an offer is taken once", func(t *book) {
			t.snapshot()
			t.offer(1, 2)
			t.wantOffer("book", 3, false)
			t.wantOffer("pay", 1, false)
			t.wantOffer("book", 1, true)
			t.wantOffer("book", 1, false)
			t.offer(1)
			t.wantOffer("book", 1, false)
			t.wantOffer("book", 2, true)
		}},
		{"the latest six stand", func(t *book) {
			t.snapshot()
			t.offer(1, 2, 3)
			t.offer(4, 5, 6)
			t.offer(2)
			t.offer(7)
			t.wantOffer("book", 1, false)
			t.wantOffer("book", 2, true)
			t.wantOffer("book", 7, true)
		}},
		{"after six none is taken until the tool succeeds", func(t *book) {
			t.snapshot()
			for n := range byte(6) {
				t.offer(n)
				t.wantOffer("book", n, true)
			}
			t.offer(7)
			t.wantOffer("book", 7, false)
			t.forgive("book")
			t.wantOffer("book", 7, false)
			t.offer(7, 1)
			t.wantOffer("book", 7, true)
			t.wantOffer("book", 1, true)
		}},
		{"an offer that is returned stands again", func(t *book) {
			t.snapshot()
			offer := interceptors.Offer{Tool: "book", Key: key(1)}
			t.must(t.ledger.ReturnOffer(t.Context(), run, offer)) // never taken
			t.wantOffer("book", 1, false)
			t.offer(1)
			t.wantOffer("book", 1, true)
			t.must(t.ledger.ReturnOffer(t.Context(), run, offer))
			t.wantOffer("book", 1, true)
			t.wantOffer("book", 1, false)
		}},
		{"an offer is taken by one of many", func(t *book) {
			t.snapshot()
			t.offer(1)
			var taken atomic.Int32
			t.together(20, func(int) {
				if t.takeOffer("book", 1) {
					taken.Add(1)
				}
			})
			if taken.Load() != 1 {
				t.Errorf("%d calls took one offer", taken.Load())
			}
		}},
	}
}

func (b *book) offer(keys ...byte) {
	b.Helper()
	var offers []interceptors.Offer
	for _, n := range keys {
		offers = append(offers, interceptors.Offer{Tool: "book", Key: key(n)})
	}
	b.must(b.ledger.Offer(b.Context(), run, offers))
}

func (b *book) takeOffer(tool string, n byte) bool {
	b.Helper()
	taken, err := b.ledger.TakeOffer(b.Context(), run, interceptors.Offer{Tool: tool, Key: key(n)})
	b.must(err)
	return taken
}

func (b *book) wantOffer(tool string, n byte, want bool) {
	b.Helper()
	if taken := b.takeOffer(tool, n); taken != want {
		b.Errorf("offer %d of %s: taken %v, want %v", n, tool, taken, want)
	}
}
