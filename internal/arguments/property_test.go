package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// generator makes schemas and arguments that are about as right as a model's.
type generator struct{ *rand.Rand }

func seeded(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 7))} }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

func (g generator) schema(depth int) map[string]any {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.IntN(9) {
	case 0, 1, 2:
		return g.object(depth)
	case 3:
		return g.array(depth)
	case 4:
		return map[string]any{pick(g, "anyOf", "oneOf"): []any{g.schema(depth - 1), g.schema(depth - 1), map[string]any{"type": "null"}}}
	case 5:
		return map[string]any{"allOf": []any{g.schema(depth - 1), g.schema(0)}}
	case 6:
		return map[string]any{"$ref": pick(g, "#/$defs/leaf", "#/$defs/tree", "#")}
	}
	return g.leaf()
}

func (g generator) leaf() map[string]any {
	s := map[string]any{}
	switch g.IntN(8) {
	case 0:
		s["type"] = "integer"
		s["minimum"] = g.IntN(5)
		s["maximum"] = 5 + g.IntN(2000)
		if g.IntN(3) == 0 {
			s["multipleOf"] = pick(g, json.Number("5"), "0.5", "7")
		}
	case 1:
		s["type"] = "number"
		s["exclusiveMinimum"] = json.Number("-1.5")
	case 2:
		s["type"] = "boolean"
	case 3:
		s["type"] = "string"
		s["format"] = pick(g, "date", "date-time", "time", "uuid", "email", "ipv4", "uri", "duration", "hostname", "regex", "idn-email")
	case 4:
		s["enum"] = []any{pick(g, "open", "Open", "a"), "closed", 5, json.Number("1.50")}
	case 5:
		s["type"] = "string"
		s["minLength"], s["maxLength"] = g.IntN(3), 3+g.IntN(9)
		if g.IntN(2) == 0 {
			s["pattern"] = pick(g, "^[0-9]+$", "^(?!x)", "a")
		}
	case 6:
		s["type"] = []any{pick(g, "integer", "string", "boolean"), "null"}
	case 7:
		s["const"] = pick[any](g, "kind", true, 7)
	}
	return s
}

var memberNames = []string{"a", "b", "kind", "limit", "start_date", "tags"}

func (g generator) object(depth int) map[string]any {
	properties, required := map[string]any{}, []any{}
	for range 1 + g.IntN(4) {
		name := pick(g, memberNames...)
		properties[name] = g.schema(depth - 1)
		if g.IntN(3) == 0 {
			required = append(required, name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "required": unique(required)}
	switch g.IntN(6) {
	case 0, 1:
		s["additionalProperties"] = false
	case 2:
		s["additionalProperties"] = g.leaf()
	case 3:
		s["patternProperties"] = map[string]any{"^l": g.leaf()}
	case 4:
		s["unevaluatedProperties"] = false
	}
	switch g.IntN(6) {
	case 0:
		s["dependentRequired"] = map[string]any{"a": []any{"b"}}
	case 1:
		s["if"], s["then"] = map[string]any{"required": []any{"kind"}}, map[string]any{"required": []any{"a"}}
	case 2:
		s["minProperties"], s["maxProperties"] = 1, 3
	}
	return s
}

func unique(names []any) []any {
	seen, out := map[any]bool{}, []any{}
	for _, n := range names {
		if !seen[n] {
			out = append(out, n)
		}
		seen[n] = true
	}
	return out
}

func (g generator) array(depth int) map[string]any {
	s := map[string]any{"type": "array", "items": g.schema(depth - 1)}
	switch g.IntN(5) {
	case 0:
		s["prefixItems"] = []any{g.leaf(), g.leaf()}
	case 1:
		s["minItems"], s["maxItems"] = 1, 2
	case 2:
		s["uniqueItems"] = true
	case 3:
		s["contains"] = g.leaf()
	}
	return s
}

func (g generator) root() string {
	s := g.object(3)
	s["$defs"] = map[string]any{
		"leaf": g.leaf(),
		"tree": map[string]any{"type": "object", "properties": map[string]any{"a": g.leaf(), "tags": map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/tree"}}}},
	}
	text, _ := json.Marshal(s)
	return string(text)
}

func (g generator) value(depth int) any {
	switch n := g.IntN(12); {
	case n < 2 && depth > 0:
		object := map[string]any{}
		for range g.IntN(4) {
			object[pick(g, memberNames...)] = g.value(depth - 1)
		}
		return object
	case n < 3 && depth > 0:
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(depth-1))
		}
		return list
	case n < 4 && depth > 0:
		text, _ := json.Marshal(g.value(depth - 1))
		return string(text)
	}
	return pick[any](g, nil, true, false, 0, 5, 7, 300, json.Number("1.5"), json.Number("1.50"), json.Number("5.0"), json.Number("1e2"),
		json.Number("123456789012345678901234567890"), json.Number("1e999999999"), json.Number("1e-999999999"), "", "5", " 5 ", "1e3", "007", "true", "False", "null", "open", "OPEN", "closed, open", "a",
		"kind", "Kind", "2026-03-14", "03/14/2026", "03/04/2026", "March 14, 2026", "2026-03-14T10:00:00Z", "2026-03-14 10:00Z", "x", "12", "word",
		"{}", "[]", "[1,2]", "a@b.example ", "127.0.0.1", "3F2504E04F8911D39A0C0305E82C3301", "é\u0001\"\\", "unknown")
}

func (g generator) arguments() string {
	object := map[string]any{}
	for range g.IntN(5) {
		object[pick(g, memberNames...)] = g.value(3)
	}
	text, _ := json.Marshal(object)
	if g.IntN(12) == 0 {
		text, _ = json.Marshal(string(text))
	}
	return string(text)
}

// near makes a value as the schema wants it, mostly.
func (g generator) near(root, s map[string]any, depth int) any {
	if g.IntN(14) == 0 || depth <= 0 {
		return g.value(1)
	}
	v := g.wanted(root, s, depth)
	if g.IntN(9) == 0 { // as models write it
		text, _ := json.Marshal(v)
		return string(text)
	}
	return v
}

func (g generator) wanted(root, s map[string]any, depth int) any {
	if ref, ok := s["$ref"].(string); ok {
		if name, found := strings.CutPrefix(ref, "#/$defs/"); found {
			return g.near(root, root["$defs"].(map[string]any)[name].(map[string]any), depth-1)
		}
		return g.near(root, root, depth-1)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if branches, ok := s[word].([]any); ok {
			return g.near(root, branches[g.IntN(len(branches))].(map[string]any), depth)
		}
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if list, ok := s["enum"].([]any); ok {
		return list[g.IntN(len(list))]
	}
	switch s["type"] {
	case "object":
		return g.wantedObject(root, s, depth)
	case "array":
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.near(root, s["items"].(map[string]any), depth-1))
		}
		return list
	case "integer":
		return pick(g, 5, 7, 300, 2, 3000)
	case "number":
		return json.Number(pick(g, "1", "-1.5", "-1.4999", "1e3", "12345678901234567890.5"))
	case "boolean":
		return g.IntN(2) == 0
	case "string":
		return g.text(s)
	}
	return nil
}

func (g generator) text(s map[string]any) string {
	forms := map[any][]string{
		"date": {"2026-03-14", "2028-02-29", "14.03.2026"}, "date-time": {"2026-03-14T10:00:00Z", "2016-12-31T23:59:60Z", "2026-03-14t10:00:00.5+01:00"},
		"time": {"10:00:00Z", "23:59:60Z"}, "uuid": {"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}, "email": {"a@b.example", " a@b.example"},
		"ipv4": {"127.0.0.1", "127.0.0.01"}, "uri": {"https://example.com/a?b=c"}, "duration": {"PT30M", "P3D"}, "hostname": {"a.example"},
		"regex": {"^a+$", "(?=a)"}, "idn-email": {"ä@bücher.example"},
	}
	if known, ok := forms[s["format"]]; ok {
		return known[g.IntN(len(known))]
	}
	return pick(g, "a", "ab", "123", "0042", "x1a", "a\nb", "é\"\\", "")
}

func (g generator) wantedObject(root, s map[string]any, depth int) any {
	object := map[string]any{}
	required, _ := s["required"].([]any)
	properties := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		part := properties[name]
		if slices.Contains(required, any(name)) || g.IntN(3) > 0 {
			object[name] = g.near(root, part.(map[string]any), depth-1)
		}
	}
	if g.IntN(9) == 0 {
		object[pick(g, memberNames...)] = g.value(1)
	}
	return object
}

// call makes a schema and arguments for it.
func (g generator) call() (schemaJSON, text string) {
	schemaJSON = g.root()
	var root map[string]any
	_ = json.Unmarshal([]byte(schemaJSON), &root)
	arguments, _ := json.Marshal(g.wanted(root, root, 5))
	return schemaJSON, string(arguments)
}

// walked is the verdict of the walk along the canonical form.
func walked(s *Schema, text string) bool {
	c := borrow(nil, text)
	defer c.release()
	return c.document() == nil && !c.duplicate && c.out[0] == '{' && certain(s.walk, c.out)
}

// laws hold for any schema and any text.
func laws(t *testing.T, schemaJSON, text string) {
	t.Helper()
	s, err := Compile("tool", []byte(schemaJSON))
	if err != nil {
		return
	}
	checked := s.Check(text)
	_, sure := s.certainly(text)
	sure = sure || walked(s, text) // which a glance may have made unnecessary
	root, syntax := parse(text)
	wellFormed := syntax == nil && len(duplicates(root, nil)) == 0
	valid := wellFormed && root.kind == isObject && s.root.Validate(root.value()) == nil
	if wellFormed && s.engine().holds(s.root, root) != (s.root.Validate(root.value()) == nil) {
		t.Fatalf("our verdict is not the judge's: %v\nschema    %s\narguments %s", s.root.Validate(root.value()), schemaJSON, text)
	}
	where := fmt.Sprintf("\nschema    %s\narguments %s", schemaJSON, text)
	switch {
	case sure && !valid:
		t.Fatalf("certainly valid, says the walk, and the judge says no%s", where)
	case valid && checked.Fault != nil:
		t.Fatalf("valid arguments are refused: %v%s", checked.Fault, where)
	case valid && !isBlank(text) && (strings.TrimSpace(text) != strings.TrimSpace(string(checked.JSON)) || len(checked.Coercions) > 0):
		t.Fatalf("valid arguments were changed to %s%s", checked.JSON, where)
	case !valid && checked.Fault == nil && len(checked.Coercions) == 0:
		t.Fatalf("invalid arguments pass%s", where)
	case (checked.Fault != nil) != (s.Explain(text).Outcome == "reject"):
		t.Fatalf("explained otherwise: %+v%s", s.Explain(text), where)
	case checked.Fault != nil:
		lawsOfFaults(t, checked.Fault, where)
		if again := s.Check(text).Fault; !proto.Equal(again, checked.Fault) {
			t.Fatalf("said once %v\nand once %v%s", checked.Fault, again, where)
		}
	default:
		again := s.Check(string(checked.JSON))
		if again.Fault != nil || len(again.Coercions) > 0 || string(again.JSON) != string(checked.JSON) || again.Identity() != checked.Identity() {
			t.Fatalf("%s changes again: %s, %v%s", checked.JSON, again.JSON, again.Fault, where)
		}
	}
}

func lawsOfFaults(t *testing.T, e *toolgatev1.ToolError, where string) {
	t.Helper()
	size := 0
	for _, v := range e.GetViolations() {
		size += proto.Size(v) + 3
		if len(v.GetField()) > 64 || len(v.GetValueJson()) > 256 || len(v.GetProblem()) > 160 || v.GetProblem() == "" ||
			(v.GetValueJson() != "" && !json.Valid([]byte(v.GetValueJson()))) {
			t.Fatalf("a violation out of bounds: %v%s", v, where)
		}
	}
	if n := len(e.GetViolations()); n == 0 || n > 8 || size > 1024 || len(e.GetMessage()) > 512 || len(e.GetNote()) > 160 {
		t.Fatalf("%d violations of %d bytes: %v%s", n, size, e, where)
	}
}

func TestTheLawsHoldForGeneratedCalls(t *testing.T) {
	for seed := range uint64(3000) {
		g := seeded(seed)
		schema, text := g.call()
		laws(t, schema, text)
		laws(t, schema, g.arguments())
		var spread bytes.Buffer
		_ = json.Indent(&spread, []byte(text), " ", "\t")
		laws(t, schema, spread.String())
	}
}

func TestTheLawsHoldForTheCollectedCases(t *testing.T) {
	for _, c := range expectedCases(t) {
		laws(t, string(c.Schema), string(c.Arguments))
	}
}

func FuzzLawsOfGeneratedCalls(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := seeded(seed)
		schema, text := g.call()
		laws(t, schema, text)
	})
}

func FuzzLawsOfAnyText(f *testing.F) {
	for _, c := range expectedCases(f) {
		f.Add(string(c.Schema), string(c.Arguments))
	}
	f.Fuzz(func(t *testing.T, schemaJSON, text string) { laws(t, schemaJSON, text) })
}
