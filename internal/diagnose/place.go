package diagnose

import (
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// place says where in a reply something stands; docs/vocabularies.md has the
// notation.
type place struct {
	kind  placeKind
	name  string   // of the header or the detail's type
	steps []string // into the body or the detail; "*" is every item, "**" any depth
}

type placeKind uint8

const (
	inBody placeKind = iota
	inHeader
	inDetail
	inText
	inStatus
)

// maxPlaces bounds what one wildcard place may find.
const maxPlaces = 64

func parsePlace(s string) (place, error) {
	switch {
	case s == "text":
		return place{kind: inText}, nil
	case s == "status":
		return place{kind: inStatus}, nil
	case strings.HasPrefix(s, "/"):
		return place{kind: inBody, steps: pointerSteps(s)}, nil
	}
	kind, rest, found := strings.Cut(s, ":")
	switch {
	case found && kind == "header" && rest != "":
		return place{kind: inHeader, name: textproto.CanonicalMIMEHeaderKey(rest)}, nil
	case found && kind == "detail" && rest != "":
		name, pointer, _ := strings.Cut(rest, "/")
		return place{kind: inDetail, name: name, steps: pointerSteps("/" + pointer)}, nil
	}
	return place{}, fmt.Errorf("%q is no place: write /pointer, header:name, detail:Type/pointer, text or status", s)
}

// pointerSteps splits an RFC 6901 pointer; "/" alone is the whole.
func pointerSteps(s string) []string {
	s = strings.TrimPrefix(s, "/")
	if s == "" {
		return nil
	}
	steps := strings.Split(s, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// first is the first present value at p in r, nil where there is none.
func (p place) first(r *reading) *node {
	switch p.kind {
	case inHeader:
		if v := r.header(p.name); v != "" {
			return stringOf(v)
		}
		return nil
	case inText:
		if r.text != "" {
			return stringOf(r.text)
		}
		return nil
	case inStatus:
		return &node{kind: numberNode, text: strconv.Itoa(r.status)}
	case inDetail:
		for _, detail := range r.details() {
			if typeEnds(detail.member("@type").str(), p.name) {
				if found := firstAt(detail, p.steps); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return firstAt(r.root, p.steps)
}

// find lists the values at p below n, with the names that led there.
func (p place) find(n *node) []found {
	return walk(nil, found{node: n}, p.steps)
}

// found is a value and the way to it.
type found struct {
	node *node
	path []string
	deep []string // what "**" stood for, else the stars
	past bool     // "**" lies behind
}

func (f found) key() string {
	if len(f.path) == 0 {
		return ""
	}
	return f.path[len(f.path)-1]
}

func firstAt(n *node, steps []string) *node {
	if len(steps) == 0 {
		if n.present() {
			return n
		}
		return nil
	}
	if n = n.opened(); !n.isContainer() {
		return nil
	}
	if steps[0] == "**" {
		if all := walk(nil, found{node: n}, steps); len(all) > 0 {
			return all[0].node
		}
		return nil
	}
	for i := range n.items {
		if stepMatches(n, i, steps[0]) {
			if f := firstAt(n.items[i].node, steps[1:]); f != nil {
				return f
			}
		}
	}
	return nil
}

func walk(all []found, from found, steps []string) []found {
	if len(steps) == 0 {
		if from.node.present() && len(all) < maxPlaces {
			all = append(all, from)
		}
		return all
	}
	deep := steps[0] == "**"
	if deep {
		from.past = true
		all = walk(all, from, steps[1:])
	}
	n := from.node.opened()
	if !n.isContainer() {
		return all
	}
	for i := range n.items {
		if len(all) >= maxPlaces || len(from.path) > maxTreeDepth {
			break
		}
		if !stepMatches(n, i, steps[0]) {
			continue
		}
		next := found{node: n.items[i].node, path: extend(from.path, itemName(n, i)), deep: from.deep, past: from.past}
		switch {
		case deep:
			next.deep = extend(from.deep, itemName(n, i))
			all = walk(all, next, steps)
		case steps[0] == "*" && !from.past && !slices.Contains(steps, "**"):
			next.deep = extend(from.deep, itemName(n, i))
			fallthrough
		default:
			all = walk(all, next, steps[1:])
		}
	}
	return all
}

// extend appends without touching what path shares.
func extend(path []string, name string) []string {
	return append(slices.Clip(path), name)
}

func itemName(n *node, i int) string {
	if n.kind == listNode {
		return strconv.Itoa(i)
	}
	return n.items[i].name
}

func stepMatches(n *node, i int, step string) bool {
	if step == "*" || step == "**" {
		return true
	}
	if n.kind == listNode {
		return step == strconv.Itoa(i)
	}
	return n.items[i].name == step
}

// typeEnds reports whether a detail's type URL names the type: whole, or by its
// last parts.
func typeEnds(url, name string) bool {
	full := url[strings.LastIndexByte(url, '/')+1:]
	return full == name || strings.HasSuffix(full, "."+name)
}

// firstOf is the first present value among places.
func firstOf(places []place, r *reading) *node {
	for _, p := range places {
		if n := p.first(r); n != nil {
			return n
		}
	}
	return nil
}
