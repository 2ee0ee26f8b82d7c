package arguments

import (
	"errors"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// finding is what examining one text brought.
type finding struct {
	root   *node    // nil: the text is not JSON
	faults []*fault // none: root is valid
	syntax bool     // the fault is that the text is not JSON
}

// examine does what certainly leaves: it asks the judge, coerces where one
// reading exists, and asks again.
func (s *Schema) examine(text string) finding {
	root, syntax := parse(text)
	if syntax != nil {
		return finding{syntax: true, faults: []*fault{{kind: "syntax", problem: "is not JSON: " + syntax.describe(text)}}}
	}
	if twice := duplicates(root, nil); len(twice) > 0 {
		return finding{root: root, faults: duplicateFaults(twice)}
	}
	e := s.engine()
	root = e.whole(s.root, root)
	return finding{root: root, faults: s.faults(e, root)}
}

func duplicateFaults(paths [][]string) (all []*fault) {
	for _, path := range paths {
		all = append(all, &fault{path: path, kind: "duplicate", problem: "is given twice; which value is meant is not known"})
	}
	return all
}

// shown returns the first faults, at most n, with all that they say.
func (f finding) shown(n int) []*fault {
	first := f.faults[:min(len(f.faults), n)]
	for _, fault := range first {
		if fault.fill != nil {
			fault.fill(fault)
			fault.fill = nil
		}
	}
	return first
}

// whole coerces the arguments as a whole. Nothing at all (an empty string, null)
// is no arguments.
func (e *engine) whole(root *schema, n *node) *node {
	switch {
	case n.kind == isString && n.text == "":
		n = &node{kind: isObject, raw: "{}", change: &change{was: n.raw, rule: "empty_arguments_to_object"}}
	case n.kind == isNull:
		n = &node{kind: isObject, raw: "{}", change: &change{was: n.raw, rule: "null_arguments_to_object"}}
	}
	return e.coerce(e.place([]*schema{onlyObject(), root}, n), n)
}

// judgeSteps is how many steps the judge may take: so many for each value, and
// some. Only a schema that calls itself in several branches needs more.
const (
	judgeSteps        = 100_000
	judgeStepsPerNode = 8
)

// faults returns what the judge says of the arguments as they stand now. Where
// asking it would take too long, the verdict is ours, and says less.
func (s *Schema) faults(e *engine, root *node) []*fault {
	if root.kind != isObject {
		return []*fault{{kind: "type", problem: "is " + kindWords(root.kind) + ", not an object", format: "JSON object", value: root}}
	}
	if e.cost(s.root, root) > judgeSteps+judgeStepsPerNode*root.size() {
		if e.holds(s.root, root) {
			return nil
		}
		return []*fault{{kind: "depth", problem: "does not fit this tool's schema, and is nested too deeply to say where"}}
	}
	err := s.root.Validate(root.value())
	if err == nil {
		return nil
	}
	r := newReporter(s, e, root)
	if failed, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		r.report(failed)
	}
	if len(r.all) == 0 {
		r.add(fault{kind: "schema", problem: "does not fit this tool's schema"})
	}
	return r.sorted()
}

// eachChange visits the coercions in the order of the text, outer ones first.
func (n *node) eachChange(path []string, visit func(path []string, c *change, now *node)) {
	if n.change != nil {
		visit(path, n.change, n)
	}
	for _, m := range n.members {
		at := deeper(path, m.name)
		if m.dropped != nil {
			visit(at, m.dropped, nil)
			continue
		}
		m.value.eachChange(at, visit)
	}
	for i, item := range n.items {
		item.eachChange(deeper(path, strconv.Itoa(i)), visit)
	}
}
