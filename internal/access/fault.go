package access

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with an access file.
type Fault struct {
	// Steps lead to the place: names of fields and keys (string), positions in lists
	// (int).
	Steps []any
	// Message says what is wrong, and holds no secret.
	Message string
	// Accepted says what would be right; may be empty.
	Accepted string
}

// Faults is all that is wrong.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fmt.Sprintf("%v: %s", fault.Steps, fault.Message)
	}
	return strings.Join(lines, "\n")
}

// place is where a part of the file is compiled.
type place struct {
	found *Faults
	steps []any
}

func (p place) at(steps ...any) place {
	return place{found: p.found, steps: append(append([]any(nil), p.steps...), steps...)}
}

func (p place) sayf(accepted, format string, args ...any) {
	*p.found = append(*p.found, Fault{Steps: p.steps, Message: fmt.Sprintf(format, args...), Accepted: accepted})
}
