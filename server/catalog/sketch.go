package catalog

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/rawjson"
)

// inSchema is the place in a schema that keeps it from compiling.
func (b *builder) inSchema(e *entry, err error) at {
	place := b.written(e.at.path + ".input_schema")
	if flaw, ok := errors.AsType[*arguments.SchemaError](err); ok {
		place = place.pointer(flaw.Pointer)
	}
	return place
}

// written is a place in the file as it is written; one without a node where
// there is no file.
func (b *builder) written(path string) at {
	if b.source.raw == nil {
		return at{path: path}
	}
	return at{node: b.source.raw}.below(path)
}

// pointer follows a JSON Pointer (RFC 6901) as far as it leads.
func (a at) pointer(text string) at {
	for step := range strings.SplitSeq(strings.TrimPrefix(text, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		next, found := a.child(step)
		if !found {
			break
		}
		a = next
	}
	return a
}

// child is a member by its exact name, or an item by its number.
func (a at) child(step string) (at, bool) {
	switch {
	case a.node == nil:
		return a, false
	case a.node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(a.node.Content); i += 2 {
			if a.node.Content[i].Value == step {
				return at{node: a.node.Content[i+1], path: a.path + "." + step}, true
			}
		}
	case a.node.Kind == yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(a.node.Content) {
			return a.index(i), true
		}
	}
	return a, false
}

// The seven types of JSON Schema.
var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// sketchOf is what a model is shown of a schema that does not compile: the names
// of the arguments, what they are for, and their type where it is one. Many
// runtimes refuse a list of tools for one schema that is none.
func sketchOf(schema string) string {
	text := []byte(schema)
	sketch := []byte(`{"type":"object"`)
	properties, _ := rawjson.Get(text, "properties")
	if rawjson.KindOf(properties) == rawjson.Object {
		sketch = append(sketch, `,"properties":{`...)
		var names []string
		for member := range rawjson.Members(properties) {
			if name := member.Name(); !slices.Contains(names, name) {
				names = append(names, name)
				sketch = rawjson.AppendMember(sketch, name, outlineOfProperty(member.Value))
			}
		}
		sketch = append(sketch, '}')
	}
	return string(append(sketch, '}'))
}

func outlineOfProperty(property []byte) []byte {
	outline := []byte{'{'}
	if kind, _ := rawjson.Get(property, "type"); slices.Contains(schemaTypes, rawjson.Text(kind)) {
		outline = rawjson.AppendMember(outline, "type", kind)
	}
	if words, _ := rawjson.Get(property, "description"); rawjson.KindOf(words) == rawjson.String {
		outline = rawjson.AppendMember(outline, "description", words)
	}
	return append(outline, '}')
}
