package redis

import (
	"strconv"
	"sync/atomic"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

// BenchmarkSuccess is what an ordinary successful call asks of the keeper.
func BenchmarkSuccess(b *testing.B) {
	for _, c := range []struct {
		name    string
		callers int // per processor
		id      bool
	}{{"alone", 0, false}, {"alone with an id", 0, true}, {"32 callers", 16, false}, {"32 callers with an id", 16, true}} {
		b.Run(c.name, func(b *testing.B) {
			l, err := Open(redistest.Start(b).URL, memory.New(), WithWait(patient))
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			b.ReportAllocs()
			if c.callers == 0 {
				for n := range b.N {
					success(b, l, n, c.id)
				}
				return
			}
			b.SetParallelism(c.callers)
			var next atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					success(b, l, int(next.Add(1)), c.id)
				}
			})
		})
	}
}

func success(b *testing.B, l *Ledger, n int, withID bool) {
	b.Helper()
	run := interceptors.RunKey{Principal: "ann", ID: strconv.Itoa(n % 1000)}
	key, id := interceptors.Key{byte(n), byte(n >> 8)}, ""
	if withID {
		id = strconv.Itoa(n)
	}
	ctx, snapshot, err := l.Arrive(b.Context(), run, id)
	if err == nil && withID {
		_, err = l.Claim(ctx, run, id, key, false)
	}
	if err != nil {
		b.Fatal(err)
	}
	_, _ = l.Standing(ctx, interceptors.StandingQuery{Run: run, Tool: "pay", Version: "1", Snapshot: snapshot, Cap: 3})
	_, _ = l.Recall(ctx, run, key)
	_ = l.Unblock(ctx, run, "pay", true)
	_ = l.Forgive(ctx, run, "pay")
	if withID {
		_ = l.SettleClaim(ctx, run, id, result("1"))
	}
	_ = l.Tally(ctx, run, interceptors.Tally{Tool: "pay", Attempts: 1})
}

// BenchmarkAbsence is the same without the server.
func BenchmarkAbsence(b *testing.B) {
	server := redistest.Start(b)
	server.Kill()
	l, err := Open(server.URL, memory.New())
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	b.ReportAllocs()
	for n := range b.N {
		success(b, l, n, false)
	}
}
