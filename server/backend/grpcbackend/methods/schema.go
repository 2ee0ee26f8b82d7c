package methods

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxFieldWords  = 240      // bytes of a field's description
	maxSchemaBytes = 48 << 10 // beyond, descriptions are left out: a model reads all of it
	maxEnumWords   = 12       // values whose comments are shown
)

// Schema is the JSON Schema of the arguments. hidden fields of the request are left
// out: the gateway fills them.
func (m *Method) Schema(hidden ...string) string {
	text := newSchema(m.descriptor.Input(), hidden, true).whole()
	if len(text) > maxSchemaBytes {
		text = newSchema(m.descriptor.Input(), hidden, false).whole()
	}
	return string(text)
}

// schema writes one. Messages that are needed once stand where they are needed,
// the others in $defs.
type schema struct {
	root    protoreflect.MessageDescriptor
	hidden  []string
	words   bool // descriptions are written
	uses    map[protoreflect.FullName]int
	defs    map[protoreflect.FullName][]byte
	ordered []protoreflect.FullName // of defs
}

func newSchema(root protoreflect.MessageDescriptor, hidden []string, words bool) *schema {
	s := &schema{
		root: root, hidden: hidden, words: words,
		uses: map[protoreflect.FullName]int{}, defs: map[protoreflect.FullName][]byte{},
	}
	s.count(root, map[protoreflect.FullName]bool{})
	return s
}

// count finds out how often each message is needed; one that needs itself counts as
// needed often.
func (s *schema) count(message protoreflect.MessageDescriptor, within map[protoreflect.FullName]bool) {
	name := message.FullName()
	if s.uses[name]++; within[name] {
		s.uses[name]++
		return
	}
	if s.uses[name] > 1 {
		return
	}
	within[name] = true
	for i := range message.Fields().Len() {
		if next := messageOf(message.Fields().Get(i)); next != nil && wellKnown(next) == ordinary && !next.IsPlaceholder() {
			s.count(next, within)
		}
	}
	delete(within, name)
}

// messageOf is the message that a field's values are; nil: they are scalars.
func messageOf(field protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if field.IsMap() {
		return field.MapValue().Message()
	}
	return field.Message()
}

func (s *schema) whole() []byte {
	if form := wellKnown(s.root); form != ordinary && form != structType {
		return []byte(`{"type":"object"}`) // arguments are an object, whatever the method takes
	}
	text := s.message(s.root)
	if len(s.ordered) == 0 {
		return text
	}
	defs := []byte{'{'}
	for _, name := range s.ordered {
		defs = rawjson.AppendMember(defs, s.short(name), s.defs[name])
	}
	text = rawjson.AppendMember(text[:len(text)-1], "$defs", append(defs, '}'))
	return append(text, '}')
}

// short is a message's name without the package of the request.
func (s *schema) short(name protoreflect.FullName) string {
	return strings.TrimPrefix(string(name), string(s.root.ParentFile().Package())+".")
}

// message is the schema of an object.
func (s *schema) message(message protoreflect.MessageDescriptor) []byte {
	if form := wellKnown(message); form != ordinary {
		return s.wellKnown(form, message)
	}
	properties, required := []byte{'{'}, []byte{'['}
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		l := limitsOf(field)
		if l.outputOnly || message == s.root && s.hides(field) {
			continue
		}
		properties = rawjson.AppendMember(properties, field.TextName(), s.field(field, l))
		if l.required && (field.ContainingOneof() == nil || field.ContainingOneof().IsSynthetic()) {
			required = append(comma(required), quoted(field.TextName())...)
		}
	}
	text := []byte(`{"type":"object"`)
	if len(properties) > 1 {
		text = rawjson.AppendMember(text, "properties", append(properties, '}'))
	}
	if len(required) > 1 {
		text = rawjson.AppendMember(text, "required", append(required, ']'))
	}
	text = rawjson.AppendMember(text, "additionalProperties", []byte("false"))
	if message != s.root {
		text = exclusive(text, message)
	}
	return append(text, '}')
}

func comma(list []byte) []byte {
	if len(list) > 1 {
		return append(list, ',')
	}
	return list
}

func (s *schema) hides(field protoreflect.FieldDescriptor) bool {
	for _, name := range s.hidden {
		if string(field.Name()) == name {
			return true
		}
	}
	return false
}
