package backend

import "strings"

// Fault is one thing that is wrong with a tool's entry or an upstream's settings.
type Fault struct {
	// Path is where, below the tool or the upstream: `http.url`, `idempotency_key.name`.
	Path string
	// Message says what is wrong.
	Message string
	// Accepted says what would be right; may be empty.
	Accepted string
	// Name is what was looked for among Names; empty: nothing was.
	Name  string
	Names []string
}

// Faults is all that is wrong, as an error.
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
