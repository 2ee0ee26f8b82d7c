package lint

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is a catalogue's text and tree.
type document struct {
	text  string
	lines []string
	start []int // offsets of the lines
	root  spot
}

// spot is a value in the tree with the key that names it. The zero spot is
// nowhere.
type spot struct {
	path  string
	key   *yaml.Node // nil: an item of a list, or the root
	value *yaml.Node
}

func newDocument(text string, root *yaml.Node) *document {
	d := &document{text: text, lines: strings.Split(text, "\n"), root: spot{value: root}}
	at := 0
	for _, line := range d.lines {
		d.start = append(d.start, at)
		at += len(line) + 1
	}
	return d
}

func (s spot) exists() bool { return s.value != nil }

// at follows names (string) and list positions (int); the zero spot where they
// lead nowhere.
func (s spot) at(steps ...any) spot {
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			s = s.member(step)
		case int:
			s = s.item(step)
		}
		if s.value == nil {
			return spot{}
		}
	}
	return s
}

func (s spot) member(name string) spot {
	for _, wanted := range []string{name, camelCase(name)} {
		for member := range s.members {
			if member.key.Value == wanted {
				return member
			}
		}
	}
	return spot{}
}

func (s spot) item(i int) spot {
	if s.value == nil || s.value.Kind != yaml.SequenceNode || i >= len(s.value.Content) {
		return spot{}
	}
	return spot{path: s.path + "[" + strconv.Itoa(i) + "]", value: s.value.Content[i]}
}

// members yields the members of a mapping, in the order of the text.
func (s spot) members(yield func(spot) bool) {
	if s.value == nil || s.value.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(s.value.Content); i += 2 {
		key, value := s.value.Content[i], s.value.Content[i+1]
		if !yield(spot{path: strings.TrimPrefix(s.path+"."+key.Value, "."), key: key, value: value}) {
			return
		}
	}
}

// items yields the items of a list.
func (s spot) items(yield func(spot) bool) {
	if s.value == nil || s.value.Kind != yaml.SequenceNode {
		return
	}
	for i := range s.value.Content {
		if !yield(s.item(i)) {
			return
		}
	}
}

// text is a scalar's; empty for anything else.
func (s spot) text() string {
	if s.value == nil || s.value.Kind != yaml.ScalarNode {
		return ""
	}
	return s.value.Value
}

// word is the text of a scalar that YAML reads as a string.
func (s spot) word() (string, bool) {
	if s.value == nil || s.value.Kind != yaml.ScalarNode || s.value.ShortTag() != "!!str" {
		return "", false
	}
	return s.value.Value, true
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

// name is the place of a spot's key, or of its value where it has none.
func (d *document) name(s spot) Place {
	if s.key != nil {
		return d.place(s.path, s.key)
	}
	return d.place(s.path, s.value)
}

// content is the place of a spot's value.
func (d *document) content(s spot) Place { return d.place(s.path, s.value) }

func (d *document) place(path string, node *yaml.Node) Place {
	p := Place{Path: path, Line: 1, Column: 1, EndColumn: 2}
	if node == nil || node.Line == 0 {
		return p
	}
	p.Line, p.Column = node.Line, node.Column
	p.EndColumn = p.Column + 1
	if end, ok := d.end(node); ok {
		p.EndColumn = p.Column + utf8.RuneCountInString(d.text[d.offset(node.Line, node.Column):end])
	}
	return p
}

// offset is the byte at a line and column.
func (d *document) offset(line, column int) int {
	if line < 1 || line > len(d.lines) {
		return len(d.text)
	}
	at := 0
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(d.lines[line-1][at:])
		at += size
	}
	return d.start[line-1] + at
}

// end is the byte behind a scalar that stands on one line; false for all else.
func (d *document) end(node *yaml.Node) (int, bool) {
	if node.Kind != yaml.ScalarNode || node.Line < 1 || node.Line > len(d.lines) {
		return 0, false
	}
	start := d.offset(node.Line, node.Column)
	rest := d.text[start : d.start[node.Line-1]+len(d.lines[node.Line-1])]
	switch {
	case node.Style&yaml.DoubleQuotedStyle != 0:
		return closing(rest, start, '"')
	case node.Style&yaml.SingleQuotedStyle != 0:
		return closing(rest, start, '\'')
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0, node.Value == "":
		return 0, false
	}
	return start + len(node.Value), strings.HasPrefix(rest, node.Value)
}

// closing finds the end of a quoted scalar.
func closing(rest string, start int, quote byte) (int, bool) {
	if rest == "" || rest[0] != quote {
		return 0, false // an anchor or a tag stands before it
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && quote == '"':
			i++
		case rest[i] == quote && quote == '\'' && i+1 < len(rest) && rest[i+1] == quote:
			i++
		case rest[i] == quote:
			return start + i + 1, true
		}
	}
	return 0, false
}

// position is the line and column of a byte.
func (d *document) position(offset int) (line, column int) {
	line = sort.SearchInts(d.start, offset+1)
	return line, utf8.RuneCountInString(d.text[d.start[line-1]:offset]) + 1
}
