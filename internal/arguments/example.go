package arguments

import "slices"

// The sizes of examples, in bytes. An example that is larger helps less than it
// costs.
const (
	maxExample     = 32
	maxExampleCall = 120
)

// example is a value that the schemas at a place name as one; empty where none
// is, or none is small.
func (r *reporter) example(flat []*schema) string {
	for _, s := range flat {
		for _, v := range exampleValues(s) {
			if text := jsonText(v); v != nil && len(text) <= maxExample {
				return text
			}
		}
	}
	return ""
}

func exampleValues(s *schema) []any {
	values := slices.Clone(s.Examples)
	if s.Default != nil {
		values = append(values, *s.Default)
	}
	return values
}

// exampleCall returns a valid call that the schema holds: an example of its own
// (OpenAPI's single `example`, too), else one put together out of examples of
// everything that is required. Empty where there is none.
func exampleCall(root *schema, doc any) string {
	candidates := exampleValues(root)
	if object, ok := doc.(map[string]any); ok && object["example"] != nil {
		candidates = append(candidates, object["example"])
	}
	if built := exampleOf(root); built != nil {
		candidates = append(candidates, built)
	}
	for _, c := range candidates {
		object, isObject := c.(map[string]any)
		if text := jsonText(c); isObject && len(object) > 0 && len(text) <= maxExampleCall && root.Validate(c) == nil {
			return text
		}
	}
	return ""
}

func exampleOf(root *schema) any {
	object := map[string]any{}
	for _, name := range root.Required {
		property, ok := root.Properties[name]
		if !ok {
			return nil
		}
		value, ok := firstExample(property)
		if !ok {
			return nil
		}
		object[name] = value
	}
	return object
}

func firstExample(s *schema) (any, bool) {
	for _, v := range exampleValues(s) {
		if v != nil {
			return v, true
		}
	}
	switch {
	case s.Const != nil:
		return *s.Const, true
	case s.Enum != nil && len(s.Enum.Values) > 0:
		return s.Enum.Values[0], true
	case s.Ref != nil:
		return firstExample(s.Ref)
	}
	return nil, false
}
