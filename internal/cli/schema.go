package cli

import (
	"encoding/json"
	"slices"
	"strings"
)

// schema is as much of a JSON Schema as typing a command line needs. Its zero
// value knows nothing.
type schema struct {
	node map[string]json.RawMessage
	root map[string]json.RawMessage
}

func newSchema(text string) schema {
	var root map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &root) // not a schema: nothing is known
	return schema{node: root, root: root}
}

func (s schema) child(text json.RawMessage) schema {
	var node map[string]json.RawMessage
	_ = json.Unmarshal(text, &node) // true and false know nothing
	return schema{node: node, root: s.root}.resolved()
}

// resolved follows a $ref within the document; a few steps, for some go in
// circles.
func (s schema) resolved() schema {
	for range 8 {
		var ref string
		if json.Unmarshal(s.node["$ref"], &ref) != nil {
			break
		}
		s.node = s.at(ref)
	}
	return s
}

func (s schema) at(ref string) map[string]json.RawMessage {
	node := s.root
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		var next map[string]json.RawMessage
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if json.Unmarshal(node[step], &next) != nil {
			return nil
		}
		node = next
	}
	return node
}

func (s schema) property(name string) schema {
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(s.node["properties"], &properties) // none: nothing is known
	return s.child(properties[name])
}

func (s schema) items() schema { return s.child(s.node["items"]) }

// wants reports that a bare value of that JSON type is meant as one: the schema
// takes it, and a string would not do.
func (s schema) wants(kind string) bool {
	if kind == "string" || s.takes("string") {
		return false
	}
	return s.takes(kind)
}

// takes reports whether the schema names a type as accepted. A schema that
// names no types takes none: nothing is known of it.
func (s schema) takes(kind string) bool {
	return slices.Contains(s.types(), kind) || kind == "number" && slices.Contains(s.types(), "integer")
}

// types lists the types that a schema names: by `type`, by its enum or const,
// or by its branches.
func (s schema) types() []string {
	var one string
	var types []string
	if json.Unmarshal(s.node["type"], &one) == nil {
		return []string{one}
	}
	if json.Unmarshal(s.node["type"], &types) == nil {
		return types
	}
	var values []json.RawMessage
	_ = json.Unmarshal(s.node["enum"], &values)
	if constant := s.node["const"]; constant != nil {
		values = append(values, constant)
	}
	for _, value := range values {
		types = append(types, kindOf(string(value)))
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		var branches []json.RawMessage
		_ = json.Unmarshal(s.node[keyword], &branches)
		for _, branch := range branches {
			types = append(types, s.child(branch).types()...)
		}
	}
	return types
}

// text is a keyword whose value is a string; empty when there is none.
func (s schema) text(keyword string) string {
	var text string
	_ = json.Unmarshal(s.node[keyword], &text) // not a string: nothing to show
	return text
}
