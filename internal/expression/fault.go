package expression

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
)

// Fault is one thing that is wrong with what the operator wrote.
type Fault struct {
	// Path is where, below what was compiled: `[2].when`, `items`.
	Path string
	// Line and Column are the place within the expression, from 1; 0 where it is
	// not about a place in one.
	Line, Column int
	// Message says what is wrong.
	Message string
	// Accepted says what would be right; may be empty.
	Accepted string
}

func (f Fault) String() string {
	text := f.Path
	if f.Line > 0 {
		text = fmt.Sprintf("%s (%d:%d)", text, f.Line, f.Column)
	}
	text += ": " + f.Message
	if f.Accepted != "" {
		text += "; accepted: " + f.Accepted
	}
	return text
}

// Faults is the error of compiling: all that is wrong, in the order of the text.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// collector gathers faults while something is compiled.
type collector struct{ found Faults }

// err is what was found, nil where nothing was.
func (c *collector) err() error {
	if len(c.found) == 0 {
		return nil
	}
	return c.found
}

func (c *collector) add(path, message, accepted string) {
	c.found = append(c.found, Fault{Path: path, Message: message, Accepted: accepted})
}

func (c *collector) addIssues(path string, issues *cel.Issues) {
	for _, issue := range issues.Errors() {
		c.found = append(c.found, Fault{
			Path: path, Line: max(1, issue.Location.Line()), Column: max(0, issue.Location.Column()) + 1, Message: plain(issue.Message),
		})
	}
}

// plain spares people the parser's list of every token that it knows.
func plain(message string) string {
	if before, _, found := strings.Cut(message, "mismatched input '<EOF>'"); found {
		return before + "the expression ends too early"
	}
	if before, list, found := strings.Cut(message, " expecting {"); found && len(list) > 30 {
		return before
	}
	return message
}
