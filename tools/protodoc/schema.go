package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// schemaFor describes a message in its ProtoJSON form, with all that it refers to.
// Fields and enum numbers that come later are no fault of a message.
func schemaFor(message *protogen.Message) ([]byte, error) {
	definitions := map[string]any{}
	schema := object(message, definitions)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = "https://toolgate.dev/tool_error.schema.json"
	schema["title"] = local(message.Desc)
	schema["$defs"] = definitions
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", message.Desc.FullName(), err)
	}
	return out.Bytes(), nil
}

func object(message *protogen.Message, definitions map[string]any) map[string]any {
	properties := map[string]any{}
	for _, field := range message.Fields {
		schema := value(field, definitions)
		if field.Desc.IsList() {
			schema = map[string]any{"type": "array", "items": schema}
		}
		schema["description"] = said(field.Comments)
		properties[field.Desc.JSONName()] = schema
	}
	return map[string]any{"type": "object", "description": said(message.Comments), "properties": properties}
}

// value is one value of a field in ProtoJSON.
func value(field *protogen.Field, definitions map[string]any) map[string]any {
	switch field.Desc.Kind() {
	case protoreflect.MessageKind:
		name := local(field.Message.Desc)
		if _, known := definitions[name]; !known {
			definitions[name] = nil // it may refer to itself
			definitions[name] = object(field.Message, definitions)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	case protoreflect.EnumKind:
		name := local(field.Enum.Desc)
		definitions[name] = enumeration(field.Enum)
		return map[string]any{"$ref": "#/$defs/" + name}
	case protoreflect.BoolKind:
		return map[string]any{"type": "boolean"}
	case protoreflect.DoubleKind:
		return map[string]any{"type": "number"}
	case protoreflect.Uint32Kind:
		return map[string]any{"type": "integer", "minimum": 0, "maximum": 4294967295}
	case protoreflect.Uint64Kind:
		return map[string]any{"type": "string", "pattern": "^[0-9]+$"}
	}
	return map[string]any{"type": "string"}
}

func enumeration(enum *protogen.Enum) map[string]any {
	var names []string
	for _, value := range enum.Values {
		names = append(names, string(value.Desc.Name()))
	}
	return map[string]any{
		"description": said(enum.Comments),
		"anyOf":       []any{map[string]any{"enum": names}, map[string]any{"type": "integer"}},
	}
}

// said is a comment, its lines joined.
func said(comments protogen.CommentSet) string {
	return strings.Join(strings.Fields(string(comments.Leading)), " ")
}
