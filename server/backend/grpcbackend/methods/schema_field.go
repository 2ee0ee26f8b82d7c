package methods

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

// field is the schema of a field: of its list or map where it is one.
func (s *schema) field(field protoreflect.FieldDescriptor, l limits) []byte {
	var text []byte
	switch {
	case field.IsMap():
		text = s.entries(field, l)
	case field.IsList():
		text = rawjson.AppendMember([]byte(`{"type":"array"`), "items", closed(with(s.value(field), l.items)))
		text = with(text, l.keywords)
	default:
		text = with(s.value(field), l.keywords)
	}
	if words := s.wordsOf(field); words != "" {
		text = with(text, []keyword{{"description", quoted(words)}})
	}
	return closed(text)
}

func (s *schema) entries(field protoreflect.FieldDescriptor, l limits) []byte {
	text := []byte(`{"type":"object"`)
	keys := l.keys
	switch kind := field.MapKey().Kind(); {
	case kind == protoreflect.BoolKind:
		keys = []keyword{{"enum", `["true","false"]`}}
	case kind != protoreflect.StringKind:
		keys = []keyword{{"pattern", `"^-?[0-9]+$"`}}
	}
	if len(keys) > 0 {
		text = rawjson.AppendMember(text, "propertyNames", closed(with([]byte{'{'}, keys)))
	}
	value := closed(with(s.value(field.MapValue()), l.items))
	return with(rawjson.AppendMember(text, "additionalProperties", value), l.keywords)
}

// with appends keywords to an object that is open at its end. One that is there
// already gives way.
func with(text []byte, keywords []keyword) []byte {
	for _, k := range keywords {
		if _, there := rawjson.Get(closed(text), k.name); there {
			text = without(text, k.name)
		}
		text = rawjson.AppendMember(text, k.name, []byte(k.value))
	}
	return text
}

func without(text []byte, name string) []byte {
	kept := []byte{'{'}
	for member := range rawjson.Members(closed(text)) {
		if member.Name() != name {
			kept = rawjson.AppendMember(kept, member.Name(), member.Value)
		}
	}
	return kept
}

// closed ends an object. It does not share its memory.
func closed(text []byte) []byte { return append(slices.Clip(text), '}') }

// value is the schema of one value, open at its end.
func (s *schema) value(field protoreflect.FieldDescriptor) []byte {
	if field.Message() != nil {
		return s.reference(field.Message())
	}
	switch field.Kind() {
	case protoreflect.BoolKind:
		return []byte(`{"type":"boolean"`)
	case protoreflect.StringKind:
		return []byte(`{"type":"string"`)
	case protoreflect.BytesKind:
		return []byte(`{"type":"string","contentEncoding":"base64"`)
	case protoreflect.EnumKind:
		return enumSchema(field.Enum())
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return []byte(`{"type":"number"`)
	}
	// The outer bounds of integers are left to the encoder: each would cost a model
	// more words than the field itself.
	if low, _ := bounds(field.Kind()); low == "0" {
		return []byte(`{"type":"integer","minimum":0`)
	}
	return []byte(`{"type":"integer"`)
}

func enumSchema(enum protoreflect.EnumDescriptor) []byte {
	if enum.FullName() == nullValue {
		return []byte(`{"type":"null"`)
	}
	if enum.IsPlaceholder() || enum.Values().Len() == 0 {
		return []byte(`{"type":["string","integer"]`)
	}
	names := []byte{'['}
	for _, name := range enumNames(enum) {
		names = append(comma(names), quoted(name)...)
	}
	return rawjson.AppendMember([]byte(`{"type":"string"`), "enum", append(names, ']'))
}

// reference is a message where it stands: in full where it is needed once, else as
// a reference.
func (s *schema) reference(message protoreflect.MessageDescriptor) []byte {
	switch name := message.FullName(); {
	case message.IsPlaceholder():
		return []byte(`{"type":"object"`)
	case wellKnown(message) != ordinary:
		return opened(s.wellKnown(wellKnown(message), message))
	case name == s.root.FullName():
		return []byte(`{"$ref":"#"`)
	case s.uses[name] == 1:
		return opened(s.message(message))
	default:
		if _, known := s.defs[name]; !known {
			s.defs[name] = nil // it may need itself
			s.ordered = append(s.ordered, name)
			s.defs[name] = s.message(message)
		}
		return rawjson.AppendMember([]byte{'{'}, "$ref", []byte(quoted("#/$defs/"+s.short(name))))
	}
}

func opened(text []byte) []byte { return text[: len(text)-1 : len(text)-1] }

// wellKnown is the schema of a message with a JSON form of its own.
func (s *schema) wellKnown(form known, message protoreflect.MessageDescriptor) []byte {
	switch form {
	case timestamp:
		return []byte(`{"type":"string","format":"date-time"}`)
	case duration:
		return []byte(`{"type":"string","pattern":"^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$","description":"Seconds, as 90s or 1.5s."}`)
	case fieldMask:
		return []byte(`{"type":"string","description":"Names of fields, commas between them."}`)
	case structType:
		return []byte(`{"type":"object"}`)
	case listType:
		return []byte(`{"type":"array"}`)
	case wrapper:
		return closed(s.value(message.Fields().ByNumber(wrappedField)))
	case anyType:
		return []byte(`{"type":"object","properties":{"@type":{"type":"string"}},"required":["@type"]}`)
	}
	return []byte(`{}`)
}

// wordsOf says what a field is: its comment, and what the values of its enum mean.
func (s *schema) wordsOf(field protoreflect.FieldDescriptor) string {
	if !s.words {
		return ""
	}
	words := commentOf(field)
	if words == "" {
		words = documented(field.Options(), schemaTitle, schemaDescription)
	}
	words = shorten(words, maxFieldWords)
	if meanings := meaningsOf(field); meanings != "" {
		words = strings.TrimSpace(words + " " + shorten(meanings, maxFieldWords))
	}
	if field.Kind() == protoreflect.BytesKind {
		words = strings.TrimSpace(words + " In base64.")
	}
	if message := messageOf(field); words == "" && message != nil {
		words = shorten(commentOf(message), maxFieldWords)
	}
	if field.ContainingMessage() == s.root {
		words = strings.TrimSpace(words + " " + choiceOf(field))
	}
	return words
}

// meaningsOf is `NAME: comment` of the values of a small enum.
func meaningsOf(field protoreflect.FieldDescriptor) string {
	enum := field.Enum()
	if enum == nil || enum.IsPlaceholder() || enum.Values().Len() > maxEnumWords {
		return ""
	}
	var all []string
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		if words := commentOf(value); words != "" {
			all = append(all, string(value.Name())+": "+shorten(words, 80))
		}
	}
	return strings.Join(all, " ")
}
