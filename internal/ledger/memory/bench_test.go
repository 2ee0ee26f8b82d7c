package memory

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

// BenchmarkSuccess is all that a call that succeeds asks of the ledger.
func BenchmarkSuccess(b *testing.B) {
	l := New()
	runs := make([]interceptors.RunKey, 1024)
	for n := range runs {
		runs[n] = runNamed(n)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		succeed(b, l, runs[n%len(runs)], "list")
	}
}

func BenchmarkSuccessInParallel(b *testing.B) {
	l := New()
	var next atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		run := runNamed(int(next.Add(1)))
		for pb.Next() {
			succeed(b, l, run, "list")
		}
	})
}

func BenchmarkRejection(b *testing.B) {
	l := New()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		fail(b, l, runNamed(n%1024), "pay", interceptors.Key{byte(n)})
	}
}

func BenchmarkClaim(b *testing.B) {
	l := New()
	run, response := runNamed(1), (&interceptors.Outcome{}).Response()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		id := strconv.Itoa(n)
		_, _ = l.Claim(b.Context(), run, id, interceptors.Key{}, false)
		_ = l.SettleClaim(b.Context(), run, id, response)
	}
}

// BenchmarkBytesPerRun fills a ledger with live runs of two tools each and
// reports what one costs.
func BenchmarkBytesPerRun(b *testing.B) {
	for _, kind := range []struct {
		name string
		play func(b *testing.B, l *Ledger, n int)
	}{
		{"succeeded", func(b *testing.B, l *Ledger, n int) {
			b.Helper()
			succeed(b, l, runNamed(n), "list")
			succeed(b, l, runNamed(n), "get")
		}},
		{"failed once", func(b *testing.B, l *Ledger, n int) {
			b.Helper()
			succeed(b, l, runNamed(n), "list")
			fail(b, l, runNamed(n), "pay", interceptors.Key{1})
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			const runs = 200_000
			for b.Loop() {
				before := heap()
				l := New()
				for n := range runs {
					kind.play(b, l, n)
				}
				b.ReportMetric(float64(heap()-before)/runs, "B/run")
				b.ReportMetric(float64(l.Size().Bytes)/runs, "B/run-by-Size")
				runtime.KeepAlive(l)
			}
		})
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
