package openapi

import (
	"bytes"
	"encoding/json"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

func read(t testing.TB, text string, options ...Option) *Document {
	t.Helper()
	d, err := Read([]byte(text), options...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func describeAll(t testing.TB, d *Document, settings Settings) *Description {
	t.Helper()
	found, err := d.Describe(settings)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// only is the one tool of a document.
func only(t testing.TB, d *Document) Described {
	t.Helper()
	found := describeAll(t, d, Settings{})
	if len(found.Tools) != 1 {
		t.Fatalf("%d tools, left out %+v", len(found.Tools), found.LeftOut)
	}
	return found.Tools[0]
}

// member is the schema of the argument `a` of an operation whose body has the schema.
func member(t testing.TB, version, schemas, schema string) string {
	t.Helper()
	text := "openapi: " + version + `
info: {title: Shop, version: "1"}
components: {schemas: {` + schemas + `}}
paths:
  /things:
    post:
      operationId: make_thing
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {a: ` + schema + `}}}}}
      responses: {}
`
	return propertyOf(t, only(t, read(t, text)).Tool.InputSchema, "a")
}

func propertyOf(t testing.TB, schema, name string) string {
	t.Helper()
	var whole struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal([]byte(schema), &whole); err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	return string(whole.Properties[name])
}

// same compares JSON texts without their space.
func same(t testing.TB, name, got, want string) {
	t.Helper()
	var a, b bytes.Buffer
	if json.Compact(&a, []byte(got)) != nil || json.Compact(&b, []byte(want)) != nil || a.String() != b.String() {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}

func jsonObject(text string) bool {
	var object map[string]any
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}

func callOf(d Described) *catalogv1.HttpCall { return d.Tool.GetHttp() }
