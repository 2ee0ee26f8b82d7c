package lint

import "fmt"

// Severity says how sure harm is.
type Severity int

// The severities.
const (
	Note    Severity = iota // could be better
	Warning                 // will cost calls, tokens or trust
	Error                   // does not do what it says, or does harm
)

var severityNames = []string{"note", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads a severity's name.
func ParseSeverity(name string) (Severity, error) {
	for i, known := range severityNames {
		if name == known {
			return Severity(i), nil
		}
	}
	return Note, fmt.Errorf("%q is no severity: note, warning, error", name)
}

// Place is where something stands: lines and columns count from 1, columns in
// characters. EndColumn is behind the last character; it is on the same line.
type Place struct {
	Line, Column, EndColumn int
	// Path names the place: `tools[2].errors[0].when`.
	Path string
}

// Finding is one fault.
type Finding struct {
	Rule     string // its stable id, see Rules
	Severity Severity
	File     string
	Place    Place
	Message  string
	Why      string // what it costs to leave it
	Fix      string // what to write; may be empty
	Related  *Related
	Edits    []Edit
	// Sure says that the edits can't change what a right call does.
	Sure bool
	// Excuse is why it is meant to be so; empty where nobody said.
	Excuse string
}

// Related is another place that a finding is about.
type Related struct {
	Place   Place
	Message string
}

// Edit replaces the bytes from Start to End of the text by New.
type Edit struct {
	Start, End int
	New        string
}
