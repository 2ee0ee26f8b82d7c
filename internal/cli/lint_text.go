package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgate.dev/toolgate/server/catalog/lint"
)

func (r *review) printText() {
	for _, report := range r.reports {
		for _, f := range report.Findings {
			r.printFinding(report, f)
		}
	}
	for _, report := range r.reports {
		r.printWaits(report)
	}
	for _, f := range r.fixed {
		r.notef("fixed: %s:%d: %s: %s", f.File, f.Place.Line, f.Rule, f.Fix)
	}
	for _, report := range r.reports {
		r.notef("%s: %s", report.File, summary(report))
	}
	if fixable := r.fixable(); fixable != "" {
		r.notef("%s", fixable)
	}
}

// printFinding prints a finding as compilers do: place, what is wrong, the line,
// why, and what to write.
func (r *review) printFinding(report *lint.Report, f lint.Finding) {
	p, w := r.out, r.Stdout
	fmt.Fprintf(w, "%s %s %s\n", p.bold(fmt.Sprintf("%s:%d:%d:", f.File, f.Place.Line, f.Place.Column)), r.severity(f.Severity), p.dim(f.Rule))
	fmt.Fprintf(w, "  %s\n", f.Message)
	r.printLine(report.Excerpt(f), f.Severity, "")
	if f.Related != nil {
		r.printLine(report.ExcerptOf(f.Related), lint.Note, f.Related.Message)
	}
	fmt.Fprintf(w, "  %s %s\n", p.dim("why:"), f.Why)
	if f.Fix != "" {
		fmt.Fprintf(w, "  %s %s\n", p.dim("fix:"), p.good(f.Fix))
	}
	fmt.Fprintln(w)
}

func (r *review) severity(s lint.Severity) string {
	switch s {
	case lint.Error:
		return r.out.bad(s.String())
	case lint.Warning:
		return r.out.warn(s.String())
	case lint.Note:
	}
	return r.out.dim(s.String())
}

// printLine prints an excerpt with carets below the place that is meant.
func (r *review) printLine(e lint.Excerpt, severity lint.Severity, words string) {
	if e.Line == 0 {
		return
	}
	p, margin := r.out, strconv.Itoa(e.Line)
	carets := strings.Repeat("^", e.Width)
	switch severity {
	case lint.Error:
		carets = p.bad(carets)
	case lint.Warning:
		carets = p.warn(carets)
	case lint.Note:
		carets = p.dim(carets)
	}
	fmt.Fprintf(r.Stdout, "  %s %s\n", p.dim(margin+" |"), e.Text)
	fmt.Fprintln(r.Stdout, strings.TrimRight(fmt.Sprintf("  %s %s%s %s", p.dim(strings.Repeat(" ", len(margin))+" |"), strings.Repeat(" ", e.Column-1), carets, p.dim(words)), " "))
}

// printWaits prints how long calls may take at worst, tools of the same numbers
// together.
func (r *review) printWaits(report *lint.Report) {
	if len(report.Waits) == 0 {
		return
	}
	rows := table{head: []string{"WORST CASE", "TOOLS", "MADE OF"}}
	for _, group := range r.groups(report.Waits) {
		names := make([]string, len(group))
		for i, wait := range group {
			names[i] = wait.Tool
		}
		rows.add(short(group[0].Worst), someNames(names), group[0].Sum())
	}
	rows.write(r.Stdout, r.out, max(r.Width, wideEnough))
}

// wideEnough keeps the sums whole on a narrow terminal.
const wideEnough = 140

func (r *review) groups(waits []lint.Wait) (groups [][]lint.Wait) {
	for _, wait := range waits {
		same := func(group []lint.Wait) bool {
			return group[0].Worst == wait.Worst && group[0].Sum() == wait.Sum()
		}
		if i := slices.IndexFunc(groups, same); i >= 0 && !r.flags.waits {
			groups[i] = append(groups[i], wait)
			continue
		}
		groups = append(groups, []lint.Wait{wait})
	}
	slices.SortStableFunc(groups, func(a, b []lint.Wait) int { return int(b[0].Worst - a[0].Worst) })
	return groups
}

// someNames lists a few names and counts the rest.
func someNames(names []string) string {
	const most = 2
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func short(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.Round(10*time.Millisecond).String(), "0s"), "0m")
}

// summary counts the findings of a file.
func summary(report *lint.Report) string {
	parts := []string{count(report.Tools, "tool")}
	counts := map[lint.Severity]int{}
	for _, f := range report.Findings {
		counts[f.Severity]++
	}
	for severity := lint.Error; severity >= lint.Note; severity-- {
		if n := counts[severity]; n > 0 {
			parts = append(parts, count(n, severity.String()))
		}
	}
	if len(report.Findings) == 0 {
		parts = append(parts, "nothing wrong")
	}
	if n := len(report.Excused); n > 0 {
		parts = append(parts, fmt.Sprintf("%d excused", n))
	}
	return strings.Join(parts, ", ")
}

// fixable says what --fix would do.
func (r *review) fixable() string {
	sure, proposed := 0, 0
	for _, report := range r.reports {
		for _, f := range report.Findings {
			switch {
			case len(f.Edits) == 0:
			case f.Sure:
				sure++
			default:
				proposed++
			}
		}
	}
	switch {
	case sure > 0 && proposed > 0:
		return fmt.Sprintf("--fix mends %d of them, --fix=all %d more as proposed", sure, proposed)
	case sure > 0:
		return fmt.Sprintf("--fix mends %d of them", sure)
	case proposed > 0:
		return fmt.Sprintf("--fix=all writes %d of them as proposed: look at what it wrote", proposed)
	}
	return ""
}
