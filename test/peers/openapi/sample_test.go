package openapi

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// sampler makes arguments that a schema accepts.
type sampler struct {
	root map[string]any
	all  bool // what is optional, too
}

// sample is a call's arguments.
func sample(schema string, all bool) string {
	s := sampler{all: all}
	if err := json.Unmarshal([]byte(schema), &s.root); err != nil {
		return "{}"
	}
	text, err := json.Marshal(s.value(s.root, 0))
	if err != nil {
		return "{}"
	}
	return string(text)
}

func (s sampler) value(schema map[string]any, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		defs, _ := s.root["$defs"].(map[string]any)
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if values, ok := schema["enum"].([]any); ok {
		return values[0]
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		branches, _ := schema[union].([]any)
		if _, plain := schema["properties"]; len(branches) > 0 && !plain {
			branch, _ := branches[0].(map[string]any)
			return s.value(branch, depth+1)
		}
	}
	switch typeOf(schema) {
	case "object":
		return s.object(schema, depth)
	case "array":
		return s.array(schema, depth)
	case "integer", "number":
		return s.number(schema)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return s.text(schema)
}

func typeOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		name, _ := kind[0].(string)
		return name
	}
	if _, ok := schema["properties"]; ok {
		return "object"
	}
	return "string"
}

const maxDepth = 8

func (s sampler) object(schema map[string]any, depth int) any {
	made := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required := names(schema["required"])
	var others []string
	for _, union := range []string{"anyOf", "oneOf"} { // one of several sets of names
		branches, _ := schema[union].([]any)
		for i, branch := range branches {
			branch, _ := branch.(map[string]any)
			if i == 0 {
				required = append(required, names(branch["required"])...)
			} else if union == "oneOf" {
				others = append(others, names(branch["required"])...)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := properties[name]
		optional := !slices.Contains(required, name)
		if least, _ := schema["minProperties"].(float64); max(len(made), len(required)) < int(least) {
			optional = false
		}
		if optional && slices.Contains(others, name) {
			continue
		}
		below, _ := property.(map[string]any)
		if optional && (depth == 0 && !s.all || depth > 0 && len(made)+len(required) > 0 || name == "expand" || isBare(below)) {
			continue // expand takes the names of an answer's parts, which no schema lists
		}
		if depth < maxDepth {
			made[name] = s.value(below, depth+1)
		}
	}
	if _, open := schema["additionalProperties"].(map[string]any); open && len(made) == 0 {
		return map[string]any{"a": s.value(schema["additionalProperties"].(map[string]any), depth+1)}
	}
	return made
}

// isBare is an object that can only be empty, which a form can't tell from a text.
func isBare(schema map[string]any) bool {
	_, properties := schema["properties"]
	return typeOf(schema) == "object" && !properties && schema["additionalProperties"] == nil
}

func names(list any) (all []string) {
	items, _ := list.([]any)
	for _, item := range items {
		name, _ := item.(string)
		all = append(all, name)
	}
	return all
}

func (s sampler) array(schema map[string]any, depth int) any {
	items, _ := schema["items"].(map[string]any)
	made := []any{s.value(items, depth+1)}
	if least, _ := schema["minItems"].(float64); least > 1 && least < 10 {
		for len(made) < int(least) {
			made = append(made, made[0])
		}
	}
	return made
}

func (s sampler) number(schema map[string]any) any {
	if least, ok := schema["minimum"].(float64); ok {
		return least
	}
	if above, ok := schema["exclusiveMinimum"].(float64); ok {
		return above + 1
	}
	return 1
}

var formats = map[string]string{
	"date": "2026-03-14", "date-time": "2026-03-14T09:30:00Z", "uri": "https://example.com/a", "url": "https://example.com/a", "email": "a@example.com",
	"uuid": "0b6e2a4e-6f0c-4f0e-9d0a-6a1f2b3c4d5e", "ipv4": "192.0.2.1",
}

func (s sampler) text(schema map[string]any) any {
	format, _ := schema["format"].(string)
	if text, ok := formats[format]; ok {
		return text
	}
	if pattern, ok := schema["pattern"].(string); ok {
		return fitting(pattern)
	}
	text := "a"
	if least, _ := schema["minLength"].(float64); least > 1 && least < 500 {
		text = strings.Repeat("a", int(least))
	}
	return text
}

// fitting is a text for a pattern.
func fitting(pattern string) string {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return "a"
	}
	for _, text := range []string{"a", "YWJj", "1.2.3", "1", "2026-03-14", "2026-03-14T09:30:00Z", "0123456789abcdef0123456789abcdef01234567", "https://example.com", "a/b", "#aabbcc", "ssh-rsa AAAA", "refs/heads/main", "sha256:" + strings.Repeat("0f", 32)} {
		if expression.MatchString(text) {
			return text
		}
	}
	return "a"
}
