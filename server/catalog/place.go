package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// at is a place in a catalogue: a node of the file, or of the nearest node
// around what is not there. A tool that was added in Go has no node.
type at struct {
	node *yaml.Node
	path string
}

// field is the value under a key.
func (a at) field(name string) at {
	path := strings.TrimPrefix(a.path+"."+name, ".")
	if value := member(a.node, name); value != nil {
		return at{node: value, path: path}
	}
	return at{node: a.node, path: path}
}

// index is an item of a list.
func (a at) index(i int) at {
	path := a.path + "[" + strconv.Itoa(i) + "]"
	if a.node != nil && a.node.Kind == yaml.SequenceNode && i < len(a.node.Content) {
		return at{node: a.node.Content[i], path: path}
	}
	return at{node: a.node, path: path}
}

// below follows a path as the compilers of parts write it: `[2].when`,
// `http.url`. A map's key that holds a dot is one step where it is there.
func (a at) below(path string) at {
	for path = strings.TrimPrefix(path, "."); path != ""; path = strings.TrimPrefix(path, ".") {
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			if place, err := strconv.Atoi(path[1:max(1, end)]); err == nil {
				a, path = a.index(place), path[end+1:]
				continue
			}
		}
		if member(a.node, path) != nil {
			return a.field(path)
		}
		end := strings.IndexAny(path[1:], ".[") + 1
		if end == 0 {
			return a.field(path)
		}
		a, path = a.field(path[:end]), path[end:]
	}
	return a
}

// member finds a key in its snake or camel case.
func member(node *yaml.Node, name string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := node.Content[i].Value; key == name || key == camelCase(name) {
			return node.Content[i+1]
		}
	}
	return nil
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// inText finds the place of a line and column (from 1) within a scalar's text.
// It is exact for text on one line and for block scalars.
func (s *source) inText(node *yaml.Node, line, column int) (int, int) {
	switch {
	case node == nil:
		return 0, 0
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return node.Line + line, s.indentOf(node.Line+1) + column
	case node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		column++
	}
	if line > 1 {
		return node.Line, node.Column
	}
	return node.Line, node.Column + column - 1
}

func (s *source) indentOf(line int) int {
	if line < 1 || line > len(s.lines) {
		return 0
	}
	text := s.lines[line-1]
	return len(text) - len(strings.TrimLeft(text, " "))
}

func quote(text string) string { return fmt.Sprintf("%q", text) }
