package memory

import (
	"runtime"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

// What docs/production.md says of the memory that live runs need.
func TestALiveRunTakesNoMoreThanIsStated(t *testing.T) {
	const runs = 100_000
	for _, kind := range []struct {
		name string
		play func(l *Ledger, n int)
		most float64 // bytes
	}{
		{"succeeded", func(l *Ledger, n int) { succeed(t, l, runNamed(n), "list") }, 220},
		{"failed once", func(l *Ledger, n int) { fail(t, l, runNamed(n), "pay", interceptors.Key{1}) }, 2 << 10},
	} {
		t.Run(kind.name, func(t *testing.T) {
			before := heap()
			l := New()
			for n := range runs {
				kind.play(l, n)
			}
			measured, told := float64(heap()-before)/runs, float64(l.Size().Bytes)/runs
			t.Logf("%.0f bytes a run, %.0f by Size", measured, told)
			if measured > kind.most {
				t.Errorf("%.0f bytes a run, at most %.0f are stated", measured, kind.most)
			}
			if told < measured/2 || told > measured*2 {
				t.Errorf("Size tells of %.0f bytes a run, there are %.0f", told, measured)
			}
			if got := l.Size().Runs; got != runs {
				t.Errorf("%d runs are there, want %d", got, runs)
			}
			runtime.KeepAlive(l)
		})
	}
}
