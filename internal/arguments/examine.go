package arguments

import (
	"errors"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// finding is what examining one text brought.
type finding struct {
	root   *node   // nil: the text is not JSON
	faults []fault // none: root is valid
	syntax bool    // the fault is that the text is not JSON
}

// examine does what certainly leaves: it asks the judge, coerces where one
// reading exists, and asks again.
func (s *Schema) examine(text string) finding {
	root, syntax := parse(text)
	if syntax != nil {
		return finding{syntax: true, faults: []fault{{kind: "syntax", problem: "stop being JSON at " + syntax.describe(text)}}}
	}
	if twice := duplicates(root, nil); len(twice) > 0 {
		return finding{root: root, faults: duplicateFaults(twice)}
	}
	e := newEngine(s.kinds)
	if e.cost(s.root, root) > maxWork {
		return finding{root: root, faults: []fault{{kind: "depth", problem: "are nested too deeply for this tool's schema"}}}
	}
	root = e.whole(s.root, root)
	return finding{root: root, faults: s.faults(e, root)}
}

func duplicateFaults(paths [][]string) (all []fault) {
	for _, path := range paths {
		all = append(all, fault{path: path, kind: "duplicate", problem: "is given twice; which value is meant is not known"})
	}
	return all
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

// faults returns what the judge says of the arguments as they stand now.
func (s *Schema) faults(e *engine, root *node) []fault {
	if root.kind != isObject {
		return []fault{{kind: "type", problem: "are " + kindWords(root.kind) + ", not an object", format: "JSON object", value: root}}
	}
	err := s.root.Validate(root.value())
	if err == nil {
		return nil
	}
	r := &reporter{schema: s, engine: e, root: root}
	var failed *jsonschema.ValidationError
	if errors.As(err, &failed) {
		r.report(failed)
	}
	if len(r.all) == 0 {
		r.all = []fault{{kind: "schema", problem: "do not fit this tool's schema"}}
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
