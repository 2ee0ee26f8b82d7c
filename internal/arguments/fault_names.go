package arguments

import (
	"maps"
	"slices"
	"strings"
)

// unknown reports a member that no schema names. It is never moved to another
// name and never dropped: the call would run on defaults.
func (r *reporter) unknown(object []string, name string) {
	n := r.root.at(object)
	if n == nil {
		return
	}
	f := fault{path: deeper(object, name), kind: "additional", problem: "is no argument of this tool", value: n.member(name)}
	if len(object) > 0 {
		f.problem = "is no member of this object"
	}
	f.fill = func(f *fault) {
		flat := r.engine.flatten(r.at(object), n)
		names := declared(flat)
		f.accepted = Nearest(name, names, len(names))
		if len(names) == 0 {
			f.span = "no members"
		}
		if f.suggestion = suggestion(r.engine, flat, n, name); f.suggestion != "" {
			f.problem += "; did you mean " + f.suggestion + "?"
		}
	}
	r.add(f)
}

// declared are the names that schemas give, required ones first.
func declared(flat []*schema) (names []string) {
	for _, s := range flat {
		for _, name := range s.Required {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, s := range flat {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// suggestion is the name that was probably meant: one that is spelt nearly the
// same and not taken, else the same name one or two objects further in.
func suggestion(e *engine, flat []*schema, object *node, name string) string {
	free := slices.DeleteFunc(declared(flat), func(n string) bool { return object.member(n) != nil })
	if near, ok := closest(name, free); ok {
		return near
	}
	return further(e, flat, name, 2)
}

func further(e *engine, flat []*schema, name string, levels int) string {
	if levels == 0 {
		return ""
	}
	empty := &node{kind: isObject, raw: "{}"}
	for _, outer := range declared(flat) {
		schemas, _ := memberSchemas(flat, outer)
		inner := e.flatten(schemas, empty)
		for _, candidate := range declared(inner) {
			if strings.EqualFold(candidate, name) {
				return outer + "." + candidate
			}
		}
		if deeper := further(e, inner, name, levels-1); deeper != "" {
			return outer + "." + deeper
		}
	}
	return ""
}
