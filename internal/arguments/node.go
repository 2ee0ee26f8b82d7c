package arguments

import (
	"encoding/json"
	"strings"
)

// kinds is a set of the types of JSON Schema. A number is of the kind integer
// where its value is whole, else of the kind fraction.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isFraction
	isString
	isArray
	isObject

	isNumber = isInteger | isFraction
	isAny    = isNull | isBoolean | isNumber | isString | isArray | isObject
)

func (k kinds) within(other kinds) bool { return k&^other == 0 }

// node is one value of the arguments. Nodes never change once they are made; a
// coercion makes new ones, which share what stays.
type node struct {
	kind    kinds  // exactly one
	raw     string // as received; empty for a container that was changed
	text    string // of a string, decoded
	members []field
	items   []*node
	change  *change // what made this node; nil: it came so

	plain any // what the judge reads; see value
	made  bool
	canon string // see canonical
}

// field is a member of an object.
type field struct {
	name    string
	rawName string
	value   *node
	dropped *change // the member was removed; value is what it held
}

// change is one coercion.
type change struct {
	was  string // JSON text as received
	rule string
}

func (n *node) member(name string) *node {
	for i := range n.members {
		if m := &n.members[i]; m.name == name && m.dropped == nil {
			return m.value
		}
	}
	return nil
}

// with returns a copy of an array or object to be changed.
func (n *node) with() *node {
	dup := &node{kind: n.kind, change: n.change}
	dup.items = append([]*node(nil), n.items...)
	dup.members = append([]field(nil), n.members...)
	return dup
}

// scalar makes a value out of JSON text that is no container.
func scalar(raw string, by *change) *node {
	n := tree(raw)
	n.change = by
	return n
}

func stringNode(text string, by *change) *node {
	return &node{kind: isString, raw: quote(text), text: text, change: by}
}

// render returns the JSON text. Whatever did not change keeps its bytes.
func (n *node) render() string {
	if n.raw != "" {
		return n.raw
	}
	var b strings.Builder
	n.renderTo(&b)
	return b.String()
}

func (n *node) renderTo(b *strings.Builder) {
	switch {
	case n.raw != "":
		b.WriteString(n.raw)
	case n.kind == isArray:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.renderTo(b)
		}
		b.WriteByte(']')
	default:
		n.renderMembers(b)
	}
}

func (n *node) renderMembers(b *strings.Builder) {
	separator := "{"
	for _, m := range n.members {
		if m.dropped != nil {
			continue
		}
		b.WriteString(separator)
		b.WriteString(m.rawName)
		b.WriteByte(':')
		m.value.renderTo(b)
		separator = ","
	}
	if separator == "{" {
		b.WriteByte('{')
	}
	b.WriteByte('}')
}

// value returns the node as the judge reads it.
func (n *node) value() any {
	if !n.made {
		n.plain, n.made = n.convert(), true
	}
	return n.plain
}

func (n *node) convert() any {
	switch n.kind {
	case isNull:
		return nil
	case isBoolean:
		return n.raw == "true"
	case isString:
		return n.text
	case isArray:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.value()
		}
		return list
	case isObject:
		object := make(map[string]any, len(n.members))
		for _, m := range n.members {
			if m.dropped == nil {
				object[m.name] = m.value.value()
			}
		}
		return object
	}
	return json.Number(tamed(n.raw))
}

// received is the node as it came.
func (n *node) received() *node {
	if n.change == nil {
		return n
	}
	return tree(n.change.was)
}

// size counts the values.
func (n *node) size() int {
	total := 1
	for _, item := range n.items {
		total += item.size()
	}
	for _, m := range n.members {
		total += m.value.size()
	}
	return total
}

// canonical returns the canonical form.
func (n *node) canonical() string {
	if n.canon == "" {
		c := borrow(nil, n.render())
		defer c.release()
		_ = c.document() // it was read before
		n.canon = string(c.out)
	}
	return n.canon
}

// whole reports whether a JSON number has a whole value.
func whole(raw string) bool {
	if !strings.ContainsAny(raw, ".eE") {
		return true
	}
	canonical := string(appendNumber(nil, raw))
	return !strings.Contains(canonical, ".") && !strings.Contains(canonical, "e-")
}
