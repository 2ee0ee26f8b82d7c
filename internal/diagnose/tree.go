package diagnose

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is one value of a body, whatever notation it was written in. A tree is
// read by one goroutine; its strings share the body's memory.
type node struct {
	kind    nodeKind
	escaped bool // text still holds JSON escapes
	text    string
	items   []member // of a list or an object, in order
}

// member is one entry of a list (name empty) or an object.
type member struct {
	name string
	node *node
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	listNode
	objectNode
)

// isContainer reports whether n has items; nil has none.
func (n *node) isContainer() bool {
	return n != nil && (n.kind == listNode || n.kind == objectNode)
}

func (n *node) isObject() bool { return n != nil && n.kind == objectNode }
func (n *node) isList() bool   { return n != nil && n.kind == listNode }
func (n *node) isString() bool { return n != nil && n.kind == stringNode }

// present reports whether n says anything: not absent, null, "", [] or {}.
func (n *node) present() bool {
	switch {
	case n == nil || n.kind == nullNode:
		return false
	case n.kind == stringNode:
		return strings.TrimSpace(n.text) != ""
	case n.isContainer():
		return len(n.items) > 0
	}
	return true
}

// str is the text of a scalar, digits as written; "" for nil, null and
// containers.
func (n *node) str() string {
	if n == nil || n.kind == nullNode || n.isContainer() {
		return ""
	}
	if n.escaped {
		n.text, n.escaped = unescapeJSON(n.text), false
	}
	return n.text
}

// member returns the first member of that name, nil where there is none.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.items {
		if n.items[i].name == name {
			return n.items[i].node
		}
	}
	return nil
}

// fold is member without regard to case.
func (n *node) fold(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.items {
		if len(n.items[i].name) == len(name) && strings.EqualFold(n.items[i].name, name) {
			return n.items[i].node
		}
	}
	return nil
}

// any returns the first present member among names.
func (n *node) any(names ...string) *node {
	for _, name := range names {
		if m := n.fold(name); m.present() {
			return m
		}
	}
	return nil
}

// at follows names from object to object.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		n = n.opened().member(name)
	}
	return n
}

// opened is n, or the JSON that the string n holds.
func (n *node) opened() *node {
	if !n.isString() || len(n.text) < 2 {
		return n
	}
	if c := n.text[0]; c != '{' && c != '[' {
		return n
	}
	if inner, whole := parseJSON(n.str()); whole && inner.isContainer() {
		return inner
	}
	return n
}

// number parses a numeric scalar, quoted or not.
func (n *node) number() (float64, bool) {
	if n == nil || n.kind != numberNode && n.kind != stringNode {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(n.str()), 64)
	return v, err == nil
}

// first returns the list's first element, or n itself where it is no list.
func (n *node) first() *node {
	if n.isList() {
		if len(n.items) == 0 {
			return nil
		}
		return n.items[0].node
	}
	return n
}

// elements returns a list's elements, or n itself as the only one.
func (n *node) elements() []member {
	switch {
	case n.isList():
		return n.items
	case n.present():
		return []member{{node: n}}
	}
	return nil
}

// elementsOfObject are an object's members; none for anything else.
func (n *node) elementsOfObject() []member {
	if n.isObject() {
		return n.items
	}
	return nil
}

func stringOf(s string) *node { return &node{kind: stringNode, text: s} }

func objectOf(items ...member) *node { return &node{kind: objectNode, items: items} }

func listOf(items ...*node) *node {
	list := &node{kind: listNode}
	for _, item := range items {
		list.items = append(list.items, member{node: item})
	}
	return list
}

// appendJSON writes n as JSON, digits as they came.
func (n *node) appendJSON(b []byte) []byte {
	switch {
	case n == nil || n.kind == nullNode:
		return append(b, "null"...)
	case n.kind == stringNode:
		return appendQuoted(b, n.str())
	case !n.isContainer():
		return append(b, n.text...)
	}
	open, end := byte('['), byte(']')
	if n.kind == objectNode {
		open, end = '{', '}'
	}
	b = append(b, open)
	for i, m := range n.items {
		if i > 0 {
			b = append(b, ',')
		}
		if n.kind == objectNode {
			b = append(appendQuoted(b, m.name), ':')
		}
		b = m.node.appendJSON(b)
	}
	return append(b, end)
}

// appendQuoted writes s as a JSON string without HTML escapes.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < 0x20 || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r) // a broken byte becomes U+FFFD
			i += size
			continue
		}
		i++
	}
	return append(b, '"')
}
