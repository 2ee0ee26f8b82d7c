package methods

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"toolgate.dev/toolgate/internal/rawjson"
)

// maxDepth bounds how deep arguments are nested; protobuf's own libraries stop at
// 100.
const maxDepth = 100

// encoder fills one request. It belongs to one call.
type encoder struct {
	types *dynamicpb.Types
	depth int
}

func (e *encoder) message(m protoreflect.Message, text []byte, path string) *Fault {
	if e.depth++; e.depth > maxDepth {
		return &Fault{Field: path, Problem: "the value is nested too deeply"}
	}
	defer func() { e.depth-- }()
	if known := wellKnown(m.Descriptor()); known != ordinary {
		return e.wellKnown(known, m, text, path)
	}
	if rawjson.KindOf(text) != rawjson.Object {
		return wrong(path, text, "an object")
	}
	for member := range rawjson.Members(text) {
		if fault := e.member(m, member, path); fault != nil {
			return fault
		}
	}
	return missing(m, path)
}

// missing finds a required field (proto2) that is not there.
func missing(m protoreflect.Message, path string) *Fault {
	required := m.Descriptor().RequiredNumbers()
	for i := range required.Len() {
		if field := m.Descriptor().Fields().ByNumber(required.Get(i)); !m.Has(field) {
			return &Fault{Field: below(path, string(field.Name())), Problem: "the field is required"}
		}
	}
	return nil
}

func (e *encoder) member(m protoreflect.Message, member rawjson.Member, path string) *Fault {
	name := member.Name()
	field := fieldNamed(m.Descriptor(), name)
	if field == nil {
		return &Fault{
			Field: below(path, name), Value: member.Value, Problem: "there is no such field", Accepted: strings.Join(namesOf(m.Descriptor()), ", "),
		}
	}
	path = below(path, string(field.Name()))
	if rawjson.KindOf(member.Value) == rawjson.Null && !takesNull(field) {
		return nil // as if it were not there
	}
	if choice := field.ContainingOneof(); choice != nil {
		if other := m.WhichOneof(choice); other != nil && other != field {
			return &Fault{Field: path, Value: member.Value, Problem: "it excludes " + string(other.Name()) + ": one of them can be set"}
		}
	}
	switch {
	case field.IsMap():
		return e.entries(m.Mutable(field).Map(), field, member.Value, path)
	case field.IsList():
		return e.items(m.Mutable(field).List(), field, member.Value, path)
	}
	value, fault := e.value(func() protoreflect.Value { return m.NewField(field) }, field, member.Value, path)
	if fault == nil {
		m.Set(field, value)
	}
	return fault
}

func (e *encoder) items(list protoreflect.List, field protoreflect.FieldDescriptor, text []byte, path string) *Fault {
	if rawjson.KindOf(text) != rawjson.Array {
		return wrong(path, text, "a list")
	}
	place := 0
	for item := range rawjson.Items(text) {
		value, fault := e.value(list.NewElement, field, item, path+"["+strconv.Itoa(place)+"]")
		if fault != nil {
			return fault
		}
		list.Append(value)
		place++
	}
	return nil
}

func (e *encoder) entries(entries protoreflect.Map, field protoreflect.FieldDescriptor, text []byte, path string) *Fault {
	if rawjson.KindOf(text) != rawjson.Object {
		return wrong(path, text, "an object")
	}
	for member := range rawjson.Members(text) {
		at := below(path, member.Name())
		key, ok := keyOf(field.MapKey(), member.Name())
		if !ok {
			return &Fault{Field: at, Problem: "the name is no " + field.MapKey().Kind().String()}
		}
		value, fault := e.value(entries.NewValue, field.MapValue(), member.Value, at)
		if fault != nil {
			return fault
		}
		entries.Set(key, value)
	}
	return nil
}

// value reads one value; empty makes a new one, for messages.
func (e *encoder) value(empty func() protoreflect.Value, field protoreflect.FieldDescriptor, text []byte, path string) (protoreflect.Value, *Fault) {
	if field.Message() == nil {
		value, accepted := scalar(field, text)
		if accepted != "" {
			return value, wrong(path, text, accepted)
		}
		return value, nil
	}
	value := empty()
	return value, e.message(value.Message(), text, path)
}

func wrong(path string, text []byte, accepted string) *Fault {
	return &Fault{Field: path, Value: text, Problem: "the value does not fit", Accepted: accepted}
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fieldNamed finds a field by its name in the proto or by its JSON name.
func fieldNamed(message protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if field := message.Fields().ByTextName(name); field != nil {
		return field
	}
	if field := message.Fields().ByName(protoreflect.Name(name)); field != nil {
		return field
	}
	return message.Fields().ByJSONName(name)
}

func namesOf(message protoreflect.MessageDescriptor) []string {
	names := make([]string, message.Fields().Len())
	for i := range names {
		names[i] = string(message.Fields().Get(i).Name())
	}
	return names
}

const nullValue = "google.protobuf.NullValue"

// takesNull reports whether null is a value of the field.
func takesNull(field protoreflect.FieldDescriptor) bool {
	if field.IsList() || field.IsMap() {
		return false
	}
	if field.Message() != nil {
		return wellKnown(field.Message()) == valueType
	}
	return field.Enum() != nil && field.Enum().FullName() == nullValue
}
