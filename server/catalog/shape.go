package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"buf.build/go/protoyaml"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// jsonText are the fields that are JSON as text and YAML in the file.
var jsonText = []protoreflect.FullName{
	"toolgate.catalog.v1.Tool.input_schema", "toolgate.catalog.v1.Fallback.arguments",
}

// shaper holds the tree against the form of a catalogue. What is written in the
// file's own way (short enums, JSON as YAML) is rewritten to what protoyaml
// reads; what is wrong is reported and taken out, so that it is reported once.
type shaper struct{ report *report }

// message checks a mapping.
func (s *shaper) message(at at, message protoreflect.MessageDescriptor) {
	node := at.node
	if isNull(node) {
		*node = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: node.Line, Column: node.Column}
	}
	if node.Kind != yaml.MappingNode {
		s.report.darken(at, Problem{Message: kindName(node) + " where a mapping belongs", Accepted: strings.Join(keysOf(message), ", ")})
		empty(node)
		return
	}
	seen := map[protoreflect.Name]bool{}
	kept := node.Content[:0]
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field := s.known(at, key, message)
		if field == nil || s.excluded(at, key, field, seen) {
			continue
		}
		seen[field.Name()] = true
		if isNull(value) && field.Message() == nil {
			continue // as if the key were not there
		}
		if s.field(place(value, at, field), field) {
			kept = append(kept, key, value)
		}
	}
	node.Content = kept
}

func place(value *yaml.Node, parent at, field protoreflect.FieldDescriptor) at {
	return at{node: value, path: strings.TrimPrefix(parent.path+"."+string(field.Name()), ".")}
}

// known finds the field that a key means; nil where there is none.
func (s *shaper) known(parent at, key *yaml.Node, message protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	if key.Kind == yaml.ScalarNode {
		if field := message.Fields().ByName(protoreflect.Name(key.Value)); field != nil {
			return field
		}
		if field := message.Fields().ByJSONName(key.Value); field != nil {
			return field
		}
	}
	keys := keysOf(message)
	meant := nearest(key.Value, keys)
	s.report.add(at{node: key, path: parent.path}, Problem{
		Message: "unknown key " + quote(key.Value), Suggestion: meant, Accepted: strings.Join(keys, ", "),
	})
	if meant != "" { // it is not missing
		s.report.dark[strings.TrimPrefix(parent.path+"."+meant, ".")] = true
	}
	return nil
}

// excluded reports a key that stands twice (in both spellings) or beside another
// of its oneof.
func (s *shaper) excluded(parent at, key *yaml.Node, field protoreflect.FieldDescriptor, seen map[protoreflect.Name]bool) bool {
	if seen[field.Name()] {
		s.report.add(at{node: key, path: parent.path}, Problem{Message: "the key " + quote(string(field.Name())) + " stands here twice", Accepted: "each key once"})
		return true
	}
	choice := field.ContainingOneof()
	if choice == nil || choice.IsSynthetic() {
		return false
	}
	for i := range choice.Fields().Len() {
		if other := choice.Fields().Get(i).Name(); seen[other] {
			s.report.add(at{node: key, path: parent.path}, Problem{
				Message: fmt.Sprintf("%s and %s exclude each other", other, field.Name()), Accepted: "one of them",
			})
			return true
		}
	}
	return false
}

// field checks a value and reports whether it may stay.
func (s *shaper) field(at at, field protoreflect.FieldDescriptor) bool {
	switch {
	case field.IsMap():
		return s.mapping(at, field)
	case field.IsList():
		return s.list(at, field)
	}
	return s.value(at, field)
}

func (s *shaper) mapping(at at, field protoreflect.FieldDescriptor) bool {
	if isNull(at.node) {
		return false
	}
	if at.node.Kind != yaml.MappingNode {
		s.report.darken(at, Problem{Message: kindName(at.node) + " where a mapping belongs", Accepted: "name: value"})
		return false
	}
	kept := at.node.Content[:0]
	for i := 0; i+1 < len(at.node.Content); i += 2 {
		key, value := at.node.Content[i], at.node.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			s.report.sayf(at, "text", "a key that is no text")
			continue
		}
		if s.value(below(at, value, "."+key.Value), field.MapValue()) {
			kept = append(kept, key, value)
		}
	}
	at.node.Content = kept
	return true
}

func (s *shaper) list(at at, field protoreflect.FieldDescriptor) bool {
	if isNull(at.node) {
		return false
	}
	if at.node.Kind != yaml.SequenceNode {
		s.report.darken(at, Problem{Message: kindName(at.node) + " where a list belongs", Accepted: "- item"})
		return false
	}
	for i, item := range at.node.Content {
		// An item that is wrong stays as nothing, so that the others keep their
		// place.
		if !s.value(below(at, item, "["+strconv.Itoa(i)+"]"), field) && field.Message() == nil {
			*item = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Line: item.Line, Column: item.Column}
		}
	}
	return true
}

func below(parent at, node *yaml.Node, step string) at {
	return at{node: node, path: parent.path + step}
}

// value checks one value and reports whether it may stay.
func (s *shaper) value(at at, field protoreflect.FieldDescriptor) bool {
	switch {
	case field.Message() != nil && field.Message().FullName() == "google.protobuf.Duration":
		return s.duration(at)
	case field.Message() != nil:
		s.message(at, field.Message())
		return true
	case slices.Contains(jsonText, field.FullName()):
		return s.json(at)
	case at.node.Kind != yaml.ScalarNode:
		s.report.darken(at, Problem{Message: kindName(at.node) + " where " + scalarName(field) + " belongs"})
		return false
	}
	switch field.Kind() {
	case protoreflect.EnumKind:
		return s.enum(at, field.Enum())
	case protoreflect.BoolKind:
		return s.check(at, "true, false", at.node.Value == "true" || at.node.Value == "false")
	case protoreflect.Uint32Kind:
		_, err := strconv.ParseUint(at.node.Value, 10, 32)
		return s.check(at, "a whole number from 0 to 4294967295", err == nil)
	case protoreflect.DoubleKind:
		_, err := strconv.ParseFloat(at.node.Value, 64)
		return s.check(at, "a number", err == nil)
	}
	at.node.Tag, at.node.Style = "!!str", at.node.Style&^yaml.TaggedStyle
	return true
}

func (s *shaper) check(at at, accepted string, ok bool) bool {
	if !ok {
		s.report.darken(at, Problem{Message: quote(at.node.Value) + " is not accepted here", Accepted: accepted})
	}
	at.node.Tag = "" // a quoted number is one, too
	return ok
}

func (s *shaper) duration(at at) bool {
	if isNull(at.node) {
		return false
	}
	if at.node.Kind == yaml.ScalarNode {
		if _, err := protoyaml.ParseDuration(at.node.Value); err == nil {
			return true
		}
	}
	s.report.darken(at, Problem{Message: quote(at.node.Value) + " is no duration", Accepted: "250ms, 20s, 2m, 1h30m"})
	return false
}

// enum rewrites the short name to the full one.
func (s *shaper) enum(at at, enum protoreflect.EnumDescriptor) bool {
	short := shortNames(enum)
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		if value.Number() == 0 {
			continue
		}
		if at.node.Value == short[i] || at.node.Value == string(value.Name()) {
			at.node.Value, at.node.Tag = string(value.Name()), "!!str"
			return true
		}
	}
	s.report.darken(at, Problem{
		Message: quote(at.node.Value) + " is not accepted here", Suggestion: nearest(at.node.Value, short[1:]), Accepted: strings.Join(short[1:], ", "),
	})
	return false
}

// shortNames are the values' names without the enum's, in lower case; the first
// is the unspecified one.
func shortNames(enum protoreflect.EnumDescriptor) []string {
	values := enum.Values()
	prefix := strings.TrimSuffix(string(values.Get(0).Name()), "UNSPECIFIED")
	names := make([]string, values.Len())
	for i := range names {
		names[i] = strings.ToLower(strings.TrimPrefix(string(values.Get(i).Name()), prefix))
	}
	return names
}

// json rewrites YAML to JSON text.
func (s *shaper) json(at at) bool {
	text, err := jsonOf(at.node)
	if err != nil {
		where := at
		where.node = err.node
		s.report.darken(at, Problem{Line: where.node.Line, Column: where.node.Column, Message: err.message, Accepted: err.accepted})
		return false
	}
	at.node.Kind, at.node.Tag, at.node.Style, at.node.Value, at.node.Content = yaml.ScalarNode, "!!str", 0, text, nil
	return true
}

func keysOf(message protoreflect.MessageDescriptor) []string {
	keys := make([]string, message.Fields().Len())
	for i := range keys {
		keys[i] = string(message.Fields().Get(i).Name())
	}
	return keys
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func empty(node *yaml.Node) {
	*node = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: node.Line, Column: node.Column}
}

func kindName(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

func scalarName(field protoreflect.FieldDescriptor) string {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return "true or false"
	case protoreflect.Uint32Kind, protoreflect.DoubleKind:
		return "a number"
	}
	return "text"
}
