package decide

import (
	"fmt"

	"cel.dev/cel-go/cel"
)

// maxCubes bounds the search: the number of combinations that are looked at
// together.
const maxCubes = 4096

// Reads says what conditions may read.
type Reads struct {
	// Env is the environment that they compile in. Required.
	Env *cel.Env
	// Variables are the names of what they may read. `status` is a whole number.
	Variables []string
	// LowStatus and HighStatus bound `status`, both included.
	LowStatus, HighStatus int
	// Known says what is known of single values, by their path (see Path).
	Known func(path Path) Known
}

// Known is what is known of a value before any condition is read. The zero value
// is nothing.
type Known struct {
	// Missing: there is never such a value.
	Missing bool
	// Only lists all that it can be, in JSON's types; nil: anything.
	Only []any
	// Always: it is never missing.
	Always bool
}

// Space holds conditions that read the same.
type Space struct {
	reads      Reads
	conditions []*condition
	variables  map[string]*variable // by key
	order      []*variable
}

// condition is one text: what it takes to be true, and not to be.
type condition struct{ holds, fails formula }

// New reads the conditions. One that does not compile is an error.
func New(reads Reads, texts []string) (*Space, error) {
	if reads.Known == nil {
		reads.Known = func(Path) Known { return Known{} }
	}
	s := &Space{reads: reads, variables: map[string]*variable{}}
	for i, text := range texts {
		parsed, issues := reads.Env.Parse(text)
		if issues.Err() != nil {
			return nil, fmt.Errorf("condition %d: %w", i, issues.Err())
		}
		r := &reader{space: s, info: parsed.NativeRep().SourceInfo()}
		expr := parsed.NativeRep().Expr()
		s.conditions = append(s.conditions, &condition{
			holds: r.formula(expr, isTrue), fails: r.formula(expr, notTrue),
		})
	}
	for _, v := range s.order {
		v.prepare(reads)
	}
	return s, nil
}

// Never reports that condition i is proved never to be true.
func (s *Space) Never(i int) bool {
	found, ok := s.all(s.conditions[i].holds)
	return ok && len(found) == 0
}

// Covered reports that wherever condition i is true, one of the others is. by is
// one that covers it alone, -1 where only several together do.
func (s *Space) Covered(i int, others []int) (by int, covered bool) {
	left, ok := s.all(s.conditions[i].holds)
	if !ok || len(left) == 0 {
		return -1, false
	}
	for _, other := range others {
		if rest, ok := s.meet(left, s.conditions[other].fails); ok && len(rest) == 0 {
			return other, true
		}
	}
	for _, other := range others {
		rest, ok := s.meet(left, s.conditions[other].fails)
		if !ok {
			continue // without it there is less to cover with, and no more
		}
		if left = rest; len(left) == 0 {
			return -1, true
		}
	}
	return -1, false
}

// Everywhere reports that condition i is proved to be true for each status from
// low to high, whatever else came.
func (s *Space) Everywhere(i, low, high int) bool {
	within := cube{}
	status := s.variable("status", Path{"status"})
	status.prepare(s.reads)
	within = within.with(status, status.only(low, high))
	left, ok := s.meet([]cube{within}, s.conditions[i].fails)
	return ok && len(left) == 0
}
