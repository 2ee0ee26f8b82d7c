package arguments

import (
	"slices"
)

// unite looks for the branch of an anyOf or oneOf that the value was meant for.
// It counts only where one result comes out, whichever branches lead to it, and
// where the union as a whole then holds.
func (e *engine) unite(p place, n *node) *node {
	for _, u := range unionsOf(p.flat) {
		if slices.ContainsFunc(p.entered, u.is) || e.satisfied(u, n) {
			continue
		}
		return e.choose(p, u, n)
	}
	return n
}

// torn reports whether branches of a union read the value differently: "20260214"
// is a number and a date.
func (e *engine) torn(p place, n *node) bool {
	for _, u := range unionsOf(p.flat) {
		if slices.ContainsFunc(p.entered, u.is) {
			continue
		}
		var valid []*node
		for _, b := range u.branches {
			if r := e.coerce(e.branch(p, u, b, n), n); r != n && e.holdsAll(p.given, r) {
				valid = appendDistinct(valid, r)
			}
		}
		if len(valid) > 1 {
			return true
		}
	}
	return false
}

func (e *engine) satisfied(u union, n *node) bool {
	hold := 0
	for _, b := range u.branches {
		if e.holds(b, n) {
			hold++
		}
	}
	return hold == 1 || (hold > 1 && !u.one)
}

func (e *engine) choose(p place, u union, n *node) *node {
	var valid, changed []*node
	results := make([]*node, len(u.branches))
	for i, b := range u.branches {
		r := e.coerce(e.branch(p, u, b, n), n)
		results[i] = r
		switch {
		case e.holdsAll(p.given, r):
			valid = appendDistinct(valid, r)
		case r != n:
			changed = appendDistinct(changed, r)
		}
	}
	switch {
	case len(valid) == 1:
		return valid[0]
	case len(valid) > 1:
		return n
	}
	if i := e.focus(u, results); i >= 0 {
		return results[i]
	}
	if len(changed) == 1 {
		return changed[0]
	}
	return n
}

// focus returns the branch that an array or object was evidently meant for,
// where none holds; -1 where that is open. values holds what the value would be
// in each branch.
func (e *engine) focus(u union, values []*node) int {
	best, bestShared, tied := -1, 0, false
	for i, b := range u.branches {
		n := values[i]
		if n.kind&(isArray|isObject) == 0 || !e.suits(b, n) {
			continue
		}
		shared := e.shared(b, n)
		switch {
		case best < 0 || shared > bestShared:
			best, bestShared, tied = i, shared, false
		case shared == bestShared:
			tied = true
		}
	}
	if tied {
		return -1
	}
	return best
}

// suits reports whether the value is of a kind that the branch accepts and bears
// no mark of another branch: a member that the branch lists values for.
func (e *engine) suits(b *schema, n *node) bool {
	if e.admits([]*schema{b})&n.kind == 0 {
		return false
	}
	flat := e.flatten([]*schema{b}, n)
	for _, m := range n.members {
		schemas, declared := memberSchemas(flat, m.name)
		if m.dropped == nil && declared && closed(schemas, 0) && !e.holdsAll(schemas, m.value) {
			return false
		}
	}
	return true
}

// shared counts the members that the branch knows by name, and one for its kind.
func (e *engine) shared(b *schema, n *node) int {
	flat, count := e.flatten([]*schema{b}, n), 1
	for _, m := range n.members {
		if _, declared := memberSchemas(flat, m.name); declared && m.dropped == nil {
			count++
		}
	}
	return count
}
