package arguments

import (
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// evaluate decides whether a value satisfies a schema. Coercion asks that very
// often, of parts, and an answer is all it needs; remembered per schema and
// value, it stays cheap where a recursive union makes the judge visit a value
// once for each way that leads to it. The judge confirms what comes out.
func (e *engine) evaluate(s *schema, n *node) bool {
	if s.Bool != nil {
		return *s.Bool
	}
	if refOnly(s) {
		return e.holds(s.Ref, n)
	}
	if e.rule(s).accepts&n.kind == 0 || !e.own(s, n) {
		return false
	}
	return e.parts(s, n) && e.unions(s, n) && e.conditions(s, n)
}

// own is what the schema says of the value itself.
func (e *engine) own(s *schema, n *node) bool {
	switch n.kind {
	case isObject:
		return e.listedValue(s, n) && e.objectHolds(s, n)
	case isArray:
		return e.listedValue(s, n) && e.arrayHolds(s, n)
	}
	text := []byte(n.canonical())
	w := walker{b: text, left: 1, anyStep: true}
	if w.own(e.rule(s), 0) < 0 {
		return false
	}
	if s.MultipleOf == nil || n.kind&isNumber == 0 {
		return true
	}
	v, ok := new(big.Rat).SetString(tamed(n.raw))
	return ok && v.Quo(v, s.MultipleOf).IsInt()
}

func (e *engine) listedValue(s *schema, n *node) bool {
	values := e.rule(s).values
	return values == nil || among(values, []byte(n.canonical()))
}

func (e *engine) objectHolds(s *schema, n *node) bool {
	r := e.rule(s)
	count := 0
	for _, m := range n.members {
		if m.dropped != nil {
			continue
		}
		count++
		schemas, _ := memberSchemas([]*schema{s}, m.name)
		if !e.holdsAll(schemas, m.value) {
			return false
		}
		if s.PropertyNames != nil && !e.holds(s.PropertyNames, stringNode(m.name, nil)) {
			return false
		}
	}
	if count < r.minProps || (r.maxProps >= 0 && count > r.maxProps) {
		return false
	}
	return hasAll(n, s.Required) && e.dependents(s, n)
}

func (e *engine) dependents(s *schema, n *node) bool {
	for name, names := range s.DependentRequired {
		if n.member(name) != nil && !hasAll(n, names) {
			return false
		}
	}
	for name, part := range s.DependentSchemas {
		if n.member(name) != nil && !e.holds(part, n) {
			return false
		}
	}
	for name, dependency := range s.Dependencies {
		if n.member(name) == nil {
			continue
		}
		switch dependency := dependency.(type) {
		case []string:
			if !hasAll(n, dependency) {
				return false
			}
		case *schema:
			if !e.holds(dependency, n) {
				return false
			}
		}
	}
	return true
}

func hasAll(n *node, names []string) bool {
	for _, name := range names {
		if n.member(name) == nil {
			return false
		}
	}
	return true
}

func (e *engine) arrayHolds(s *schema, n *node) bool {
	r := e.rule(s)
	if len(n.items) < r.minItems || (r.maxItems >= 0 && len(n.items) > r.maxItems) {
		return false
	}
	found, seen := 0, map[string]bool{}
	for i, item := range n.items {
		if !e.holdsAll(itemSchemas([]*schema{s}, i), item) {
			return false
		}
		if s.UniqueItems {
			if seen[item.canonical()] {
				return false
			}
			seen[item.canonical()] = true
		}
		if s.Contains != nil && e.holds(s.Contains, item) {
			found++
		}
	}
	return s.Contains == nil || (found >= orElse(s.MinContains, 1) && (s.MaxContains == nil || found <= *s.MaxContains))
}

// parts must all hold.
func (e *engine) parts(s *schema, n *node) bool {
	return (s.Ref == nil || e.holds(s.Ref, n)) && e.holdsAll(s.AllOf, n)
}

func (e *engine) unions(s *schema, n *node) bool {
	for _, u := range unionsOf([]*schema{s}) {
		if !e.satisfied(u, n) {
			return false
		}
	}
	return true
}

func (e *engine) conditions(s *schema, n *node) bool {
	if s.Not != nil && e.holds(s.Not, n) {
		return false
	}
	if s.If == nil {
		return true
	}
	then := s.Else
	if e.holds(s.If, n) {
		then = s.Then
	}
	return then == nil || e.holds(then, n)
}

// judgesOwn reports the few keywords that look at more than a schema and a value.
func judgesOwn(s *schema) bool {
	return s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil || s.RecursiveRef != nil || s.DynamicRef != nil ||
		len(s.Extensions) > 0 || s.ContentEncoding != nil || s.ContentMediaType != nil
}

// rule is the compiled form of a schema.
func (e *engine) rule(s *schema) *rule {
	if known, ok := e.rules[s]; ok {
		return known
	}
	return newWalkCompiler(map[*jsonschema.Schema]kinds{}).rule(s)
}
