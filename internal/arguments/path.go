package arguments

import (
	"slices"
	"strconv"
	"strings"
)

// pointer writes a path as a JSON pointer (RFC 6901).
func pointer(path []string) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

func pointerOr(path []string, root string) string {
	if len(path) == 0 {
		return root
	}
	return pointer(path)
}

// maxField is how long a violation's field may be, in bytes.
const maxField = 64

// fieldOf writes a path as google.rpc.BadRequest does: a.b[0].c. A path that is
// too long names the innermost enclosing value that fits.
func fieldOf(root *node, path []string) string {
	field, at := "", root
	for _, step := range path {
		longer := field
		switch {
		case at != nil && at.kind == isArray:
			longer += "[" + step + "]"
		case !isName(step):
			longer += "[" + quote(step) + "]"
		case field == "":
			longer = step
		default:
			longer += "." + step
		}
		if len(longer) > maxField {
			return field
		}
		field = longer
		at = at.step(step)
	}
	return field
}

// isName reports whether a key can stand between dots.
func isName(key string) bool {
	return key != "" && !strings.ContainsAny(key, ".[]\"\\ ") && strings.IndexFunc(key, func(r rune) bool { return r < ' ' }) < 0
}

// step returns the member or item that a step of a path names; nil where there
// is none.
func (n *node) step(step string) *node {
	if n == nil {
		return nil
	}
	if n.kind == isObject {
		return n.member(step)
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

func (n *node) at(path []string) *node {
	for _, step := range path {
		n = n.step(step)
	}
	return n
}

// deeper returns path with one more step, sharing nothing.
func deeper(path []string, step string) []string {
	return append(slices.Clip(path), step)
}

// duplicates returns the paths of keys that stand twice in one object, each
// once.
func duplicates(n *node, path []string) (found [][]string) {
	seen := map[string]int{}
	for _, m := range n.members {
		if seen[m.name]++; seen[m.name] == 2 {
			found = append(found, deeper(path, m.name))
		}
		found = append(found, duplicates(m.value, deeper(path, m.name))...)
	}
	for i, item := range n.items {
		found = append(found, duplicates(item, deeper(path, strconv.Itoa(i)))...)
	}
	return found
}
