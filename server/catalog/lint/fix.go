package lint

import (
	"cmp"
	"slices"
	"strings"

	"toolgate.dev/toolgate/server/catalog"
)

// Fixed is a file with its fixes made.
type Fixed struct {
	Data []byte
	// Done are the findings that were fixed.
	Done []Finding
}

// Fix makes the edits of the findings that want accepts, in the file's own text:
// comments, order and line breaks stay. What would leave the file worse than
// before is not made: all edits together are tried first, then each alone.
func Fix(name string, data []byte, want func(Finding) bool, options ...catalog.Option) (Fixed, error) {
	fixed := Fixed{Data: data}
	f := &fixer{name: name, options: options}
	for range maxRounds {
		report, err := f.check(fixed.Data)
		if err != nil {
			return fixed, err
		}
		done, err := f.round(report, want)
		if err != nil || len(done) == 0 {
			return fixed, err
		}
		fixed.Data, fixed.Done = restore(data, f.text), append(fixed.Done, done...)
	}
	return fixed, nil
}

// maxRounds bounds the rounds in which edits that overlap are made.
const maxRounds = 8

type fixer struct {
	name    string
	options []catalog.Option
	text    string // after the last round
}

func (f *fixer) check(data []byte) (*Report, error) { return Check(f.name, data, f.options...) }

// round makes the edits of one report that do good.
func (f *fixer) round(report *Report, want func(Finding) bool) ([]Finding, error) {
	var wanted []Finding
	for _, finding := range report.Findings {
		if len(finding.Edits) > 0 && want(finding) {
			wanted = append(wanted, finding)
		}
	}
	good, err := f.good(report, wanted)
	if err != nil || len(good) == 0 {
		return nil, err
	}
	if len(good) < len(wanted) { // good one by one, and perhaps not together
		if good, err = f.try(report, good); err != nil {
			return nil, err
		}
	}
	f.text, good = report.apply(good)
	return good, nil
}

// good leaves out the findings whose edits make the file worse.
func (f *fixer) good(report *Report, wanted []Finding) ([]Finding, error) {
	if good, err := f.try(report, wanted); err != nil || len(good) > 0 || len(wanted) < 2 {
		return good, err
	}
	left, err := f.good(report, wanted[:len(wanted)/2])
	if err != nil {
		return nil, err
	}
	right, err := f.good(report, wanted[len(wanted)/2:])
	return append(left, right...), err
}

// try makes edits and returns them where that does good, else nothing.
func (f *fixer) try(report *Report, wanted []Finding) ([]Finding, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	text, done := report.apply(wanted)
	after, err := f.check([]byte(text))
	if err != nil || !better(report, after, done) {
		return nil, err
	}
	return done, nil
}

// apply makes the edits that don't overlap.
func (r *Report) apply(wanted []Finding) (text string, done []Finding) {
	var edits []Edit
	for _, f := range wanted {
		if overlap(edits, f.Edits) {
			continue
		}
		edits, done = append(edits, f.Edits...), append(done, f)
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(r.document.text[at:e.Start] + e.New)
		at = e.End
	}
	out.WriteString(r.document.text[at:])
	return out.String(), done
}

func overlap(made, more []Edit) bool {
	for _, a := range made {
		for _, b := range more {
			if a.Start <= b.End && b.Start <= a.End {
				return true
			}
		}
	}
	return false
}

// better reports that what was to be fixed is, and that nothing else is wrong.
func better(before, after *Report, done []Finding) bool {
	return len(after.Findings) <= len(before.Findings)-len(done) && after.errors() <= before.errors()
}

func (r *Report) errors() (n int) {
	for _, f := range r.Findings {
		if f.Severity == Error {
			n++
		}
	}
	return n
}

// restore gives text the line breaks and the mark of the file that it came from.
func restore(original []byte, text string) []byte {
	const mark = "\xEF\xBB\xBF"
	if strings.Contains(string(original), "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.HasPrefix(string(original), mark) {
		text = mark + text
	}
	return []byte(text)
}
