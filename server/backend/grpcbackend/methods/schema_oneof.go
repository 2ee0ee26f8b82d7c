package methods

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

// maxChoices is how many fields of a oneof are put into words.
const maxChoices = 12

// exclusive says that of each oneof at most one field can be set, exactly one where
// a validator demands it. At the top of a schema it stands in descriptions instead,
// since providers of models refuse the keyword there; the encoder refuses two of
// them everywhere.
func exclusive(text []byte, message protoreflect.MessageDescriptor) []byte {
	var rules [][]byte
	for i := range message.Oneofs().Len() {
		if choice := message.Oneofs().Get(i); !choice.IsSynthetic() && choice.Fields().Len() > 1 && choice.Fields().Len() <= maxChoices {
			rules = append(rules, oneOf(choice))
		}
	}
	switch len(rules) {
	case 0:
		return text
	case 1:
		return rawjson.AppendMember(text, "oneOf", rules[0])
	}
	all := []byte{'['}
	for _, rule := range rules {
		all = append(comma(all), closed(rawjson.AppendMember([]byte{'{'}, "oneOf", rule))...)
	}
	return rawjson.AppendMember(text, "allOf", append(all, ']'))
}

func oneOf(choice protoreflect.OneofDescriptor) []byte {
	each := []byte{'['}
	for i := range choice.Fields().Len() {
		each = append(comma(each), `{"required":[`+quoted(choice.Fields().Get(i).TextName())+`]}`...)
	}
	if !demanded(choice) {
		none := append(append([]byte(nil), each...), ']')
		each = append(append(comma(each), `{"not":{"anyOf":`...), none...)
		each = append(each, `}}`...)
	}
	return append(each, ']')
}

// demanded reports that a validator wants one of the fields: buf.validate.oneof is a
// message with the field required, validate.required is a boolean.
func demanded(choice protoreflect.OneofDescriptor) bool {
	options := optionsOf(choice)
	return options.message(protovalidate).varint(1) != 0 || options.varint(pgv) != 0
}

// choiceOf says which fields exclude each other.
func choiceOf(field protoreflect.FieldDescriptor) string {
	choice := field.ContainingOneof()
	if choice == nil || choice.IsSynthetic() || choice.Fields().Len() < 2 || choice.Fields().Len() > maxChoices {
		return ""
	}
	names := make([]string, choice.Fields().Len())
	for i := range names {
		names[i] = choice.Fields().Get(i).TextName()
	}
	return "Only one of " + strings.Join(names, ", ") + "."
}
