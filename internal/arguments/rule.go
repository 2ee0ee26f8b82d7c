package arguments

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rule is a schema compiled for the walk. It holds the keywords that most
// schemas consist of; a schema with any other is unknown, and the judge's.
type rule struct {
	unknown bool
	bare    bool // it only refers to another
	accepts kinds

	values [][]byte // canonical; nil: any

	low, high    *bound
	plainBounds  bool  // both are whole numbers or none, as least and greatest say
	least        int64 // of the whole numbers next to a number
	greatest     int64
	step         int64 // multipleOf, where that is a whole number; 0: none
	minLen       int
	maxLen       int // -1: none
	pattern      *regexp.Regexp
	otherPattern jsonschema.Regexp
	format       func([]byte) bool

	properties         []property // by canonical name
	additional         *rule      // nil: any
	required           uint64     // those of the first 64 properties that are
	minProps, maxProps int        // maxProps -1: none

	unique             bool
	prefix             []*rule
	items              *rule // nil: any
	minItems, maxItems int   // maxItems -1: none

	also   []*rule   // must hold as well
	either [][]*rule // one of each must hold
}

// property is a member that a rule names.
type property struct {
	name     []byte // canonical, with its quotes
	required bool
	rule     *rule // nil: any
}

// bound is a minimum or maximum.
type bound struct {
	canonical string // of the number
	exclusive bool
}

// plain puts a bound that is an inclusive whole number into n, or none where there
// is no bound.
func (b *bound) plain(n *int64, none int64) bool {
	if b == nil {
		*n = none
		return true
	}
	var err error
	*n, err = strconv.ParseInt(b.canonical, 10, 64)
	return err == nil && !b.exclusive
}

// walkCompiler compiles rules. A schema that is referred to many times is
// compiled once.
type walkCompiler struct {
	kinds map[*schema]kinds
	made  map[*schema]*rule
}

func newWalkCompiler(known map[*schema]kinds) *walkCompiler {
	return &walkCompiler{kinds: known, made: map[*schema]*rule{}}
}

func (w *walkCompiler) rule(s *schema) *rule {
	if known, ok := w.made[s]; ok {
		return known
	}
	r := &rule{accepts: isAny, maxLen: -1, maxProps: -1, maxItems: -1}
	w.made[s] = r
	w.fill(r, s)
	return r
}

func (w *walkCompiler) fill(r *rule, s *schema) {
	if s.Bool != nil {
		if !*s.Bool {
			r.accepts = 0
		}
		return
	}
	if s.Ref != nil {
		r.also = append(r.also, w.rule(s.Ref))
	}
	if refOnly(s) {
		r.bare = true
		return
	}
	r.unknown = beyondTheWalk(s)
	r.accepts = ownKinds(s)
	w.scalars(r, s)
	w.object(r, s)
	w.array(r, s)
	for _, part := range s.AllOf {
		r.also = append(r.also, w.rule(part))
	}
	if len(s.AnyOf) > 0 {
		r.either = append(r.either, w.all(s.AnyOf))
	}
	if len(s.OneOf) > 0 {
		r.unknown = r.unknown || !w.disjoint(s.OneOf)
		r.either = append(r.either, w.all(s.OneOf))
	}
}

func (w *walkCompiler) all(parts []*schema) []*rule {
	rules := make([]*rule, len(parts))
	for i, part := range parts {
		rules[i] = w.rule(part)
	}
	return rules
}

// disjoint reports whether no value is of a kind that two branches accept: then
// one that holds is the only one.
func (w *walkCompiler) disjoint(branches []*schema) bool {
	var seen kinds
	for _, b := range branches {
		k := w.kinds[b]
		if k&seen != 0 {
			return false
		}
		seen |= k
	}
	return true
}

// beyondTheWalk reports keywords that are left to the judge.
func beyondTheWalk(s *schema) bool {
	for _, part := range []*schema{s.RecursiveRef, s.Not, s.If, s.PropertyNames, s.Contains, s.UnevaluatedProperties, s.UnevaluatedItems} {
		if part != nil {
			return true
		}
	}
	return s.DynamicRef != nil || len(s.PatternProperties) > 0 ||
		len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 ||
		s.ContentEncoding != nil || s.ContentMediaType != nil || len(s.Extensions) > 0
}

func (w *walkCompiler) scalars(r *rule, s *schema) {
	if s.Enum != nil {
		r.values = [][]byte{}
		for _, v := range s.Enum.Values {
			r.values = append(r.values, canonicalValue(v))
		}
	}
	if s.Const != nil {
		own := canonicalValue(*s.Const)
		if r.values == nil || slices.ContainsFunc(r.values, func(v []byte) bool { return bytes.Equal(v, own) }) {
			r.values = [][]byte{own}
		} else {
			r.accepts = 0
		}
	}
	r.low, r.high = boundOf(s.Minimum, s.ExclusiveMinimum, 1), boundOf(s.Maximum, s.ExclusiveMaximum, -1)
	r.plainBounds = r.low.plain(&r.least, math.MinInt64) && r.high.plain(&r.greatest, math.MaxInt64)
	if s.MultipleOf != nil {
		r.unknown = r.unknown || !s.MultipleOf.IsInt() || !s.MultipleOf.Num().IsInt64()
		r.step = s.MultipleOf.Num().Int64()
	}
	r.minLen, r.maxLen = orElse(s.MinLength, 0), orElse(s.MaxLength, -1)
	if linear, ok := s.Pattern.(*regexp.Regexp); ok {
		r.pattern = linear
	} else {
		r.otherPattern = s.Pattern
	}
	if s.Format != nil {
		r.format = walkFormat(s.Format)
	}
}

func walkFormat(f *jsonschema.Format) func([]byte) bool {
	if own, ok := formats[f.Name]; ok {
		return own
	}
	return func(b []byte) bool { return f.Validate(string(b)) == nil }
}

// boundOf takes the tighter of two bounds; side is 1 for lower ones.
func boundOf(inclusive, exclusive *big.Rat, side int) *bound {
	switch {
	case inclusive == nil && exclusive == nil:
		return nil
	case exclusive == nil || (inclusive != nil && inclusive.Cmp(exclusive)*side > 0):
		return &bound{canonical: canonicalRat(inclusive)}
	}
	return &bound{canonical: canonicalRat(exclusive), exclusive: true}
}

// canonicalRat writes a number that came from JSON: it has finitely many digits.
func canonicalRat(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return string(appendNumber(nil, r.FloatString(digits)))
}

func canonicalValue(v any) []byte {
	c := borrow(nil, jsonText(v))
	defer c.release()
	if c.document() != nil {
		return nil
	}
	return bytes.Clone(c.out)
}

func orElse(n *int, other int) int {
	if n == nil {
		return other
	}
	return *n
}

func (w *walkCompiler) object(r *rule, s *schema) {
	r.minProps, r.maxProps = orElse(s.MinProperties, 0), orElse(s.MaxProperties, -1)
	switch additional := s.AdditionalProperties.(type) {
	case *schema:
		r.additional = w.rule(additional)
	case bool:
		if !additional {
			r.additional = &rule{}
		}
	}
	for name, part := range s.Properties {
		r.properties = append(r.properties, property{
			name: []byte(quote(name)), rule: w.rule(part), required: slices.Contains(s.Required, name),
		})
	}
	for _, name := range s.Required {
		if _, named := s.Properties[name]; !named {
			r.properties = append(r.properties, property{name: []byte(quote(name)), rule: r.additional, required: true})
		}
	}
	slices.SortFunc(r.properties, func(a, b property) int { return bytes.Compare(a.name, b.name) })
	r.properties = slices.CompactFunc(r.properties, func(a, b property) bool { return bytes.Equal(a.name, b.name) })
	for i, p := range r.properties {
		if p.required && i < mostProperties {
			r.required |= 1 << i
		}
	}
}

func (w *walkCompiler) array(r *rule, s *schema) {
	r.minItems, r.maxItems, r.unique = orElse(s.MinItems, 0), orElse(s.MaxItems, -1), s.UniqueItems
	for _, part := range s.PrefixItems {
		r.prefix = append(r.prefix, w.rule(part))
	}
	if s.Items2020 != nil {
		r.items = w.rule(s.Items2020)
	}
	switch items := s.Items.(type) { // before draft 2020-12
	case *schema:
		r.items = w.rule(items)
	case []*schema:
		for _, part := range items {
			r.prefix = append(r.prefix, w.rule(part))
		}
		switch additional := s.AdditionalItems.(type) {
		case *schema:
			r.items = w.rule(additional)
		case bool:
			if !additional {
				r.items = &rule{}
			}
		}
	}
}
