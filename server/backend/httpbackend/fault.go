package httpbackend

import "strings"

// Fault is one thing that is wrong with a tool's HTTP entry.
type Fault struct {
	// Path is where, below the tool: `http.url`, `idempotency_key.name`.
	Path string
	// Message says what is wrong.
	Message string
	// Accepted says what would be right; may be empty.
	Accepted string
}

// Faults is the error of New: all that is wrong.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Path + ": " + fault.Message
		if fault.Accepted != "" {
			lines[i] += "; accepted: " + fault.Accepted
		}
	}
	return strings.Join(lines, "\n")
}

// collector gathers faults while an entry is compiled.
type collector struct{ found Faults }

func (c *collector) add(path, message, accepted string) {
	c.found = append(c.found, Fault{Path: path, Message: message, Accepted: accepted})
}
