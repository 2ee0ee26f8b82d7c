package memory

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func runNamed(n int) interceptors.RunKey {
	return interceptors.RunKey{Principal: "ann", ID: fmt.Sprintf("0b8e5a52-7a0a-4c37-9e1b-%012d", n)}
}

// succeed plays what the rooms ask of the ledger for a call that succeeds.
func succeed(tb testing.TB, l *Ledger, run interceptors.RunKey, tool string) {
	tb.Helper()
	ctx := tb.Context()
	snapshot, err := l.Snapshot(ctx, run)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = l.Standing(ctx, interceptors.StandingQuery{Run: run, Tool: tool, Version: "1", Snapshot: snapshot, Cap: 3, Memory: 10 * time.Minute})
	_, _ = l.Recall(ctx, run, interceptors.Key{1})
	_ = l.Unblock(ctx, run, tool, true)
	_ = l.Forgive(ctx, run, tool)
	_ = l.Tally(ctx, run, interceptors.Tally{Tool: tool, Attempts: 1})
}

// fail plays a call that comes back terminal.
func fail(tb testing.TB, l *Ledger, run interceptors.RunKey, tool string, key interceptors.Key) {
	tb.Helper()
	ctx := tb.Context()
	snapshot, err := l.Snapshot(ctx, run)
	if err != nil {
		tb.Fatal(err)
	}
	query := interceptors.StandingQuery{Run: run, Tool: tool, Version: "1", Snapshot: snapshot, Cap: 3, Memory: 10 * time.Minute}
	failure := &interceptors.Memory{Tool: tool, Version: "1", TTL: 2 * time.Minute, Until: time.Now().Add(2 * time.Minute),
		Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "taken", Message: strings.Repeat("it is taken ", 8)}}
	if err := l.Remember(ctx, run, key, failure, snapshot); err != nil {
		tb.Fatal(err)
	}
	_, _ = l.Reject(ctx, interceptors.Rejection{StandingQuery: query, Unblock: "deposit"})
	_ = l.Tally(ctx, run, interceptors.Tally{Tool: tool, Failed: true, Class: interceptors.Terminal, Attempts: 1})
}

func TestAHundredThousandRunsStayBounded(t *testing.T) {
	const most = 10_000
	l := New(WithMaxRuns(most))
	for n := range 100_000 {
		if n%10 == 0 {
			fail(t, l, runNamed(n), "pay", interceptors.Key{1})
		} else {
			succeed(t, l, runNamed(n), "list")
		}
	}
	size := l.Size()
	if size.Runs > most+shardCount || size.Runs < most-shardCount {
		t.Errorf("%d runs are held, want about %d", size.Runs, most)
	}
	if size.Memories > size.Runs || size.Bytes > most*1000 {
		t.Errorf("%+v", size)
	}
	if got := len(l.summaries()); got != size.Runs {
		t.Errorf("%d runs are counted and %d are there", size.Runs, got)
	}
}

// summaries counts by hand what Size counts by number.
func (l *Ledger) summaries() (all []runID) {
	for i := range l.shards {
		for id := range l.shards[i].runs {
			all = append(all, id)
		}
	}
	return all
}

func TestARunWithAnUnknownOutcomeIsPushedOutLast(t *testing.T) {
	l := New(WithMaxRuns(shardCount * 8))
	doubt := &interceptors.Memory{Tool: "pay", Unknown: true, Error: &toolgatev1.ToolError{Code: interceptors.CodeOutcomeUnknown}}
	guarded := runNamed(0)
	if err := l.Remember(t.Context(), guarded, interceptors.Key{1}, doubt, interceptors.Snapshot{}); err != nil {
		t.Fatal(err)
	}
	for n := range 20_000 {
		succeed(t, l, runNamed(n+1), "list")
	}
	if m, _ := l.Recall(t.Context(), guarded, interceptors.Key{1}); m == nil {
		t.Error("the unknown outcome was pushed out by runs that guard nothing")
	}
}

func TestWhatIsForgottenIsGoneFromEveryBook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		for n := range 2_000 {
			run := runNamed(n)
			fail(t, l, run, "pay", interceptors.Key{byte(n)})
			succeed(t, l, run, "list")
			for _, id := range []string{"running", "settled", "lost"} {
				_, _ = l.Claim(t.Context(), run, id, interceptors.Key{}, false)
			}
			_ = l.SettleClaim(t.Context(), run, "settled", (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: "{}"}}).Response())
			_ = l.SettleClaim(t.Context(), run, "lost", nil)
			if n%2 == 0 {
				_, _, _ = l.EndRun(t.Context(), run)
			}
		}
		if size := l.Size(); size.Runs != 1_000 || size.Claims != 3_000 || size.Memories != 1_000 {
			t.Errorf("half of the runs ended, and this is left: %+v", size)
		}
		time.Sleep(time.Hour)
		l.Sweep()
		if size := l.Size(); size != (Size{}) {
			t.Errorf("all runs are idle, and this is left: %+v", size)
		}
		for i := range l.shards {
			s := &l.shards[i]
			if left := len(s.unproven) + len(s.troubles) + len(s.claims) + len(s.claimsOf); left > 0 || s.settled.head != nil || s.hollow.head != nil || s.aged.head != nil {
				t.Fatalf("shard %d still holds %d entries", i, left)
			}
		}
	})
}

func TestCallsSweepOnTheirWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		for n := range 10_000 {
			succeed(t, l, runNamed(n), "list")
		}
		time.Sleep(2 * time.Hour)
		for n := range 5_000 {
			succeed(t, l, runNamed(20_000+n), "list")
		}
		if runs := l.Size().Runs; runs != 5_000 {
			t.Errorf("%d runs are held, want the 5,000 of this hour", runs)
		}
	})
}

func TestRunsThatEndWithoutAResultAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := map[interceptors.RunKey]uint64{}
		l := New(OnEnd(func(run interceptors.RunKey, summary *toolgatev1.RunSummary) { told[run] = summary.GetCalls() }))
		fail(t, l, runNamed(1), "pay", interceptors.Key{1})
		fail(t, l, runNamed(1), "pay", interceptors.Key{2})
		fail(t, l, runNamed(2), "pay", interceptors.Key{1})
		succeed(t, l, runNamed(2), "list")
		_, _ = l.Snapshot(t.Context(), runNamed(3)) // made no call
		fail(t, l, runNamed(4), "pay", interceptors.Key{1})
		_, _, _ = l.EndRun(t.Context(), runNamed(4)) // its caller is told
		time.Sleep(time.Hour)
		l.Sweep()
		if len(told) != 1 || told[runNamed(1)] != 2 {
			t.Errorf("told of %v, want of %v alone, with 2 calls", told, runNamed(1))
		}
	})
}

func TestARunThatComesBackAfterItsTimeIsToldAndBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told int
		l := New(WithIdle(10*time.Minute), OnEnd(func(interceptors.RunKey, *toolgatev1.RunSummary) { told++ }))
		fail(t, l, runNamed(1), "pay", interceptors.Key{1})
		time.Sleep(10 * time.Minute)
		fail(t, l, runNamed(1), "pay", interceptors.Key{1})
		summary, _, _ := l.Run(t.Context(), runNamed(1))
		if told != 1 || summary.GetCalls() != 1 {
			t.Errorf("told %d times; the run of now has %d calls", told, summary.GetCalls())
		}
	})
}

func TestMemoriesStayWithinTheirBytes(t *testing.T) {
	const most = 1 << 20
	l := New(WithMemoryBytes(most))
	for n := range 20_000 {
		fail(t, l, runNamed(n), "pay", interceptors.Key{byte(n)})
	}
	if held := l.memoryBytes.Load(); held > most || held < most*9/10 {
		t.Errorf("%d bytes are held, want up to %d", held, most)
	}
	if m, _ := l.Recall(t.Context(), runNamed(19_999), interceptors.Key{byte(19_999 & 0xff)}); m == nil {
		t.Error("the latest memory went, the oldest should")
	}
	if m, _ := l.Recall(t.Context(), runNamed(0), interceptors.Key{0}); m != nil {
		t.Error("the oldest memory is still held")
	}
}

func TestCallIDsStayWithinTheirNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(WithClaimLimits(ClaimLimits{IDs: 1000, TotalBytes: 1 << 14, EachBytes: 1 << 10}))
		small := (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: strings.Repeat("x", 100)}}).Response()
		for n := range 5_000 {
			run, id := runNamed(n%7), fmt.Sprint(n)
			if claim, _ := l.Claim(t.Context(), run, id, interceptors.Key{}, false); claim.State != interceptors.ClaimTaken {
				t.Fatalf("id %d: state %d", n, claim.State)
			}
			time.Sleep(time.Millisecond)
			_ = l.SettleClaim(t.Context(), run, id, small)
		}
		if claims, bytes := l.claims.Load(), l.claimBytes.Load(); claims > 1001 || bytes > 1<<14 {
			t.Errorf("%d ids and %d bytes are held", claims, bytes)
		}
		for n, want := range map[int]interceptors.ClaimState{
			4_999: interceptors.ClaimSettled, 4_950: interceptors.ClaimSettled,
			4_500: interceptors.ClaimLost, 4_100: interceptors.ClaimLost,
		} {
			if claim, _ := l.Claim(t.Context(), runNamed(n%7), fmt.Sprint(n), interceptors.Key{}, false); claim.State != want {
				t.Errorf("id %d: state %d, want %d", n, claim.State, want)
			}
		}
	})
}

func TestAnOutcomeThatLostItsContentStillGoesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(WithClaimLimits(ClaimLimits{TotalBytes: 1 << 10, EachBytes: 800}))
		run := runNamed(1)
		end := func(id string, bytes int) {
			_, _ = l.Claim(t.Context(), run, id, interceptors.Key{}, false)
			_ = l.SettleClaim(t.Context(), run, id, (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: strings.Repeat("x", bytes)}}).Response())
		}
		want := func(id string, want interceptors.ClaimState) {
			t.Helper()
			if claim, _ := l.Claim(t.Context(), run, id, interceptors.Key{}, false); claim.State != want {
				t.Errorf("%s: state %d, want %d", id, claim.State, want)
			}
		}
		end("old", 700)
		time.Sleep(5 * time.Minute)
		end("too large", 1000)
		end("new", 700) // pushes the old one's content out, behind the one without
		want("old", interceptors.ClaimLost)
		time.Sleep(5 * time.Minute)
		want("old", interceptors.ClaimTaken)
		want("too large", interceptors.ClaimTooLarge)
		want("new", interceptors.ClaimSettled)
	})
}

func TestToolsPastTheTableShareOneNumber(t *testing.T) {
	var n names
	n.reset()
	seen := map[uint32]bool{}
	for i := range 100 {
		seen[n.number(fmt.Sprint("tool", i))] = true
	}
	if len(seen) != 100 || n.find("tool7") != n.number("tool7") || n.name(n.find("tool7")) != "tool7" {
		t.Errorf("%d numbers for 100 names", len(seen))
	}
	if n.find("never seen") != noTool {
		t.Error("a name that was never seen has a number")
	}
	n.table.Store(&nameTable{numbers: n.table.Load().numbers, names: make([]string, maxNames)})
	if n.number("one too many") != otherTool || n.find("another") != otherTool {
		t.Error("a name past the table has a number of its own")
	}
}

func TestAShardGivesThePeakBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		s := &l.shards[0]
		for n := range 5_000 {
			s.begin(runID{0, uint64(n)}, runNamed(n), l.now())
		}
		time.Sleep(time.Hour)
		s.begin(runID{0, 1 << 40}, runNamed(5_000), l.now())
		s.sweep(l.now())
		if len(s.runs) != 1 || s.peak != 1 {
			t.Errorf("%d runs in a table for %d", len(s.runs), s.peak)
		}
	})
}

// Whatever many callers do at once, within tight bounds, the books agree with
// what is held, and nothing is left when every run has ended.
func TestTheBooksStayRightUnderManyHands(t *testing.T) {
	l := New(WithMaxRuns(300), WithMemoryBytes(64<<10), WithClaimLimits(ClaimLimits{TotalBytes: 16 << 10, IDs: 400}))
	ctx := t.Context()
	var wg sync.WaitGroup
	for hand := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(hand), 1))
			for range 4000 {
				run, key, id := runNamed(random.IntN(600)), interceptors.Key{byte(random.IntN(20))}, strconv.Itoa(random.IntN(5))
				switch random.IntN(9) {
				case 0:
					succeed(t, l, run, "list")
				case 1, 2:
					fail(t, l, run, "pay", key)
				case 3:
					_ = l.Erase(ctx, run, key)
				case 4:
					_, _ = l.Claim(ctx, run, id, interceptors.Key{}, random.IntN(2) == 0)
				case 5:
					_ = l.SettleClaim(ctx, run, id, (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: strings.Repeat("x", random.IntN(600))}}).Response())
				case 6:
					_ = l.Remember(ctx, run, key, &interceptors.Memory{Tool: "pay", Unknown: true, Error: &toolgatev1.ToolError{}}, interceptors.Snapshot{})
					unknowns, _ := l.Unknowns(ctx, run, []string{"pay"})
					if len(unknowns) > 0 {
						_ = l.Settle(ctx, run, unknowns[0], interceptors.DidNotExecute, nil)
					}
				case 7:
					_, _, _ = l.EndRun(ctx, run)
				case 8:
					l.Sweep()
					_ = l.Size()
				}
			}
		})
	}
	wg.Wait()
	if bytes := l.claimBytes.Load(); bytes > 16<<10 {
		t.Errorf("%d bytes of outcomes are held", bytes)
	}
	for n := range 600 {
		_, _, _ = l.EndRun(ctx, runNamed(n))
	}
	if size := l.Size(); size != (Size{}) {
		t.Errorf("every run has ended, and this is left: %+v", size)
	}
}
