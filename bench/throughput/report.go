package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// spread is a median with its least and greatest value.
type spread struct{ median, least, most float64 }

func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.least, s.most) }

// ratio is that of calls per second of two ways, over the rounds.
func (r *result) ratio(of, to string) spread {
	values := make([]float64, len(r.rounds))
	for i, round := range r.rounds {
		values[i] = round[of].perSecond() / round[to].perSecond()
	}
	slices.Sort(values)
	middle := len(values) / 2
	median := values[middle]
	if len(values)%2 == 0 {
		median = (values[middle-1] + values[middle]) / 2
	}
	return spread{median: median, least: values[0], most: values[len(values)-1]}
}

func (r *result) all(way string) (total sample) {
	for _, round := range r.rounds {
		total = total.plus(round[way])
	}
	return total
}

// perCall is CPU time per call in microseconds.
func perCall(cpu time.Duration, calls int64) float64 {
	return float64(cpu.Microseconds()) / float64(max(calls, 1))
}

func report(out io.Writer, p plan, results []*result) {
	fmt.Fprintf(out, "A: direct call, B: bare hop, T: toolgate. %s/%s, %d cores, %d rounds, medians (least–greatest).\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), p.rounds)
	fmt.Fprintf(out, "Ratios of calls per second: higher is better. CPU in µs per call of the hop or gateway itself.\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "arguments\tcallers\tA calls/s\tT calls/s\tT/B\tT/A\tB/A\tCPU B\tCPU T\tT/B")
	for _, r := range results {
		a, b, t := r.all("A"), r.all("B"), r.all("T")
		bare, ours := perCall(b.between, b.calls), perCall(t.between, t.calls)
		fmt.Fprintf(table, "%s\t%d\t%.0f\t%.0f\t%v\t%v\t%v\t%.1f\t%.1f\t%.2f\n", r.size.name, r.callers, a.perSecond(), t.perSecond(),
			r.ratio("T", "B"), r.ratio("T", "A"), r.ratio("B", "A"), bare, ours, ours/max(bare, 0.1))
	}
	_ = table.Flush()
	last := map[string]*result{}
	for _, r := range results {
		if r.callers == callers[len(callers)-1] {
			last[r.size.name] = r
		}
	}
	small, large := last["small"], last["16k"]
	fmt.Fprintf(out, "\nT/B small=%.2f 16k=%.2f T/A small=%.2f 16k=%.2f\n",
		small.ratio("T", "B").median, large.ratio("T", "B").median, small.ratio("T", "A").median, large.ratio("T", "A").median)
}
