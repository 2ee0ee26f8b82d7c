package arguments

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// union reports a value that fits no branch, or more than one of a oneOf. Where
// one branch was evidently meant, what it says is reported and nothing else.
func (r *reporter) union(err *jsonschema.ValidationError, one bool) {
	n, owner := r.root.at(err.InstanceLocation), r.schema.index[err.SchemaURL]
	if n == nil || owner == nil {
		return
	}
	u := union{owner: owner, branches: owner.AnyOf, one: one}
	if one {
		u.branches = owner.OneOf
	}
	if k, ok := err.ErrorKind.(*kind.OneOf); ok && len(k.Subschemas) > 1 {
		r.tooMany(err, u, n)
		return
	}
	if i := r.meant(u, n); i >= 0 && i < len(err.Causes) {
		r.report(err.Causes[i])
		return
	}
	if !r.mark(err, u, n) {
		r.none(err, u, n)
	}
}

// meant returns the branch that a value was meant for: the only one left when
// null is set aside, or the one that an array or object bears the marks of.
func (r *reporter) meant(u union, n *node) int {
	only := -1
	for i, b := range u.branches {
		if r.engine.admits([]*schema{b})&^isNull == 0 {
			continue
		}
		if only >= 0 {
			only = -2
			break
		}
		only = i
	}
	if only >= 0 {
		return only
	}
	same := make([]*node, len(u.branches))
	for i := range same {
		same[i] = n
	}
	return r.engine.focus(u, same)
}

func (r *reporter) tooMany(err *jsonschema.ValidationError, u union, n *node) {
	f := fault{path: err.InstanceLocation, kind: "union", problem: "fits more than one of the accepted forms", value: n}
	f.fill = func(f *fault) {
		f.format = "exactly one of: " + strings.Join(r.forms(u), ", ")
		r.mayBeLeftOut(f)
	}
	r.add(f)
}

// mark reports the member that tells the branches apart, where its value (or its
// absence) fits none of them.
func (r *reporter) mark(err *jsonschema.ValidationError, u union, n *node) bool {
	if n.kind != isObject {
		return false
	}
	for _, name := range r.marks(u) {
		m := n.member(name)
		f := fault{path: deeper(err.InstanceLocation, name), kind: "enum", problem: "is not one of the accepted values", value: m}
		if m == nil {
			f.kind, f.problem = "required", "is required"
		}
		fits := false
		for _, b := range u.branches {
			schemas, _ := memberSchemas(r.engine.flatten([]*schema{b}, n), name)
			fits = fits || (m != nil && r.engine.holdsAll(schemas, m))
			f.accepted = append(f.accepted, listed(r.engine.flatten(schemas, n))...)
		}
		if !fits {
			f.accepted = ordered(slices.Compact(f.accepted), m)
			r.add(f)
			return true
		}
	}
	return false
}

// marks are the members for which every branch lists values.
func (r *reporter) marks(u union) (names []string) {
	empty := &node{kind: isObject, raw: "{}"}
	for i, b := range u.branches {
		flat := r.engine.flatten([]*schema{b}, empty)
		own := slices.DeleteFunc(declared(flat), func(name string) bool {
			schemas, _ := memberSchemas(flat, name)
			return !closed(schemas, 0)
		})
		if i == 0 {
			names = own
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(own, name) })
	}
	return names
}

// none reports a value that is of no accepted type, in no list, or of no form.
func (r *reporter) none(err *jsonschema.ValidationError, u union, n *node) {
	demands := r.demands(err)
	f := r.expectation(demands, n)
	f.path, f.value, f.fill = err.InstanceLocation, n, r.mayBeLeftOut
	accepted := r.engine.admits(demands)
	switch {
	case accepted&n.kind == 0:
		f.kind, f.problem = "type", typeProblem(n, accepted)
	case len(f.accepted) > 0:
		f.kind, f.problem = "enum", "is not one of the accepted values"
	default:
		f.kind, f.problem = "union", "fits none of the accepted forms"
		if forms := r.forms(u); len(forms) > 1 {
			f.format, f.span = strings.Join(forms, " or "), ""
		}
	}
	r.add(f)
}
