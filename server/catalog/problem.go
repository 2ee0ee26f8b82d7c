package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a catalogue.
type Problem struct {
	// File is the name that the catalogue was read under.
	File string
	// Line and Column are the place, from 1; 0 for a tool that was added in Go.
	Line, Column int
	// Path names the place: `tools[2].errors[0].when`.
	Path string
	// Message says what is wrong.
	Message string
	// Accepted says what would be right; may be empty.
	Accepted string
	// Suggestion is the nearest right name; may be empty.
	Suggestion string
}

// String is `file:line:column: path: message; did you mean x? accepted: y`.
func (p Problem) String() string {
	var text strings.Builder
	if p.File != "" {
		text.WriteString(p.File + ":")
	}
	if p.Line > 0 {
		fmt.Fprintf(&text, "%d:%d:", p.Line, p.Column)
	}
	if text.Len() > 0 {
		text.WriteString(" ")
	}
	if p.Path != "" {
		text.WriteString(p.Path + ": ")
	}
	text.WriteString(p.Message)
	if p.Suggestion != "" {
		text.WriteString("; did you mean " + p.Suggestion + "?")
	}
	if p.Accepted != "" {
		separator := ";"
		if p.Suggestion != "" {
			separator = ""
		}
		text.WriteString(separator + " accepted: " + p.Accepted)
	}
	return text.String()
}

// Problems is the error of Load and Parse: all that is wrong, in the order of
// the file.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// report collects problems. A place that could not be read is not complained
// about again.
type report struct {
	file     string
	found    Problems
	warned   Problems        // what refuses nothing
	noted    Problems        // what only a reviewer wants to know
	outcomes []*Import       // what became of documents
	dark     map[string]bool // paths below which nothing could be read
}

func newReport(file string) *report { return &report{file: file, dark: map[string]bool{}} }

// add reports a problem, unless its place could not be read.
func (r *report) add(at at, problem Problem) {
	if r.isDark(at.path) {
		return
	}
	r.found = append(r.found, r.placed(at, problem))
}

// warn reports what is wrong and refuses nothing.
func (r *report) warn(at at, problem Problem) { r.warned = append(r.warned, r.placed(at, problem)) }

// note reports what is served and could be better.
func (r *report) note(at at, problem Problem) { r.noted = append(r.noted, r.placed(at, problem)) }

func (r *report) placed(at at, problem Problem) Problem {
	problem.File, problem.Path = r.file, at.path
	if at.node != nil && problem.Line == 0 {
		problem.Line, problem.Column = at.node.Line, at.node.Column
	}
	if problem.Line == 0 {
		problem.File = "" // the tool was added in Go
	}
	return problem
}

func (r *report) sayf(at at, accepted, format string, args ...any) {
	r.add(at, Problem{Message: fmt.Sprintf(format, args...), Accepted: accepted})
}

// darken reports a problem and remembers that nothing at the place could be
// read.
func (r *report) darken(at at, problem Problem) {
	r.add(at, problem)
	r.dark[at.path] = true
}

func (r *report) isDark(path string) bool {
	for path != "" {
		if r.dark[path] {
			return true
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return false
}

// err returns what was found, in the order of the file; nil for nothing.
func (r *report) err() error {
	if len(r.found) == 0 {
		return nil
	}
	r.found.sort()
	return r.found
}

func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
