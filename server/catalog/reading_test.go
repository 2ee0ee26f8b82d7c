package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

func TestASchemaThatDoesNotCompileIsAWarningAtItsPlace(t *testing.T) {
	for schema, want := range map[string]string{
		"{type: object, properties: {a: {type: strng}}}":         "5:57 tools[0].input_schema.properties.a.type",
		"{type: object, properties: {a.b: {pattern: '(['}}}":     "5:62 tools[0].input_schema.properties.a.b.pattern",
		"{type: object, properties: {a: {$ref: '#/$defs/x'}}}":   "5:57 tools[0].input_schema.properties.a.$ref",
		"{type: object, allOf: [{type: object}, {required: 5}]}": "5:69 tools[0].input_schema.allOf[1].required",
		"{type: array}":                          "5:19 tools[0].input_schema",
		`'{"type":"object","required":["a",5]}'`: "5:19 tools[0].input_schema",
	} {
		tools, err := catalog.Parse("c.yaml", fmt.Appendf(nil, `tools:
  - name: a
    description: b
    http: {method: GET, url: "https://example.com"}
    input_schema: %s
`, schema))
		if err != nil {
			t.Errorf("%s: refused: %v", schema, err)
			continue
		}
		warned := tools.Warnings()
		if len(warned) != 1 {
			t.Fatalf("%s: %v", schema, warned)
		}
		if got := fmt.Sprintf("%d:%d %s", warned[0].Line, warned[0].Column, warned[0].Path); got != want || warned[0].Message == "" {
			t.Errorf("%s: got %s %s, want %s", schema, got, warned[0].Message, want)
		}
		tools.Close()
	}
}

func TestAToolWhoseSchemaDoesNotCompileTakesAnyObjectAndIsShownWithItsArguments(t *testing.T) {
	tools, err := catalog.Parse("c.yaml", []byte(`
tools:
  - name: broken
    http: {method: POST, url: "https://example.com/x/{id}"}
    input_schema:
      type: object
      properties:
        id: {type: string, description: Which., pattern: "(["}
        how: {type: strng}
        many: {type: [integer, "null"]}
      required: [id]
  - name: whole
    http: {method: GET, url: "https://example.com"}
    input_schema: {type: object}
`))
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	broken, whole := lookup(t, tools, "broken"), lookup(t, tools, "whole")
	if !broken.Unvalidated || whole.Unvalidated {
		t.Errorf("unvalidated: %v %v", broken.Unvalidated, whole.Unvalidated)
	}
	const shown = `{"type":"object","properties":{"id":{"type":"string","description":"Which."},"how":{},"many":{}}}`
	if broken.SchemaJSON != shown {
		t.Errorf("shown %s", broken.SchemaJSON)
	}
	if checked := broken.Schema.Check(`{"id":"([","more":[1]}`); checked.Fault != nil {
		t.Errorf("refused: %v", checked.Fault)
	}
	if checked := broken.Schema.Check(`[]`); checked.Fault == nil {
		t.Error("a list passes")
	}
}

func TestAReadingIsWholeEvenWhereTheCatalogueIsRefused(t *testing.T) {
	reading, err := catalog.Read("c.yaml", []byte("\xEF\xBB\xBF# one\r\ntools:\r\n  - &a {name: a, efect: read, http: {method: GET, url: \"https://example.com\", secret_query: {k: {from: \"env:UNSET_X\"}}}}\r\n  - {<<: *a, name: b}\r\n"), catalog.Alone())
	if err != nil {
		t.Fatal(err)
	}
	if reading.Catalog != nil || len(reading.Problems) != 2 || len(reading.Entries) != 2 || reading.Entries[1].Index != 1 || reading.Entries[1].Tool.Name != "b" {
		t.Errorf("got %+v", reading)
	}
	if strings.Contains(reading.Text, "\r") || !strings.HasPrefix(reading.Text, "# one\n") {
		t.Errorf("text %q", reading.Text)
	}
	if root := reading.Root; root == nil || root.Content[1].Content[1].Content[1].Value != "b" || len(root.Content[1].Content[1].Content) != 6 {
		t.Error("the tree is not as it is written")
	}
	for _, text := range []string{"", "a: [", "- a", "tools: {}\n---\ntools: {}"} {
		reading, err := catalog.Read("c.yaml", []byte(text), catalog.Alone())
		if err != nil || len(reading.Problems) == 0 || reading.Catalog != nil || reading.Written == nil {
			t.Errorf("%q: %+v %v", text, reading, err)
		}
	}
}

func TestAFileIsReadAloneWithoutItsSecretsAndFunctions(t *testing.T) {
	const yaml = `
upstreams: {u: {url: "https://example.com", secret_headers: {X-Key: {from: %q}}}}
tools:
  - {name: a, function: {name: nowhere}}
  - {name: b, upstream: u, http: {method: GET, url: /x}}
`
	tools, err := catalog.Parse("c.yaml", fmt.Appendf(nil, yaml, "file:/does/not/exist"), catalog.Alone())
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	call := &interceptors.Call{Tool: lookup(t, tools, "a"), Arguments: interceptors.Checked{JSON: json.RawMessage("{}")}}
	if reply := call.Tool.Backend.Attempt(context.Background(), call); reply.Result != nil || reply.Message == "" {
		t.Errorf("a function that nobody looked for answered %+v", reply)
	}
	if _, err := catalog.Parse("c.yaml", fmt.Appendf(nil, yaml, "tok-plain-9f3"), catalog.Alone()); err == nil {
		t.Error("a secret in the file passes")
	}
}
