package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"buf.build/go/protoyaml"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
)

const maxFileBytes = 16 << 20

// source is a catalogue's text.
type source struct {
	name  string
	data  []byte
	lines []string
	raw   *yaml.Node // as it is written, aliases put in; nil: nothing could be read
}

func newSource(name string, data []byte) *source {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	return &source{name: name, data: data, lines: strings.Split(string(data), "\n")}
}

// read decodes the text into message; root is nil where it could not be read at all.
func (s *source) read(problems *report, message proto.Message) (root *yaml.Node) {
	if !s.isOneDocument(problems) {
		return nil
	}
	tree := &treeReader{source: s, report: problems}
	err := protoyaml.UnmarshalOptions{Path: s.name, CustomUnmarshaler: tree}.Unmarshal(s.data, message)
	for _, one := range unjoin(err) {
		s.addLibraryError(problems, one)
	}
	if tree.root == nil {
		tree.root = &yaml.Node{Kind: yaml.MappingNode, Line: 1, Column: 1}
	}
	return tree.root
}

// isOneDocument finds what makes the text no YAML, and what would go unread.
func (s *source) isOneDocument(problems *report) bool {
	if len(s.data) > maxFileBytes {
		problems.add(at{}, Problem{
			Line: 1, Column: 1, Message: fmt.Sprintf("%d bytes are too many", len(s.data)), Accepted: fmt.Sprintf("at most %d", maxFileBytes),
		})
		return false
	}
	for i, line := range s.lines {
		if place := strings.IndexAny(line, "\u0085\u2028\u2029"); place >= 0 {
			problems.add(at{}, Problem{Line: i + 1, Column: place + 1, Message: "a line break that only YAML knows", Accepted: `an ordinary one, or "\u2028" in quotes`})
			return false
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(s.data))
	var document, next yaml.Node
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		s.addLibraryError(problems, err)
		return false
	}
	switch err := decoder.Decode(&next); {
	case err == nil && next.Kind != 0:
		problems.add(at{}, Problem{Line: next.Line, Column: next.Column, Message: "a second document", Accepted: "one document per file"})
		return false
	case err != nil && !errors.Is(err, io.EOF):
		s.addLibraryError(problems, err)
		return false
	}
	return true
}

var (
	nodeError = regexp.MustCompile(`^(.*?):(\d+):(\d+) ([^\n]*)`)
	lineError = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): (.*)`)
)

// addLibraryError finds the place in an error of the YAML libraries, which have
// no type for it.
func (s *source) addLibraryError(problems *report, err error) {
	problem := Problem{Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	if found := nodeError.FindStringSubmatch(strings.TrimPrefix(err.Error(), s.name)); found != nil && found[1] == "" {
		problem.Line, problem.Column, problem.Message = number(found[2]), number(found[3]), found[4]
	} else if found := lineError.FindStringSubmatch(err.Error()); found != nil {
		problem.Line, problem.Message = number(found[1]), found[2]
		problem.Column = s.indentOf(problem.Line) + 1
	}
	problems.found = append(problems.found, Problem{
		File: s.name, Line: max(1, problem.Line), Column: max(1, problem.Column), Message: problem.Message,
	})
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// treeReader puts the tree right before protoyaml decodes it, and keeps it for
// the places of what is found later.
type treeReader struct {
	source *source
	report *report
	root   *yaml.Node
}

// Unmarshal implements protoyaml.CustomUnmarshaler. The first message is the whole.
func (t *treeReader) Unmarshal(node *yaml.Node, message proto.Message) (bool, error) {
	if t.root != nil {
		return false, nil
	}
	t.root = node
	expanded := &expander{report: t.report}
	expanded.expand(node)
	t.source.raw = clone(node)
	shape := &shaper{report: t.report}
	shape.message(at{node: node}, message.ProtoReflect().Descriptor())
	return false, nil
}

// clone copies a tree, for what shapes one writes into it.
func clone(node *yaml.Node) *yaml.Node {
	copied := *node
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i, item := range node.Content {
		copied.Content[i] = clone(item)
	}
	return &copied
}
