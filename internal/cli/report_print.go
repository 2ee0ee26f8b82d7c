package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolgate.dev/toolgate/internal/evidence"
)

// reportTables prints a report for a person.
func (s *session) reportTables(r *evidence.Report, rows int) {
	s.reportHead(r)
	s.reportFailures(r.Failures, rows)
	s.reportGuesses(r.Guesses, rows)
	s.reportWaits(r.Waits, rows)
	if r.Runs.WithoutResult > 0 {
		s.section("RUNS WITHOUT ONE RESULT")
		line := grouped(r.Runs.WithoutResult)
		if len(r.Runs.First) > 0 {
			line += ": " + visible(strings.Join(r.Runs.First, ", "))
			if uint64(len(r.Runs.First)) < r.Runs.WithoutResult {
				line += ", …"
			}
		}
		fmt.Fprintln(s.Stdout, line)
	}
	fmt.Fprintln(s.Stdout)
	for _, note := range r.Notes {
		fmt.Fprintln(s.Stdout, s.out.dim(note))
	}
}

func (s *session) reportHead(r *evidence.Report) {
	calls := grouped(r.Calls) + " calls"
	if r.Calls == 1 {
		calls = "1 call"
	}
	if r.Estimated {
		calls = "≈ " + calls
	}
	if !r.Since.IsZero() {
		calls += " since " + r.Since.Local().Format("2 Jan 15:04")
	}
	if !r.Until.IsZero() {
		calls += " until " + r.Until.Local().Format("2 Jan 15:04")
	}
	if r.Failed == 0 {
		fmt.Fprintf(s.Stdout, "%s, %s\n", calls, s.out.good("none failed"))
		return
	}
	fmt.Fprintf(s.Stdout, "%s, %s failed (%s), ≈ %s tokens read of it\n", calls, s.out.bold(grouped(r.Failed)), percent(r.FailedShare), grouped(r.Tokens))
}

func (s *session) section(title string) { fmt.Fprintf(s.Stdout, "\n%s\n", s.out.bold(title)) }

func (s *session) reportFailures(all []evidence.Finding, rows int) {
	if len(all) == 0 {
		return
	}
	s.section("FAILURES, the ones to mend first on top")
	list := table{head: []string{"#", "TOOL", "FIELD", "CODE", "CALLS", "OF ALL", "OF TOOL", "ATTEMPTS", "TOKENS"}}
	for _, f := range all[:min(rows, len(all))] {
		calls := grouped(f.Calls)
		if f.RefusedAfter > 0 {
			calls += "+" + grouped(f.RefusedAfter)
		}
		list.add(strconv.Itoa(f.Rank), visible(f.Tool), visible(f.Field), visible(f.Code), calls, percent(f.Share), percent(f.ShareOfTool), grouped(f.Attempts), grouped(f.Tokens))
	}
	list.write(s.Stdout, s.out, s.Width)
	s.more(len(all), rows)
	fmt.Fprintln(s.Stdout)
	for _, f := range all[:min(rows, len(all))] {
		s.change(f)
	}
}

func (s *session) more(all, rows int) {
	if all > rows {
		fmt.Fprintln(s.Stdout, s.out.dim(fmt.Sprintf("and %d more: --rows %d", all-rows, all)))
	}
}

// change prints what would end a failure.
func (s *session) change(f evidence.Finding) {
	number := s.out.bold(fmt.Sprintf("%d.", f.Rank))
	if f.Fix == nil {
		fmt.Fprintf(s.Stdout, "%s %s\n", number, f.Advice)
		return
	}
	fmt.Fprintf(s.Stdout, "%s %s: %s\n", number, s.out.warn(endsWords(f.Fix.Ends)), visible(f.Fix.Why))
	s.lines(f.Fix)
	var would []string
	if f.Fix.Coerced > 0 {
		would = append(would, grouped(f.Fix.Coerced)+" would have been sent in that form")
	}
	if f.Fix.Refused > 0 {
		would = append(would, grouped(f.Fix.Refused)+" would have been refused before the tool is asked")
	}
	if len(would) > 0 {
		fmt.Fprintf(s.Stdout, "   %s\n", s.out.dim(fmt.Sprintf("of %s %s", count(int(f.Calls), "call"), strings.Join(would, ", "))))
	}
}

func endsWords(ends string) string {
	switch ends {
	case evidence.EndsByCoercion:
		return "coercion ends it"
	case evidence.EndsBySchema:
		return "the schema ends it"
	case evidence.EndsByRule:
		return "a rule tells what it is"
	}
	return "the description helps"
}

// lines prints the change as a difference.
func (s *session) lines(fix *evidence.Fix) {
	place := fix.Path
	if fix.File != "" {
		place = fmt.Sprintf("%s:%d: %s", fix.File, fix.FileLine, place)
	}
	fmt.Fprintf(s.Stdout, "   %s\n", visible(place))
	if fix.Was != "" {
		fmt.Fprintf(s.Stdout, "   %s\n", s.out.bad("- "+visible(fix.Was)))
	}
	fmt.Fprintf(s.Stdout, "   %s\n", s.out.good("+ "+visible(fix.Line)))
}

func (s *session) reportGuesses(all []evidence.Guess, rows int) {
	if len(all) == 0 {
		return
	}
	s.section("CLASSES THAT ARE GUESSES, from the status alone")
	list := table{head: []string{"TOOL", "STATUS", "CODE", "CLASS", "CALLS"}}
	for _, g := range all[:min(rows, len(all))] {
		list.add(visible(g.Tool), strconv.Itoa(int(g.Status)), visible(g.Code), g.Class, grouped(g.Calls))
	}
	list.write(s.Stdout, s.out, s.Width)
	s.more(len(all), rows)
	fmt.Fprintln(s.Stdout)
	for _, g := range all[:min(rows, len(all))] {
		s.lines(g.Fix)
	}
}

func (s *session) reportWaits(all []evidence.Wait, rows int) {
	if len(all) == 0 {
		return
	}
	s.section("WHAT TIME CURES, or would have to")
	list := table{head: []string{"TOOL", "CODE", "CALLS", "GIVEN UP", "ATTEMPTS", "WAITED"}}
	for _, w := range all[:min(rows, len(all))] {
		waited := time.Duration(w.Waited * float64(time.Second)).Round(time.Second / 10)
		list.add(visible(w.Tool), visible(w.Code), grouped(w.Calls), grouped(w.GivenUp), grouped(w.Attempts), waited.String())
	}
	list.write(s.Stdout, s.out, s.Width)
	s.more(len(all), rows)
	fmt.Fprintln(s.Stdout)
	said := map[string]bool{}
	for _, w := range all[:min(rows, len(all))] {
		if !said[w.Advice] {
			fmt.Fprintf(s.Stdout, "   %s: %s\n", visible(w.Code), w.Advice)
		}
		said[w.Advice] = true
	}
}

// grouped writes a count with its thousands apart.
func grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func percent(share float64) string {
	switch {
	case share == 0:
		return "-"
	case share < 0.001:
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", share*100)
}
