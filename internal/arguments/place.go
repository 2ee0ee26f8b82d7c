package arguments

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// place is where a value stands: everything that the schema demands there.
type place struct {
	given []*schema // what the value must satisfy
	flat  []*schema // given, and all that applies to the same value because of it

	// entered are the unions of which one branch is among given already.
	entered []union

	// What is decided before any branch of a union is taken: the kinds that are
	// accepted, whether nothing but a list (or null) is among them, and whether
	// text is accepted that has no form of its own.
	kinds     kinds
	listsOnly bool
	freeText  bool
}

// union is an anyOf or a oneOf.
type union struct {
	owner    *schema
	branches []*schema
	one      bool // oneOf
}

func (u union) is(other union) bool { return u.owner == other.owner && u.one == other.one }

func unionsOf(flat []*schema) (all []union) {
	for _, s := range flat {
		if len(s.AnyOf) > 0 {
			all = append(all, union{owner: s, branches: s.AnyOf})
		}
		if len(s.OneOf) > 0 {
			all = append(all, union{owner: s, branches: s.OneOf, one: true})
		}
	}
	return all
}

// place makes the place of a value that must satisfy given.
func (e *engine) place(given []*schema, n *node) place {
	p := place{given: given, flat: e.flatten(given, n), kinds: e.admits(given)}
	p.listsOnly = p.kinds&isArray != 0 && p.kinds.within(isArray|isNull)
	p.freeText = p.kinds&isString != 0 && freeText(given, 0)
	return p
}

// freeText reports whether schemas accept text without a list, a format or a
// pattern that it must follow.
func freeText(schemas []*schema, depth int) bool {
	const deepest = 16
	return depth >= deepest || !slices.ContainsFunc(schemas, func(s *schema) bool {
		return formal(s, depth)
	})
}

func formal(s *schema, depth int) bool {
	if admitted(s, nil)&isString == 0 || s.Enum != nil || s.Const != nil || s.Format != nil || s.Pattern != nil {
		return true
	}
	if s.Ref != nil && !freeText([]*schema{s.Ref}, depth+1) {
		return true
	}
	if refOnly(s) {
		return false
	}
	return (len(s.AllOf) > 0 && !freeText(s.AllOf, depth+1)) || allFormal(s.AnyOf, depth) || allFormal(s.OneOf, depth)
}

func allFormal(branches []*schema, depth int) bool {
	for _, b := range branches {
		if !formal(b, depth+1) {
			return false
		}
	}
	return len(branches) > 0
}

// branch is the same place with one branch of a union taken.
func (e *engine) branch(p place, u union, b *schema, n *node) place {
	p.given = append(slices.Clone(p.given), b)
	p.entered = append(slices.Clone(p.entered), u)
	p.flat = e.flatten(p.given, n)
	return p
}

// flatten adds to given what applies to the same value: what $ref points at,
// allOf, the branch of an if, and schemas that depend on a member.
func (e *engine) flatten(given []*schema, n *node) []*schema {
	flat := slices.Clone(given)
	for i := 0; i < len(flat); i++ {
		for _, s := range e.inPlace(flat[i], n) {
			if s != nil && !slices.Contains(flat, s) {
				flat = append(flat, s)
			}
		}
	}
	return flat
}

func (e *engine) inPlace(s *schema, n *node) []*schema {
	if refOnly(s) {
		return []*schema{s.Ref}
	}
	all := append([]*schema{s.Ref, s.RecursiveRef, dynamic(s)}, s.AllOf...)
	for name, dependent := range s.DependentSchemas {
		if n.member(name) != nil {
			all = append(all, dependent)
		}
	}
	for name, dependent := range s.Dependencies {
		if dependent, ok := dependent.(*schema); ok && n.member(name) != nil {
			all = append(all, dependent)
		}
	}
	switch {
	case s.If == nil:
	case e.holds(s.If, n):
		all = append(all, s.Then)
	default:
		all = append(all, s.Else)
	}
	return all
}

// refOnly: before draft 2019-09 a $ref hid everything beside it.
func refOnly(s *schema) bool {
	return s.Ref != nil && s.DraftVersion > 0 && s.DraftVersion < 2019
}

func dynamic(s *schema) *schema {
	if s.DynamicRef == nil {
		return nil
	}
	return s.DynamicRef.Ref
}

// no is the schema that accepts nothing.
func no() *schema {
	accepts := false
	return &schema{Bool: &accepts}
}

// onlyObject is what arguments as a whole must be, whatever the schema says.
func onlyObject() *schema {
	var types jsonschema.Types
	types.Add("object")
	return &schema{Types: &types}
}

// memberSchemas returns what a member must satisfy. declared tells whether a
// schema names it; evaluated by a pattern alone is not named.
func memberSchemas(flat []*schema, name string) (all []*schema, declared bool) {
	evaluated := false
	for _, s := range flat {
		found := false
		if own, ok := s.Properties[name]; ok {
			all, found, declared = append(all, own), true, true
		}
		for pattern, matching := range s.PatternProperties {
			if pattern.MatchString(name) {
				all, found = append(all, matching), true
			}
		}
		if !found && s.AdditionalProperties != nil {
			all, found = appendAdditional(all, s.AdditionalProperties), true
		}
		evaluated = evaluated || found
	}
	for _, s := range flat {
		if s.UnevaluatedProperties != nil && !evaluated {
			all = append(all, s.UnevaluatedProperties)
		}
	}
	return all, declared
}

func appendAdditional(all []*schema, additional any) []*schema {
	switch additional := additional.(type) {
	case *schema:
		return append(all, additional)
	case bool:
		if !additional {
			return append(all, no())
		}
	}
	return all
}

// itemSchemas returns what the i-th item must satisfy.
func itemSchemas(flat []*schema, i int) (all []*schema) {
	evaluated := false
	for _, s := range flat {
		before := len(all)
		switch items := s.Items.(type) { // before draft 2020-12
		case *schema:
			all = append(all, items)
		case []*schema:
			if i < len(items) {
				all = append(all, items[i])
			} else {
				all = appendAdditional(all, s.AdditionalItems)
			}
		}
		if i < len(s.PrefixItems) {
			all = append(all, s.PrefixItems[i])
		} else if s.Items2020 != nil {
			all = append(all, s.Items2020)
		}
		evaluated = evaluated || len(all) > before
	}
	for _, s := range flat {
		if s.UnevaluatedItems != nil && !evaluated {
			all = append(all, s.UnevaluatedItems)
		}
	}
	return all
}

// required reports whether an object must have a member.
func required(flat []*schema, n *node, name string) bool {
	for _, s := range flat {
		if slices.Contains(s.Required, name) {
			return true
		}
		for trigger, names := range s.DependentRequired {
			if slices.Contains(names, name) && n.member(trigger) != nil {
				return true
			}
		}
		for trigger, names := range s.Dependencies {
			if names, ok := names.([]string); ok && slices.Contains(names, name) && n.member(trigger) != nil {
				return true
			}
		}
	}
	return false
}
