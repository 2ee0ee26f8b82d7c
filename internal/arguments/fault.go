package arguments

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fault is one thing that is wrong with the arguments.
type fault struct {
	path    []string
	kind    string // one word, for people who explain a case
	problem string // what is wrong, said of the place: "is required"

	accepted     []string // nearest first; all of them
	format, span string   // what is accepted where that is no list
	suggestion   string   // the name that was probably meant
	value        *node    // nil: there is none to show

	// fill says the rest. Of ten thousand faults only the first few are shown,
	// and only theirs is worth finding out. nil: there is no more.
	fill func(*fault)
}

// reporter turns the judge's findings into faults.
type reporter struct {
	schema *Schema
	engine *engine
	root   *node
	all    []*fault
	seen   map[string]bool
	places map[*node]map[string]int // of members, by name
}

func newReporter(s *Schema, e *engine, root *node) *reporter {
	return &reporter{schema: s, engine: e, root: root, seen: map[string]bool{}, places: map[*node]map[string]int{}}
}

func (r *reporter) add(f fault) {
	key := f.kind + pointer(f.path)
	if !r.seen[key] {
		r.seen[key] = true
		r.all = append(r.all, &f)
	}
}

// report visits one finding. Those that only gather others are passed through.
func (r *reporter) report(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.AnyOf:
		r.union(err, false)
	case *kind.OneOf:
		r.union(err, true)
	case *kind.PropertyNames:
		r.propertyName(err, k.Property)
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		r.contains(err)
	default:
		if r.leaf(err) {
			return
		}
		for _, cause := range err.Causes {
			r.report(cause)
		}
	}
}

// leaf reports a finding that says something itself.
func (r *reporter) leaf(err *jsonschema.ValidationError) bool {
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		r.missing(err, k.Missing, "is required")
	case *kind.DependentRequired:
		r.missing(err, k.Missing, "is required beside "+k.Prop)
	case *kind.Dependency:
		r.missing(err, k.Missing, "is required beside "+k.Prop)
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			r.unknown(err.InstanceLocation, name)
		}
	case *kind.FalseSchema:
		r.excluded(err)
	case *kind.Type, *kind.Const, *kind.Enum, *kind.Format, *kind.Pattern:
		r.wrongValue(err)
	case *kind.RefCycle:
		r.add(fault{path: err.InstanceLocation, kind: "schema", problem: "can't be checked: this tool's schema refers to itself without end"})
	default:
		return r.wrongSize(err)
	}
	return true
}

// demands returns everything that is demanded where an error stands.
func (r *reporter) demands(err *jsonschema.ValidationError) []*schema {
	n := r.root.at(err.InstanceLocation)
	var all []*schema
	if own := r.schema.index[err.SchemaURL]; own != nil {
		all = append(all, own)
	}
	all = append(all, r.at(err.InstanceLocation)...)
	if n == nil {
		return all
	}
	return r.engine.flatten(all, n)
}

// at returns what the schema demands at a path, branches of unions apart.
func (r *reporter) at(path []string) []*schema {
	given, n := []*schema{r.schema.root}, r.root
	for _, step := range path {
		if n == nil {
			return nil
		}
		flat := r.engine.flatten(given, n)
		if n.kind == isObject {
			given, _ = memberSchemas(flat, step)
		} else {
			i, _ := strconv.Atoi(step)
			given = itemSchemas(flat, i)
		}
		n = n.step(step)
	}
	return given
}

// optional reports whether the member that a path ends in may be left out.
func (r *reporter) optional(path []string) bool {
	if len(path) == 0 {
		return false
	}
	above, name := path[:len(path)-1], path[len(path)-1]
	object := r.root.at(above)
	if object == nil || object.kind != isObject {
		return false
	}
	flat := r.engine.flatten(r.at(above), object)
	_, declared := memberSchemas(flat, name)
	return declared && !required(flat, object, name)
}

// sorted brings the faults into the order of the text; what is missing from an
// object comes before what it holds.
func (r *reporter) sorted() []*fault {
	places := make(map[*fault][]int, len(r.all))
	for _, f := range r.all {
		places[f] = r.position(f.path)
	}
	slices.SortStableFunc(r.all, func(a, b *fault) int {
		return cmp.Or(slices.Compare(places[a], places[b]), slices.Compare(a.path, b.path), strings.Compare(a.kind, b.kind))
	})
	return r.all
}

func (r *reporter) position(path []string) []int {
	var at []int
	n := r.root
	for _, step := range path {
		i := -1
		if n != nil && n.kind == isArray {
			i, _ = strconv.Atoi(step)
		} else if n != nil {
			i = r.place(n, step)
		}
		at = append(at, i)
		n = n.step(step)
	}
	return at
}

// place is where in an object a member stands; -1 where it is missing.
func (r *reporter) place(n *node, name string) int {
	known, ok := r.places[n]
	if !ok {
		known = make(map[string]int, len(n.members))
		for i, m := range n.members {
			if m.dropped == nil {
				known[m.name] = i
			}
		}
		r.places[n] = known
	}
	if i, ok := known[name]; ok {
		return i
	}
	return -1
}
