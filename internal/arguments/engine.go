package arguments

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

type schema = jsonschema.Schema

// maxWork bounds what one call may cost, in values looked at; about a second.
// Only arguments that are made for it come near.
const maxWork = 2_000_000

// engine examines one call. It remembers what it found out.
type engine struct {
	kinds   map[*schema]kinds // shared by all calls
	rules   map[*schema]*rule // shared by all calls
	verdict map[question]bool
	weight  map[question]int
	coerced map[question]*node // at places that only one schema describes
	left    int
}

type question struct {
	schema *schema
	value  *node
}

func (s *Schema) engine() *engine {
	return &engine{
		kinds: s.kinds, rules: s.rules, left: maxWork,
		verdict: map[question]bool{}, weight: map[question]int{}, coerced: map[question]*node{},
	}
}

// holds reports whether a value satisfies a schema. Where the budget is spent
// nothing holds any more, and nothing is coerced.
func (e *engine) holds(s *schema, n *node) bool {
	q := question{s, n}
	if known, ok := e.verdict[q]; ok {
		return known
	}
	e.verdict[q] = false // where it leads back to itself
	e.left--
	holds := false
	switch {
	case e.left < 0:
	case judgesOwn(s):
		e.left -= e.cost(s, n)
		holds = e.left >= 0 && s.Validate(n.value()) == nil
	default:
		holds = e.evaluate(s, n)
	}
	e.verdict[q] = holds
	return holds
}

func (e *engine) holdsAll(all []*schema, n *node) bool {
	for _, s := range all {
		if !e.holds(s, n) {
			return false
		}
	}
	return true
}

// admits returns the kinds that all of these schemas accept.
func (e *engine) admits(all []*schema) kinds {
	k := isAny
	for _, s := range all {
		if known, ok := e.kinds[s]; ok {
			k &= known
		} else {
			k &= admitted(s, nil)
		}
	}
	return k
}

// admitted returns the kinds that a schema accepts. A schema that leads back to
// itself says nothing more there.
func admitted(s *schema, path []*schema) kinds {
	if slices.Contains(path, s) {
		return isAny
	}
	if s.Bool != nil {
		if *s.Bool {
			return isAny
		}
		return 0
	}
	path = append(slices.Clip(path), s)
	k := isAny
	if s.Ref != nil {
		k = admitted(s.Ref, path)
	}
	if refOnly(s) {
		return k
	}
	k &= ownKinds(s)
	for _, part := range s.AllOf {
		k &= admitted(part, path)
	}
	return k & eitherOf(s.AnyOf, path) & eitherOf(s.OneOf, path)
}

func eitherOf(branches, path []*schema) (k kinds) {
	if len(branches) == 0 {
		return isAny
	}
	for _, b := range branches {
		k |= admitted(b, path)
	}
	return k
}

// ownKinds is what type, enum and const say.
func ownKinds(s *schema) kinds {
	k := isAny
	if s.Types != nil {
		k = 0
		for _, name := range s.Types.ToStrings() {
			k |= kindsByName[name]
		}
	}
	if s.Enum != nil {
		var values kinds
		for _, v := range s.Enum.Values {
			values |= kindOf(v)
		}
		k &= values
	}
	if s.Const != nil {
		k &= kindOf(*s.Const)
	}
	return k
}

var kindsByName = map[string]kinds{
	"null": isNull, "boolean": isBoolean, "integer": isInteger, "number": isNumber,
	"string": isString, "array": isArray, "object": isObject,
}

// cost is how many steps the judge takes, at most. The judge visits a value once
// for each way that leads to it, which a recursive union multiplies; remembered
// per schema and value, the sum is cheap to know.
func (e *engine) cost(s *schema, n *node) int {
	q := question{s, n}
	if known, ok := e.weight[q]; ok {
		return known
	}
	e.weight[q] = 1 // where it leads back to itself
	total := 1
	if s.Bool == nil && (s.Types == nil || ownKinds(s)&n.kind != 0) {
		for _, part := range applicators(s) {
			total = min(total+e.cost(part, n), maxWork+1)
		}
		total = min(total+e.inner(s, n), maxWork+1)
	}
	e.weight[q] = total
	return total
}

func (e *engine) inner(s *schema, n *node) (total int) {
	one := []*schema{s}
	for _, m := range n.members {
		all, _ := memberSchemas(one, m.name)
		for _, part := range all {
			total = min(total+e.cost(part, m.value), maxWork+1)
		}
	}
	for i, item := range n.items {
		all := itemSchemas(one, i)
		if s.Contains != nil {
			all = append(all, s.Contains)
		}
		for _, part := range all {
			total = min(total+e.cost(part, item), maxWork+1)
		}
	}
	return total
}

// applicators are all schemas that may be applied to the same value.
func applicators(s *schema) (all []*schema) {
	for _, part := range []*schema{s.Ref, s.RecursiveRef, dynamic(s), s.Not, s.If, s.Then, s.Else} {
		if part != nil {
			all = append(all, part)
		}
	}
	all = append(append(append(all, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, part := range s.DependentSchemas {
		all = append(all, part)
	}
	for _, part := range s.Dependencies {
		if part, ok := part.(*schema); ok {
			all = append(all, part)
		}
	}
	return all
}

func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return isNull
	case bool:
		return isBoolean
	case string:
		return isString
	case []any:
		return isArray
	case map[string]any:
		return isObject
	case json.Number:
		if whole(v.String()) {
			return isInteger
		}
		return isFraction
	}
	return isAny
}

// inside are all schemas that may be applied to what a value holds.
func inside(s *schema) (all []*schema) {
	for _, part := range []*schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema} {
		if part != nil {
			all = append(all, part)
		}
	}
	for _, part := range s.Properties {
		all = append(all, part)
	}
	for _, part := range s.PatternProperties {
		all = append(all, part)
	}
	all = append(all, s.PrefixItems...)
	for _, part := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch part := part.(type) {
		case *schema:
			all = append(all, part)
		case []*schema:
			all = append(all, part...)
		}
	}
	return all
}
