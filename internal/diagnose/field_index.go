package diagnose

import (
	"slices"
	"strings"
)

// argumentIndex finds places in the tool's arguments, sent and declared. It is
// made on demand and belongs to one diagnosis.
type argumentIndex struct {
	root  *node
	sent  []argument           // every value that was sent, outer before inner
	known []argument           // declared by the schema, not necessarily sent
	leafs map[string]*argument // the first argument of each last name
}

type argument struct {
	parts []string // as the tool spells them
	plain []string // for comparison; an index stays a number
	node  *node    // nil for a declared one
}

func (a *argument) path() string { return joinPath(a.parts) }

func (a *argument) leaf() string {
	for _, name := range slices.Backward(a.plain) {
		if atoi(name) < 0 {
			return name
		}
	}
	return ""
}

// Bounds of an index.
const (
	maxIndexed       = 256
	maxIndexedBytes  = 64 << 10
	maxArgumentDepth = 12
)

// index reads the arguments and the schema, once.
func (d *diagnosis) index() *argumentIndex {
	if d.arguments != nil {
		return d.arguments
	}
	x := &argumentIndex{}
	d.arguments = x
	if text := d.in.Arguments; len(text) <= maxIndexedBytes {
		x.root, _ = parseJSON(string(text))
		x.collect(x.root, nil)
	}
	if schema := d.tool.SchemaJSON; schema != "" && len(schema) <= maxIndexedBytes {
		root, _ := parseJSON(schema)
		x.declare(root, nil)
	}
	x.leafs = make(map[string]*argument, len(x.sent)+len(x.known))
	for _, list := range [][]argument{x.sent, x.known} {
		for i := range list {
			if leaf := list[i].leaf(); leaf != "" && x.leafs[leaf] == nil {
				x.leafs[leaf] = &list[i]
			}
		}
	}
	return x
}

func (x *argumentIndex) collect(n *node, at []string) {
	if !n.isContainer() || len(at) > maxArgumentDepth {
		return
	}
	for i := range n.items {
		if len(x.sent) >= maxIndexed {
			return
		}
		parts := extend(at, itemName(n, i))
		x.sent = append(x.sent, newArgument(parts, n.items[i].node))
	}
	for i := range n.items {
		x.collect(n.items[i].node, extend(at, itemName(n, i)))
	}
}

func (x *argumentIndex) declare(schema *node, at []string) {
	if len(at) > maxArgumentDepth/2 {
		return
	}
	properties := schema.member("properties")
	if !properties.isObject() {
		if items := schema.member("items"); items.isObject() {
			x.declare(items, at)
		}
		return
	}
	for _, p := range properties.items {
		if len(x.known) >= maxIndexed {
			return
		}
		parts := extend(at, p.name)
		x.known = append(x.known, newArgument(parts, nil))
		x.declare(p.node, parts)
	}
}

func newArgument(parts []string, n *node) argument {
	a := argument{parts: parts, plain: make([]string, len(parts)), node: n}
	for i, part := range parts {
		a.plain[i] = plain(part)
	}
	return a
}

// resolve maps a field in the provider's spelling to the tool's own path.
func (x *argumentIndex) resolve(field string) (string, bool) {
	parts := segments(field)
	if len(parts) == 0 {
		return "", false
	}
	want := newArgument(parts, nil).plain
	for _, match := range []func(a, want []string) bool{samePath, endsWith, sameNames, sameStem} {
		for _, list := range [][]argument{x.sent, x.known} {
			if a := best(list, want, match); a != nil {
				return a.path(), true
			}
		}
	}
	// The provider knows a place below what was sent.
	for i := range parts {
		for j := len(parts) - 1; j > i; j-- {
			if a := best(x.sent, want[i:j], samePath); a != nil {
				return joinPath(append(extend(a.parts[:len(a.parts)-1], a.parts[len(a.parts)-1]), parts[j:]...)), true
			}
		}
	}
	return joinPath(withoutWrappers(parts)), false
}

// best is the first argument that matches the longest end of want.
func best(list []argument, want []string, match func(a, want []string) bool) *argument {
	for i := range want {
		if i > 0 && atoi(want[i]) >= 0 {
			continue
		}
		for j := range list {
			if match(list[j].plain, want[i:]) {
				return &list[j]
			}
		}
	}
	return nil
}

func samePath(a, want []string) bool {
	if len(a) != len(want) {
		return false
	}
	for i := range a {
		if a[i] != want[i] {
			return false
		}
	}
	return true
}

func endsWith(a, want []string) bool {
	return len(a) > len(want) && samePath(a[len(a)-len(want):], want)
}

// sameNames compares without indices.
func sameNames(a, want []string) bool {
	a, want = namesOf(a), namesOf(want)
	return len(want) > 0 && len(a) >= len(want) && samePath(a[len(a)-len(want):], want)
}

func namesOf(parts []string) []string {
	out := make([]string, 0, len(parts))
	for _, part := range parts {
		if atoi(part) < 0 {
			out = append(out, part)
		}
	}
	return out
}

// sameStem compares the last names without plural and id: customerId is
// customer, addresses is address.
func sameStem(a, want []string) bool {
	a, want = namesOf(a), namesOf(want)
	if len(a) == 0 || len(want) != 1 {
		return false
	}
	x, y := stem(a[len(a)-1]), stem(want[0])
	return x != "" && x == y
}

func stem(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "s"), "id")
	s = strings.TrimSuffix(s, "e")
	if len(s) < 3 {
		return ""
	}
	return s
}

// top is the top-level argument with one of these names; "" where there is none.
func (x *argumentIndex) top(names map[string]bool) string {
	for _, list := range [][]argument{x.sent, x.known} {
		for i := range list {
			if len(list[i].plain) == 1 && names[list[i].plain[0]] {
				return list[i].path()
			}
		}
	}
	return ""
}

// replaced is the arguments as JSON with one of them set to text.
func (x *argumentIndex) replaced(name, text string) (string, bool) {
	path, ok := x.resolve(name)
	if !ok || !x.root.isObject() {
		return "", false
	}
	changed, done := objectOf(), false
	for _, m := range x.root.items {
		if m.name == path {
			m.node, done = valueLike(m.node, text), true
		}
		changed.items = append(changed.items, m)
	}
	return string(changed.appendJSON(nil)), done
}

// valueLike is text as the kind of value that old is.
func valueLike(old *node, text string) *node {
	if old.kind == stringNode {
		return stringOf(text)
	}
	return scalar(text)
}
