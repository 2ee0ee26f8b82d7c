package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

const (
	// durations are as the loader reads them. A bare 0 is one, too.
	durations    = `^[-+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(h|m|s|ms|us|ns))+)$`
	durationName = "google.protobuf.Duration"
	wrap         = "#/definitions/"
)

// Generate writes the schema out of the descriptors and the comments of the
// protos in a folder, proto/toolgate/catalog/v1. The error names a declaration
// without a comment.
func Generate(protos fs.FS) ([]byte, error) {
	return generate(protos, (&catalogv1.Catalog{}).ProtoReflect().Descriptor(), "catalog.schema.json", "toolgate catalogue")
}

// GenerateAccess does the same for the access file, proto/toolgate/access/v1.
func GenerateAccess(protos fs.FS) ([]byte, error) {
	return generate(protos, (&accessv1.Access{}).ProtoReflect().Descriptor(), "access.schema.json", "toolgate access file")
}

func generate(protos fs.FS, root protoreflect.MessageDescriptor, name, title string) ([]byte, error) {
	comments, err := commentsOf(protos)
	if err != nil {
		return nil, err
	}
	g := &generator{comments: comments}
	schema := object{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"$id", "https://toolgate.dev/" + name},
		{"title", title},
	}
	schema.over(g.message(root))
	g.define("duration", object{
		{"description", "250ms, 20s, 2m, 1h30m"}, {"type", []string{"string", "integer"}}, {"pattern", durations}, {"minimum", 0}, {"maximum", 0},
	})
	slices.SortFunc(g.definitions, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	schema.put("definitions", g.definitions)
	if len(g.silent) > 0 {
		return nil, fmt.Errorf("no comment says what these are: %s", strings.Join(g.silent, ", "))
	}
	return indented(schema)
}

func indented(schema object) ([]byte, error) {
	compact, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// generator collects the definitions of messages.
type generator struct {
	comments    map[string]string
	definitions object
	silent      []string
}

func (g *generator) define(name string, schema object) { g.definitions.put(name, schema) }

// said is the comment of a declaration, its lines joined to paragraphs.
func (g *generator) said(of protoreflect.Descriptor) string {
	name := strings.TrimPrefix(string(of.FullName()), string(of.ParentFile().Package())+".")
	if enumValue, ok := of.(protoreflect.EnumValueDescriptor); ok {
		name = string(enumValue.Parent().Name()) + "." + string(enumValue.Name())
	}
	comment := g.comments[name]
	if comment == "" {
		g.silent = append(g.silent, name)
	}
	paragraphs := strings.Split(comment, "\n\n")
	for i, paragraph := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(paragraph), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// short is a name within the package.
func short(of protoreflect.Descriptor) string { return string(of.Name()) }

func (g *generator) message(message protoreflect.MessageDescriptor) object {
	schema := object{{"description", g.said(message)}, {"type", "object"}, {"additionalProperties", false}}
	var properties object
	var required []string
	fields := message.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		properties.put(string(field.Name()), g.field(field))
		if strings.Contains(g.said(field), "Required.") {
			required = append(required, string(field.Name()))
		}
	}
	if len(required) > 0 {
		schema.put("required", required)
	} else {
		schema.over(object{{"type", []string{"object", "null"}}}) // as if it were {}
	}
	if choices := g.choices(message); len(choices) > 0 {
		schema.put("allOf", choices)
	}
	schema.over(limits[short(message)])
	schema.put("properties", properties)
	return schema
}

// choices demand exactly one member of each oneof.
func (g *generator) choices(message protoreflect.MessageDescriptor) (all []any) {
	for i := range message.Oneofs().Len() {
		choice := message.Oneofs().Get(i)
		if choice.IsSynthetic() {
			continue
		}
		var one []any
		for j := range choice.Fields().Len() {
			one = append(one, object{{"required", []string{string(choice.Fields().Get(j).Name())}}})
		}
		all = append(all, object{{"oneOf", one}})
	}
	return all
}

func (g *generator) field(field protoreflect.FieldDescriptor) object {
	schema := object{{"description", g.said(field)}}
	name := short(field.Parent()) + "." + string(field.Name())
	switch {
	case field.IsMap():
		schema.over(object{{"type", "object"}, {"additionalProperties", g.value(field.MapValue(), name)}})
	case field.IsList():
		schema.over(object{{"type", "array"}, {"items", g.value(field, name)}})
	default:
		value := g.value(field, name)
		if value.has("$ref") { // draft 7 reads nothing beside it
			value = object{{"allOf", []any{value}}}
		}
		schema.over(value)
		g.putDefault(&schema, field)
	}
	schema.over(limits[name])
	return schema
}

// value is one value of a field.
func (g *generator) value(field protoreflect.FieldDescriptor, name string) object {
	if written, ok := asYAML[name]; ok {
		return written
	}
	switch field.Kind() {
	case protoreflect.BoolKind:
		return object{{"type", "boolean"}}
	case protoreflect.Uint32Kind:
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", 4294967295}}
	case protoreflect.DoubleKind:
		return object{{"type", "number"}}
	case protoreflect.EnumKind:
		return g.enum(field.Enum())
	case protoreflect.MessageKind:
		return g.reference(field.Message())
	}
	if loose[name] {
		return object{{"type", []string{"string", "number", "boolean"}}}
	}
	return object{{"type", "string"}}
}

// reference points at the definition of a message.
func (g *generator) reference(message protoreflect.MessageDescriptor) object {
	name := short(message)
	if string(message.FullName()) == durationName {
		name = "duration"
	} else if !g.definitions.has(name) {
		g.define(name, nil) // it may refer to itself
		place := len(g.definitions) - 1
		g.definitions[place].value = g.message(message)
	}
	return object{{"$ref", wrap + name}}
}

func (g *generator) enum(enum protoreflect.EnumDescriptor) object {
	values := enum.Values()
	prefix := strings.TrimSuffix(string(values.Get(0).Name()), "UNSPECIFIED")
	var names, said []string
	for i := 1; i < values.Len(); i++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(string(values.Get(i).Name()), prefix)))
		said = append(said, g.said(values.Get(i)))
	}
	return object{{"type", "string"}, {"enum", names}, {"enumDescriptions", said}}
}

var written = regexp.MustCompile(`Default: ([a-z0-9.]+(?: (?:ms|s|min|h)\b)?)[.,;]`)

// putDefault takes a default from the words of a comment, where it is a value.
func (g *generator) putDefault(schema *object, field protoreflect.FieldDescriptor) {
	found := written.FindStringSubmatch(g.said(field) + ".")
	if found == nil {
		return
	}
	word := strings.NewReplacer(" min", "m", " ", "").Replace(strings.TrimSuffix(found[1], "."))
	switch field.Kind() {
	case protoreflect.BoolKind:
		if word == "true" || word == "false" {
			schema.put("default", word == "true")
		}
	case protoreflect.Uint32Kind, protoreflect.DoubleKind:
		if number, err := strconv.ParseFloat(word, 64); err == nil {
			schema.put("default", number)
		}
	case protoreflect.MessageKind:
		if string(field.Message().FullName()) == durationName && regexp.MustCompile(durations).MatchString(word) {
			schema.put("default", word)
		}
	case protoreflect.EnumKind:
		if field.Enum().Values().ByName(protoreflect.Name(strings.TrimSuffix(string(field.Enum().Values().Get(0).Name()), "UNSPECIFIED")+strings.ToUpper(word))) != nil {
			schema.put("default", word)
		}
	}
}
