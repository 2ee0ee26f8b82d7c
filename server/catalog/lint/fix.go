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
// comments, order and line breaks stay. Edits that overlap are made one at a
// time, and what would leave a file that is worse than before is not made at all.
func Fix(name string, data []byte, want func(Finding) bool, options ...catalog.Option) (Fixed, error) {
	fixed := Fixed{Data: data}
	for range maxRounds {
		report, err := Check(name, fixed.Data, options...)
		if err != nil {
			return fixed, err
		}
		next, done := report.apply(want)
		if len(done) == 0 {
			return fixed, nil
		}
		after, err := Check(name, []byte(next), options...)
		if err != nil || !better(report, after, done) {
			return fixed, err
		}
		fixed.Data = restore(data, next)
		fixed.Done = append(fixed.Done, done...)
	}
	return fixed, nil
}

// maxRounds bounds the rounds in which edits that overlap are made.
const maxRounds = 8

// apply makes the edits that don't overlap.
func (r *Report) apply(want func(Finding) bool) (text string, done []Finding) {
	var edits []Edit
	for _, f := range r.Findings {
		if len(f.Edits) == 0 || !want(f) || overlap(edits, f.Edits) {
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
