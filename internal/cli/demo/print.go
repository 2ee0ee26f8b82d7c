package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolgate.dev/toolgate/examples/agent"
)

func (d Demo) opening(number int, s story) {
	fmt.Fprintf(d.Out, "%s\n%s\n\n", marked(d.Style.Bold, fmt.Sprintf("%d. %s", number, s.name)), s.goal)
}

// transcript prints a story: behind toolgate step by step, behind the naive
// stack, where all steps are alike, once.
func (d Demo) transcript(pair Pair) {
	for _, step := range pair.Toolgate.Run.Steps {
		d.line("model", step.Call.Tool+" "+step.Call.Arguments)
		for _, change := range step.Answer.Coercions {
			d.line("", marked(d.Style.Dim, fmt.Sprintf("(sent %s as %s)", change.GetField(), change.GetToJson())))
		}
		d.line("tool", shortened(step.Answer.Text))
		if failed := step.Answer.Failure; failed != nil {
			d.line("", marked(d.Style.Dim, fmt.Sprintf("(%s, upstream attempts: %d; next: %s)", failed.Class, failed.Proto().GetAttempts(), step.Move)))
		}
	}
	d.line("", d.verdict(pair))
	steps := pair.Naive.Run.Steps
	if len(steps) > 0 {
		d.line("naive", fmt.Sprintf("%s %s", steps[0].Call.Tool, steps[0].Call.Arguments))
		d.line("", fmt.Sprintf("%s  × %d", shortened(steps[len(steps)-1].Answer.Text), len(steps)))
	}
	fmt.Fprintln(d.Out)
}

func (d Demo) verdict(pair Pair) string {
	if pair.Wrong != nil {
		return marked(d.Style.Bad, "did not end as it must: "+strings.ReplaceAll(pair.Wrong.Error(), "\n", "; "))
	}
	return marked(d.Style.Good, outcome(pair.Toolgate))
}

func (d Demo) line(who, text string) {
	fmt.Fprintf(d.Out, "  %-6s %s\n", who, text)
}

// shownBytes keeps a list of invoices from filling the screen. Failures are
// shorter, and shown whole.
const shownBytes = 1024

func shortened(text string) string {
	if len(text) <= shownBytes {
		return text
	}
	return strings.ToValidUTF8(text[:shownBytes], "") + "…"
}

func outcome(p Played) string {
	steps := p.Run.Steps
	switch {
	case p.Run.Done:
		return "succeeded"
	case len(steps) > 0 && steps[len(steps)-1].Move == agent.Report:
		return "gave up and reported"
	}
	return fmt.Sprintf("nothing after %d steps", len(steps))
}

// table prints what was counted, both layers of a story beside each other.
func (d Demo) table(pairs []Pair) {
	rows := [][]string{{"", "", "upstream calls", "seconds slept", "round trips", "bytes", "o200k tokens", "outcome"}}
	for _, pair := range pairs {
		rows = append(rows, cells(pair.Story, "naive stack", pair.Naive), cells("", "toolgate", pair.Toolgate))
	}
	fmt.Fprintln(d.Out, marked(d.Style.Bold, "What was counted"))
	fmt.Fprintln(d.Out, "Upstream calls at the back ends; bytes and tokens that calls and answers added to the transcript.")
	fmt.Fprintln(d.Out, "The naive stack's sleeps are on a virtual clock.")
	fmt.Fprintln(d.Out)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for n, row := range rows {
		text := aligned(row, widths)
		switch {
		case n == 0:
			text = marked(d.Style.Bold, text)
		case n%2 == 1:
			text = marked(d.Style.Dim, text)
		}
		fmt.Fprintln(d.Out, text)
	}
}

func cells(story, layer string, p Played) []string {
	return []string{
		story, layer, strconv.FormatInt(p.Requests, 10), seconds(p.Slept),
		strconv.Itoa(len(p.Run.Steps)), strconv.Itoa(p.Bytes), strconv.Itoa(p.Tokens), outcome(p),
	}
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// aligned sets words to the left and numbers to the right.
func aligned(row []string, widths []int) string {
	var text strings.Builder
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-len(cell))
		if number := i >= 2 && i < len(row)-1; number {
			text.WriteString(pad + cell + "  ")
		} else {
			text.WriteString(cell + pad + "  ")
		}
	}
	return strings.TrimRight(text.String(), " ")
}

func marked(mark func(string) string, text string) string {
	if mark == nil {
		return text
	}
	return mark(text)
}
