package arguments

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wrongValue reports a value of the wrong type, or one that is not among those
// of its type that are accepted.
func (r *reporter) wrongValue(err *jsonschema.ValidationError) {
	n := r.root.at(err.InstanceLocation)
	if n == nil {
		return
	}
	f := fault{path: err.InstanceLocation, value: n}
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		f.kind = "type"
	case *kind.Const, *kind.Enum:
		f.kind, f.problem = "enum", "is not one of the accepted values"
	case *kind.Format:
		f.kind, f.problem = "format", "is not "+formatNoun(k.Want)
	case *kind.Pattern:
		f.kind, f.problem = "pattern", "does not match the pattern"
	}
	f.fill = func(f *fault) {
		demands := r.demands(err)
		f.expect(r.expectation(demands, n))
		switch k := err.ErrorKind.(type) {
		case *kind.Type:
			f.problem = typeProblem(n, r.engine.admits(demands))
		case *kind.Format:
			r.explainFormat(f, k.Want)
		}
		r.mayBeLeftOut(f)
	}
	r.add(f)
}

// expect takes over what another fault says of what is accepted.
func (f *fault) expect(other fault) {
	f.accepted, f.format, f.span = other.accepted, other.format, other.span
}

// typeProblem says what a value is and what it is not.
func typeProblem(n *node, accepted kinds) string {
	problem := "is " + kindWords(n.kind) + ", not " + kindWords(accepted)
	if inner := strings.Trim(n.text, asciiSpace); accepted&(isArray|isObject) != 0 && inner != "" && strings.IndexByte("[{", inner[0]) >= 0 {
		if _, syntax := parse(inner); syntax != nil {
			problem += "; its text is not JSON, expected " + syntax.expected
		}
	}
	if n.kind&isNumber != 0 && accepted&isString != 0 && accepted&isNumber == 0 {
		problem += "; write it in quotes, every digit"
	}
	return problem
}

// mayBeLeftOut adds the way out that an optional member has.
func (r *reporter) mayBeLeftOut(f *fault) {
	const hint = "; it may be left out"
	if r.optional(f.path) {
		f.problem += hint
	}
}

// explainFormat adds what was probably meant. It repeats the value, so it says
// nothing of a secret.
func (r *reporter) explainFormat(f *fault, format string) {
	if f.value.kind != isString || secret(f.path) {
		return
	}
	text := strings.Trim(f.value.text, asciiSpace)
	readings := readFormat(format, text)
	switch {
	case len(readings) > 1:
		f.problem = fmt.Sprintf("may mean %s or %s", readings[0].text, readings[1].text)
	case format == "date-time" && withoutOffset(text) != "":
		instant := withoutOffset(text)
		f.problem = "has no offset"
		f.format = "RFC 3339 date-time with offset, for example " + instant + " or " + strings.TrimSuffix(instant, "Z") + "+01:00"
	case format == "time" && isTime([]byte(fullClock(text))):
		f.problem = "has no offset"
		f.format = "RFC 3339 time with offset, for example " + fullClock(text)
	}
}

// fullClock completes a time of day as if it were in UTC.
func fullClock(text string) string {
	full, _, _ := completeTime(text + "Z")
	return full
}

// missing reports members that must be there.
func (r *reporter) missing(err *jsonschema.ValidationError, names []string, problem string) {
	for _, name := range names {
		fill := func(f *fault) {
			schemas, _ := memberSchemas(r.demands(err), name)
			f.expect(r.expectation(schemas, nil))
		}
		r.add(fault{path: deeper(err.InstanceLocation, name), kind: "required", problem: problem, fill: fill})
	}
}

// excluded reports a value where none is accepted.
func (r *reporter) excluded(err *jsonschema.ValidationError) {
	path := err.InstanceLocation
	if len(path) == 0 {
		r.add(fault{kind: "schema", problem: "is never accepted: this tool's schema excludes every call"})
		return
	}
	above, last := path[:len(path)-1], path[len(path)-1]
	outer := r.root.at(above)
	if outer == nil || outer.kind == isObject {
		r.unknown(above, last)
		return
	}
	first, _ := strconv.Atoi(last) // the judge reports them in order
	r.add(fault{
		path: above, kind: "items", problem: "holds " + count(len(outer.items)-first, "item") + " too many",
		span: "at most " + count(first, "item"), value: outer,
	})
}

// propertyName reports a member whose name is not accepted.
func (r *reporter) propertyName(err *jsonschema.ValidationError, name string) {
	f := fault{path: deeper(err.InstanceLocation, name), kind: "name", problem: "is a name that is not accepted"}
	f.fill = func(f *fault) {
		if names := r.schema.index[err.SchemaURL]; names != nil {
			f.expect(r.expectation([]*schema{names}, stringNode(name, nil)))
			f.suggestion, _ = closest(name, f.accepted)
		}
	}
	r.add(f)
}

// contains reports a list that lacks an item, or holds too many of a kind.
func (r *reporter) contains(err *jsonschema.ValidationError) {
	n := r.root.at(err.InstanceLocation)
	own := r.schema.index[err.SchemaURL]
	if n == nil || own == nil || own.Contains == nil {
		return
	}
	f := fault{path: err.InstanceLocation, kind: "contains", value: n}
	wanted := r.expectation([]*schema{own.Contains}, nil)
	f.accepted, f.format = wanted.accepted, wanted.format
	switch k := err.ErrorKind.(type) {
	case *kind.MinContains:
		f.problem = fmt.Sprintf("holds %d of the wanted items", len(k.Got))
		f.span = fmt.Sprintf("at least %d of them", k.Want)
	case *kind.MaxContains:
		f.problem = fmt.Sprintf("holds %d of the counted items", len(k.Got))
		f.span = fmt.Sprintf("at most %d of them", k.Want)
	default:
		f.problem = "lacks an item that it must hold"
	}
	f.fill = r.mayBeLeftOut
	r.add(f)
}
