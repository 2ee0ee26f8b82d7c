package chaos

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"google.golang.org/grpc/codes"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Report is all figures of a trial.
type Report struct {
	Kinds    int        `json:"faults"` // kinds injected
	Seconds  float64    `json:"seconds"`
	Phases   []PhaseRow `json:"phases"`
	Replicas []LeakRow  `json:"replicas"`
	Verdict  *Verdict   `json:"verdict"`
	Leaks    int        `json:"leaks"`

	// How often a replica found itself without Redis, and how often of these
	// nothing kept Redis away: a busy machine lets an answer wait.
	Absences  int `json:"absences"`
	Unplanned int `json:"unplanned_absences"`
}

// PhaseRow is what the clients saw during one kind of fault.
type PhaseRow struct {
	Fault         string  `json:"fault"`
	Seconds       float64 `json:"seconds"`
	Rpcs          int     `json:"rpcs"`
	Results       int     `json:"results"`
	Transient     int     `json:"transient"`
	Invalid       int     `json:"invalid_request"`
	Terminal      int     `json:"terminal"`
	Unknown       int     `json:"outcome_unknown"` // of the terminal ones
	Unavailable   int     `json:"unavailable"`
	Deadline      int     `json:"deadline_exceeded"`
	Other         int     `json:"other_statuses"` // those of clients that left, and worse
	MedianMillis  float64 `json:"median_ms"`
	NinetyNine    float64 `json:"p99_ms"`
	LongestMillis float64 `json:"max_ms"`

	took []time.Duration
}

// LeakRow is what a replica holds before the first call and behind the last.
type LeakRow struct {
	Before gauges `json:"before"`
	After  gauges `json:"after"`
	Leaks  bool   `json:"leaks"`
}

// Failed reports that the gateway broke its word.
func (r *Report) Failed() bool { return r.Verdict.failed() || r.Leaks > 0 }

// Line is the last line of a trial.
func (r *Report) Line() string {
	return fmt.Sprintf("chaos: calls=%d faults=%d lost=%d doubled=%d", r.Verdict.Calls, r.Kinds, r.Verdict.Lost, r.Verdict.Doubled)
}

func (g *game) report() (*Report, error) {
	g.phases[len(g.phases)-1].End = time.Now()
	record, err := readRecord(g.stage.record)
	if err != nil {
		return nil, err
	}
	r := &Report{Kinds: g.struck, Phases: g.rows()}
	blind, err := g.blind(r)
	if err != nil {
		return nil, err
	}
	t := &trial{
		calls: g.clients.calls, record: record, blind: blind,
		gentle: func(n int) bool { return g.phases[n].gentle },
	}
	r.Verdict = t.judge()
	r.Seconds = time.Since(g.phases[0].Begin).Seconds()
	r.Replicas, err = g.settle()
	for _, row := range r.Replicas {
		if row.Leaks {
			r.Leaks++
		}
	}
	return r, err
}

// blind is when some replica was without Redis: while we kept it away, and by the
// replicas' own account.
func (g *game) blind(r *Report) ([]window, error) {
	all := g.stage.blind
	for _, replica := range g.stage.gateways {
		reported, err := absences(replica.log)
		if err != nil {
			return nil, err
		}
		r.Absences += len(reported)
		for _, w := range reported {
			if !slices.ContainsFunc(g.stage.blind, func(planned window) bool { return planned.meets(w.Begin, w.End) }) {
				r.Unplanned++
			}
		}
		all = append(all, reported...)
	}
	return all, nil
}

// rows counts by fault, however often it struck.
func (g *game) rows() []PhaseRow {
	var rows []PhaseRow
	at := make([]int, len(g.phases)) // the row of a phase
	for n, p := range g.phases {
		at[n] = slices.IndexFunc(rows, func(r PhaseRow) bool { return r.Fault == p.Fault })
		if at[n] < 0 {
			at[n] = len(rows)
			rows = append(rows, PhaseRow{Fault: p.Fault})
		}
		rows[at[n]].Seconds += p.End.Sub(p.Begin).Seconds()
	}
	for _, c := range g.clients.calls {
		for _, s := range c.Sends {
			rows[at[s.Phase]].count(s)
		}
	}
	for n := range rows {
		rows[n].rank()
	}
	return rows
}

func (r *PhaseRow) count(s send) {
	r.Rpcs++
	r.took = append(r.took, s.End.Sub(s.Begin))
	switch {
	case s.Code == codes.Unavailable:
		r.Unavailable++
	case s.Code == codes.DeadlineExceeded:
		r.Deadline++
	case s.Code != codes.OK:
		r.Other++
	case s.Outcome.Result:
		r.Results++
	case s.Outcome.Class == toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
		r.Transient++
	case s.Outcome.Class == toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST:
		r.Invalid++
	default:
		r.Terminal++
		if s.Outcome.Code == "outcome_unknown" {
			r.Unknown++
		}
	}
}

func (r *PhaseRow) rank() {
	if len(r.took) == 0 {
		return
	}
	slices.Sort(r.took)
	at := func(share float64) float64 {
		return float64(r.took[int(share*float64(len(r.took)-1))].Microseconds()) / 1000
	}
	r.MedianMillis, r.NinetyNine, r.LongestMillis = at(0.5), at(0.99), at(1)
}

const (
	settleTimeout = 30 * time.Second
	spare         = 8   // goroutines or files that may be more than before: a scrape, the runtime's own
	spareMiB      = 384 // of heap: outcomes and runs are kept for minutes
)

// settle has everybody hang up, waits until the replicas have let go, and
// compares what they hold with what they held at first.
func (g *game) settle() ([]LeakRow, error) {
	_ = g.clients.conn.Close()
	g.stage.dismiss()
	if err := g.stage.toxics.set(wayBackend, map[string]any{"enabled": false}); err != nil {
		return nil, err
	}
	var rows []LeakRow
	deadline := time.Now().Add(settleTimeout)
	for _, r := range g.stage.gateways {
		row := LeakRow{Before: r.base, Leaks: true}
		for row.Leaks && time.Now().Before(deadline.Add(time.Second)) {
			var err error
			if row.After, err = r.gauges(); err != nil {
				return nil, err
			}
			row.Leaks = row.After.Goroutines > r.base.Goroutines+spare || row.After.Files > r.base.Files+spare ||
				row.After.HeapMiB > r.base.HeapMiB+spareMiB
			if row.Leaks {
				time.Sleep(500 * time.Millisecond)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Print writes the tables, and Line last.
func (r *Report) Print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "fault\ts\trpcs\tresult\ttransient\tinvalid\tterminal\t(unknown)\tUNAVAILABLE\tDEADLINE\tother\tp50 ms\tp99 ms\tmax ms\t")
	for _, p := range r.Phases {
		fmt.Fprintf(table, "%s\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.0f\t%.0f\t\n", p.Fault, p.Seconds, p.Rpcs, p.Results,
			p.Transient, p.Invalid, p.Terminal, p.Unknown, p.Unavailable, p.Deadline, p.Other, p.MedianMillis, p.NinetyNine, p.LongestMillis)
	}
	_ = table.Flush()
	v := r.Verdict
	fmt.Fprintf(w, "\n%d calls in %d rpcs over %.0f s; %d effects at the back end\n", v.Calls, v.Sends, r.Seconds, v.Effects)
	fmt.Fprintf(w, "lost %d: unclean %d, hung %d, dropped %d, invented %d, hidden %d\n", v.Lost, v.Unclean, v.Hung, v.Dropped, v.Invented, v.Hidden)
	fmt.Fprintf(w, "doubled %d: under two keys %d\n", v.Doubled, v.DoubleKey)
	fmt.Fprintf(w, "replicas were without Redis %d times, %d of them by themselves\n", r.Absences, r.Unplanned)
	fmt.Fprintf(w, "sent again while a replica was without Redis %d (the bound); doubled of these %d\n", v.BlindResent, v.BlindDoubled)
	fmt.Fprintf(w, "caps: %d runs, %d broken; repeats: %d runs, %d reached the tool again\n", v.CapRuns, v.CapBroken, v.RepeatRuns, v.RepeatTwice)
	for n, row := range r.Replicas {
		fmt.Fprintf(w, "replica %d: goroutines %.0f → %.0f, files %.0f → %.0f, heap %.0f → %.0f MiB, resident %.0f → %.0f MiB%s\n", n,
			row.Before.Goroutines, row.After.Goroutines, row.Before.Files, row.After.Files,
			row.Before.HeapMiB, row.After.HeapMiB, row.Before.ResidentMiB, row.After.ResidentMiB, map[bool]string{true: " LEAK"}[row.Leaks])
	}
	for _, text := range v.Faulty {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintln(w, r.Line())
}
