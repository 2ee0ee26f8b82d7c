package arguments

import (
	"bytes"
	"math"
)

// glance reads a text as it stands, once, strictly (RFC 8259), and walks it along
// a rule on the way. Like the walker it answers "certainly valid" or "don't know",
// and it knows less: what is escaped, spelt in an unusual way or large in number
// is left to the canonical form. It is the way of nearly every call.
type glance struct {
	b     []byte
	at    int
	left  int // values that may still be visited: unions visit some again
	depth int

	// The latest object's rule, and its properties in the order of the text: the
	// objects of a list are mostly written alike.
	latest *rule
	order  sequence

	// Names of members without a rule of their own, of all objects that are open.
	names [2 * mostOthers]spot
	named int
}

// sequence is the order of an object's properties, by their index in its rule.
type sequence struct {
	indexes [16]int8
	length  int
}

func (s *sequence) note(index int) {
	if s.length < len(s.indexes) {
		s.indexes[s.length] = int8(index) //nolint:gosec // below mostProperties
		s.length++
	}
}

// spot is a part of the text.
type spot struct{ from, to int32 }

// obvious reports whether the text certainly is an object that the rule accepts.
func obvious(r *rule, text []byte) bool {
	if len(text) > math.MaxInt32 {
		return false
	}
	g := glance{b: text, left: 16*len(text) + 256}
	g.space()
	if g.at == len(text) || text[g.at] != '{' || !g.value(r, 0) {
		return false
	}
	g.space()
	return g.at == len(text)
}

// word is a part of the text. It is canonical where two of the same meaning are
// the same bytes.
type word struct {
	text      []byte
	canonical bool
}

// value reads the value that starts there. chain counts the rules on the way to
// this one that apply to the same value.
func (g *glance) value(r *rule, chain int) bool {
	if g.left--; g.left < 0 || chain > longestChain {
		return false
	}
	if r == nil {
		r = &anything
	}
	if r.unknown {
		return false
	}
	if r.bare && len(r.also) == 1 {
		return g.value(r.also[0], chain+1)
	}
	start := g.at
	if !g.own(r) {
		return false
	}
	end := g.at
	for _, also := range r.also {
		if g.at = start; !g.value(also, chain+1) {
			return false
		}
	}
	for _, branches := range r.either {
		if !g.any(branches, start, chain+1) {
			return false
		}
	}
	g.at = end
	return true
}

var anything = rule{accepts: isAny, maxLen: -1, maxProps: -1, maxItems: -1}

func (g *glance) any(branches []*rule, start, chain int) bool {
	depth, named := g.depth, g.named
	for _, b := range branches {
		if g.at, g.depth, g.named = start, depth, named; g.value(b, chain) {
			return true
		}
	}
	return false
}

// own reads what the rule itself speaks of.
func (g *glance) own(r *rule) bool {
	if g.at == len(g.b) {
		return false
	}
	switch c := g.b[g.at]; {
	case c == '"' && r.accepts&isString != 0:
		return g.str(r)
	case c == '{' && r.accepts&isObject != 0 && r.values == nil:
		return g.object(r)
	case c == '[' && r.accepts&isArray != 0 && r.values == nil:
		return g.array(r)
	case c == '-' || isDigit(c):
		return g.number(r)
	case c == 't' && r.accepts&isBoolean != 0:
		return g.literal(r, "true")
	case c == 'f' && r.accepts&isBoolean != 0:
		return g.literal(r, "false")
	case c == 'n' && r.accepts&isNull != 0:
		return g.literal(r, "null")
	}
	return false
}

func (g *glance) literal(r *rule, name string) bool {
	if !bytes.HasPrefix(g.b[g.at:], []byte(name)) {
		return false
	}
	g.at += len(name)
	return r.values == nil || among(r.values, g.b[g.at-len(name):g.at])
}

// How many members without a rule of their own are told apart in one object, and
// how many properties a rule may have.
const (
	mostOthers     = 16
	mostProperties = 64
)

// another notes a name that the object has not had yet; its others begin at
// first.
func (g *glance) another(name spot, first int) bool {
	if g.named-first == mostOthers || g.named == len(g.names) {
		return false
	}
	for _, other := range g.names[first:g.named] {
		if other.to-other.from == name.to-name.from && bytes.Equal(g.b[other.from:other.to], g.b[name.from:name.to]) {
			return false
		}
	}
	g.names[g.named] = name
	g.named++
	return true
}

func (g *glance) object(r *rule) bool {
	if len(r.properties) > mostProperties || !g.enter() {
		return false
	}
	var seen uint64
	var expected, found sequence
	if g.latest == r {
		expected = g.order
	}
	count, before := 0, g.named
	for more := !g.closes('}'); more; count++ {
		index, ok := g.member(r, &expected, count, before)
		if !ok {
			return false
		}
		accepted := r.additional
		if index >= 0 {
			if seen&(1<<index) != 0 {
				return false // named twice
			}
			seen |= 1 << index
			found.note(index)
			accepted = r.properties[index].rule
		}
		if !g.value(accepted, 0) {
			return false
		}
		if more, ok = g.goesOn('}'); !ok {
			return false
		}
	}
	g.depth--
	g.named, g.latest, g.order = before, r, found
	return seen&r.required == r.required && count >= r.minProps && (r.maxProps < 0 || count <= r.maxProps)
}

// member reads a member's name and the colon, and finds its property; -1: it has
// none. The names of the object's others begin at first.
func (g *glance) member(r *rule, expected *sequence, count, first int) (index int, ok bool) {
	if count < expected.length {
		index = int(expected.indexes[count])
		if name := r.properties[index].name; bytes.HasPrefix(g.b[g.at:], name) { // the quotes are part of it
			g.at += len(name)
			return index, g.colon()
		}
	}
	name, ok := g.name()
	if !ok || !g.colon() {
		return -1, false
	}
	index = propertyOf(r, g.b[name.from:name.to])
	return index, index >= 0 || g.another(name, first)
}

// propertyOf finds the rule's property of that name, quotes included; -1: none.
func propertyOf(r *rule, name []byte) int {
	for i := range r.properties {
		if own := r.properties[i].name; len(own) == len(name) && bytes.Equal(own, name) {
			return i
		}
	}
	return -1
}

// name reads a member's name.
func (g *glance) name() (name spot, ok bool) {
	if g.at == len(g.b) || g.b[g.at] != '"' {
		return name, false
	}
	from := g.at
	word, _, ok := g.quoted()
	if !ok || !word.canonical {
		return name, false
	}
	name = spot{int32(from), int32(g.at)} //nolint:gosec // obvious bounds the text
	return name, true
}

// colon reads what stands between a name and its value.
func (g *glance) colon() bool {
	g.space()
	if g.at == len(g.b) || g.b[g.at] != ':' {
		return false
	}
	g.at++
	g.space()
	return true
}

func (g *glance) array(r *rule) bool {
	if !g.enter() {
		return false
	}
	count := 0
	var seen unequal
	for more := !g.closes(']'); more; count++ {
		accepted, start := r.items, g.at
		if count < len(r.prefix) {
			accepted = r.prefix[count]
		}
		if !g.value(accepted, 0) || r.unique && !g.otherItem(&seen, start) {
			return false
		}
		var ok bool
		if more, ok = g.goesOn(']'); !ok {
			return false
		}
	}
	g.depth--
	return count >= r.minItems && (r.maxItems < 0 || count <= r.maxItems)
}

// otherItem reports whether the item that starts there certainly is none of those
// before: strings without escapes are compared as they stand.
func (g *glance) otherItem(seen *unequal, start int) bool {
	item := g.b[start:g.at]
	return item[0] == '"' && bytes.IndexByte(item, '\\') < 0 && seen.add(item)
}

// enter goes into an array or object.
func (g *glance) enter() bool {
	if g.depth++; g.depth > maxDepth {
		return false
	}
	g.at++
	g.space()
	return true
}

// closes reports that the bracket stands there, and goes behind it.
func (g *glance) closes(bracket byte) bool {
	if g.at == len(g.b) || g.b[g.at] != bracket {
		return false
	}
	g.at++
	return true
}

// goesOn reads what stands between two members or items, or closes them.
func (g *glance) goesOn(bracket byte) (more, ok bool) {
	g.space()
	if g.closes(bracket) {
		return false, true
	}
	if g.at == len(g.b) || g.b[g.at] != ',' {
		return false, false
	}
	g.at++
	g.space()
	return true, true
}

func (g *glance) space() {
	if g.at < len(g.b) && g.b[g.at] <= ' ' { // else nothing is called: it is the rule between tokens
		g.spaces()
	}
}

func (g *glance) spaces() {
	for g.at < len(g.b) {
		switch g.b[g.at] {
		case ' ', '\n', '\t', '\r':
			g.at++
		default:
			return
		}
	}
}
