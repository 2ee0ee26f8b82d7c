package catalog

import (
	"slices"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// outline is what a schema says of the arguments by name.
type outline struct {
	names    []string
	required []string
	open     bool // other names may be used, too
}

// outlineOf reads the top of a schema. Names count as known where the schema
// declares any and does not say itself that others are welcome: a misspelt name
// in a URL is likelier than an argument that nobody declared.
func outlineOf(schema string) outline {
	text := []byte(schema)
	if schema == "" || rawjson.KindOf(text) != rawjson.Object {
		return outline{open: true}
	}
	var o outline
	properties, _ := rawjson.Get(text, "properties")
	for member := range rawjson.Members(properties) {
		if name := member.Name(); !slices.Contains(o.names, name) {
			o.names = append(o.names, name)
		}
	}
	required, _ := rawjson.Get(text, "required")
	for item := range rawjson.Items(required) {
		if rawjson.KindOf(item) == rawjson.String {
			o.required = append(o.required, rawjson.Text(item))
		}
	}
	o.open = len(o.names) == 0 && !closed(text) || combines(text)
	return o
}

func closed(schema []byte) bool {
	additional, found := rawjson.Get(schema, "additionalProperties")
	return found && rawjson.KindOf(additional) == rawjson.False
}

// combines reports whether names may come from elsewhere.
func combines(schema []byte) bool {
	if additional, found := rawjson.Get(schema, "additionalProperties"); found && rawjson.KindOf(additional) != rawjson.False {
		return true
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if _, found := rawjson.Get(schema, keyword); found {
			return true
		}
	}
	return false
}

func (o outline) knows(name string) bool { return o.open || slices.Contains(o.names, name) }

func (o outline) accepted() string {
	if len(o.names) == 0 {
		return "a property of input_schema"
	}
	return strings.Join(o.names, ", ")
}
