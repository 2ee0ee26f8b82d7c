package arguments

import (
	"slices"
	"strconv"
	"strings"
)

// candidate is one reading of a value at its place.
type candidate struct {
	node *node
	// evident: it is the only thing that the value can mean, even where it then
	// breaks another rule ("500" where at most 100 is accepted). What is wrong
	// is said of the reading, then.
	evident bool
}

// coerce brings a value as near to its place as one reading allows. The same
// node comes back where nothing can be done. Whether the result is valid is for
// the caller to ask: what can be repaired is repaired even beside what can't,
// so that only the rest is reported.
func (e *engine) coerce(p place, n *node) *node {
	if len(p.given) != 1 || len(p.entered) > 0 {
		return e.read(p, n)
	}
	q := question{p.given[0], n} // branches of a union often meet again further in
	known, ok := e.coerced[q]
	if !ok {
		known = e.read(p, n)
		e.coerced[q] = known
	}
	return known
}

// read takes the one reading that there is.
func (e *engine) read(p place, n *node) *node {
	e.left -= 10
	if e.left < 0 || e.holdsAll(p.given, n) {
		return n
	}
	readings := e.readings(p, n)
	var valid []*node
	for i, r := range readings {
		readings[i].node = e.deep(e.moved(p, r.node), r.node)
		if r = readings[i]; e.holdsAll(p.given, r.node) {
			valid = appendDistinct(valid, r.node)
		}
	}
	switch {
	case len(valid) > 1, len(valid) == 1 && n.kind == isString && e.torn(p, n):
		return n
	case len(valid) == 1:
		return valid[0]
	case len(readings) == 1 && readings[0].evident:
		return readings[0].node
	}
	return e.deep(p, n)
}

// moved is the place for another value.
func (e *engine) moved(p place, n *node) place {
	p.flat = e.flatten(p.given, n)
	return p
}

func appendDistinct(all []*node, n *node) []*node {
	for _, other := range all {
		if other.render() == n.render() {
			return all
		}
	}
	return append(all, n)
}

// deep coerces what is inside of a value, then looks for a branch of a union
// that accepts it.
func (e *engine) deep(p place, n *node) *node {
	const rounds = 3 // a repaired member may decide which schemas apply
	for range rounds {
		inner := n
		switch n.kind {
		case isObject:
			inner = e.members(p, n)
		case isArray:
			inner = e.items(p, n)
		}
		if inner == n {
			break
		}
		n, p = inner, e.moved(p, inner)
	}
	return e.unite(p, n)
}

func (e *engine) members(p place, n *node) *node {
	out := n
	for i, m := range n.members {
		if m.dropped != nil {
			continue
		}
		schemas, declared := memberSchemas(p.flat, m.name)
		if len(schemas) == 0 || e.holdsAll(schemas, m.value) {
			continue
		}
		value, drop := e.coerce(e.place(schemas, m.value), m.value), (*change)(nil)
		if declared && !required(p.flat, n, m.name) && !e.holdsAll(schemas, value) {
			drop = absent(m.value)
		}
		if value == m.value && drop == nil {
			continue
		}
		if out == n {
			out = n.with()
		}
		if drop != nil {
			out.members[i].dropped = drop
		} else {
			out.members[i].value = value
		}
	}
	return out
}

// absent tells by which rule an optional member that its place does not accept
// stands for no member at all. A word such as "unknown" or a zero does not: what
// the model did not know should become visible.
func absent(value *node) *change {
	switch {
	case value.kind == isNull:
		return &change{was: value.raw, rule: "drop_null_optional"}
	case value.kind == isString && value.text == "":
		return &change{was: value.raw, rule: "drop_empty_optional"}
	}
	return nil
}

func (e *engine) items(p place, n *node) *node {
	out := n
	for i, item := range n.items {
		schemas := itemSchemas(p.flat, i)
		if len(schemas) == 0 || e.holdsAll(schemas, item) {
			continue
		}
		value := e.coerce(e.place(schemas, item), item)
		if value == item {
			continue
		}
		if out == n {
			out = n.with()
		}
		out.items[i] = value
	}
	return out
}

// readings returns what a value may mean at its place besides what it is. A kind
// is changed only where the place accepts none of that kind; a string also where
// every string that is accepted has a form of its own (a list, a format, a
// pattern), so that free text is never read as something else.
func (e *engine) readings(p place, n *node) []candidate {
	accepted := e.admits(p.given)
	if n.kind == isString {
		all := e.repairs(p, n, accepted)
		if p.kinds&isString == 0 || !p.freeText {
			all = append(all, e.fromString(p, n, accepted)...)
		}
		return all
	}
	if p.kinds&n.kind != 0 {
		return nil
	}
	var all []candidate
	if accepted&isString != 0 && n.kind&(isNumber|isBoolean) != 0 {
		all = append(all, e.toString(p, n)...)
	}
	if p.listsOnly && n.kind&(isNumber|isBoolean|isObject) != 0 {
		all = append(all, e.wrap(p, n)...)
	}
	return all
}

// fromString reads a string as what is accepted in its place.
func (e *engine) fromString(p place, n *node, accepted kinds) (all []candidate) {
	text := strings.Trim(n.text, asciiSpace)
	by := func(rule string) *change { return &change{was: n.raw, rule: rule} }
	if raw, rule := numeral(text, accepted); raw != "" {
		all = append(all, candidate{scalar(raw, by(rule)), true})
	}
	if word := strings.ToLower(text); accepted&isBoolean != 0 && (word == "true" || word == "false") {
		all = append(all, candidate{scalar(word, by("string_to_boolean")), true})
	}
	if accepted&isNull != 0 && strings.EqualFold(text, "null") {
		all = append(all, candidate{scalar("null", by("null_string_to_null")), true})
	}
	if inner := encoded(text, accepted); inner != nil {
		inner.change = by("json_string_to_array")
		if inner.kind == isObject {
			inner.change.rule = "json_string_to_object"
		}
		return append(all, candidate{inner, true})
	}
	if p.listsOnly {
		all = append(all, e.split(p, n)...)
		all = append(all, e.wrap(p, n)...)
	}
	return all
}

// encoded returns the array or object that a string holds, whole and strict.
func encoded(text string, accepted kinds) *node {
	if text == "" || (text[0] != '[' && text[0] != '{') {
		return nil
	}
	inner := parseWhole(text)
	if inner == nil || inner.kind&accepted == 0 {
		return nil
	}
	return inner
}

// toString writes a number or boolean as the string that is accepted. An integer
// within 2^53 has one spelling; beyond, an earlier hop may have rounded it, and
// a fraction may have lost its last zeros. Only a closed list settles those.
func (e *engine) toString(p place, n *node) []candidate {
	rule := map[kinds]string{isInteger: "integer_to_string", isFraction: "number_to_string", isBoolean: "boolean_to_string"}[n.kind]
	if !(n.kind == isInteger && exactInteger(n.raw)) && !slices.Contains(members(p.flat), n.raw) {
		return nil
	}
	return []candidate{{node: stringNode(n.raw, &change{was: n.raw, rule: rule})}}
}

// exactInteger reports whether an integer is written as plain digits and lies
// within 2^53.
func exactInteger(raw string) bool {
	const limit = 1<<53 - 1
	v, err := strconv.ParseInt(raw, 10, 64)
	return err == nil && raw != "-0" && v >= -limit && v <= limit
}

// members are the strings that enum and const list.
func members(flat []*schema) (all []string) {
	for _, s := range flat {
		if s.Const != nil {
			all = appendStrings(all, *s.Const)
		}
		if s.Enum != nil {
			all = appendStrings(all, s.Enum.Values...)
		}
	}
	return all
}

func appendStrings(all []string, values ...any) []string {
	for _, v := range values {
		if s, ok := v.(string); ok && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
