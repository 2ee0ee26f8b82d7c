package methods

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// known is a message that has a JSON form of its own.
type known int

const (
	ordinary known = iota
	timestamp
	duration
	fieldMask
	structType
	valueType
	listType
	wrapper
	anyType
)

// wellKnown tells which; it goes by name, since descriptors come from elsewhere.
func wellKnown(message protoreflect.MessageDescriptor) known {
	name, ours := strings.CutPrefix(string(message.FullName()), "google.protobuf.")
	if !ours || message.IsPlaceholder() {
		return ordinary
	}
	switch name {
	case "Timestamp":
		return timestamp
	case "Duration":
		return duration
	case "FieldMask":
		return fieldMask
	case "Struct":
		return structType
	case "Value":
		return valueType
	case "ListValue":
		return listType
	case "Any":
		return anyType
	case "BoolValue", "StringValue", "BytesValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value", "FloatValue", "DoubleValue":
		return wrapper
	}
	return ordinary
}

// The field numbers of the well-known messages.
const (
	secondsField = 1 // Timestamp, Duration
	nanosField   = 2
	pathsField   = 1 // FieldMask
	fieldsField  = 1 // Struct
	valuesField  = 1 // ListValue
	wrappedField = 1 // the wrappers
	typeField    = 1 // Any
	bytesField   = 2

	valueNull   = 1 // Value
	valueNumber = 2
	valueString = 3
	valueBool   = 4
	valueStruct = 5
	valueList   = 6
)

func numbered(m protoreflect.Message, number protoreflect.FieldNumber) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByNumber(number)
}
