package catalog

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
)

// Form is a text in the form of a message, read as strictly as a catalogue is: what
// is wrong has its line and column. It belongs to one goroutine.
type Form struct {
	report *report
	root   at
}

// ReadForm reads a text into message. name stands in the places of problems.
func ReadForm(name string, data []byte, message proto.Message) *Form {
	problems := newReport(name)
	return &Form{report: problems, root: at{node: newSource(name, data).read(problems, message)}}
}

// Say reports a problem, whose place is found by names (string) and positions in
// lists (int). A place that could not be read is not complained about again.
func (f *Form) Say(problem Problem, steps ...any) {
	place := f.root
	for _, step := range steps {
		if i, ok := step.(int); ok {
			place = place.index(i)
		} else {
			place = place.field(fmt.Sprint(step))
		}
	}
	place.path = strings.TrimPrefix(place.path, ".")
	f.report.add(place, problem)
}

// Err is a Problems, in the order of the file; nil where nothing is wrong.
func (f *Form) Err() error { return f.report.err() }
