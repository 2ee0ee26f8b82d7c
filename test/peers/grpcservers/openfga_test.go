package grpcservers

import (
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/internal/rawjson"
)

const openFGA = `
upstreams: {openfga: {url: "grpc://{{address}}"}}
defaults: {max_attempts: 2, backoff: 50ms}
grpc:
  - upstream: openfga
    tools:
      open_fga_check: {effect: read}
      open_fga_read: {effect: read}
      open_fga_write:
        effect: write
        verify_with: {tool: open_fga_check, executed: result.allowed}
      open_fga_streamed_list_objects: {effect: read, name: stream_objects, grpc: {max_messages: 3}}
`

func startOpenFGA(t *testing.T) (*gateway, string) {
	t.Helper()
	address := free(t)
	run(t, address, program(t, "openfga"), "run", "--datastore-engine", "memory", "--grpc-addr", address, "--http-enabled=false",
		"--playground-enabled=false", "--metrics-enabled=false", "--profiler-enabled=false", "--log-level", "error")
	g := start(t, "openfga", openFGA, address)
	return g, text(t, g.result(t, "open_fga_create_store", `{"name":"demo"}`), "/id")
}

// text is the value at a JSON Pointer.
func text(t *testing.T, result, pointer string) string {
	t.Helper()
	value, found := rawjson.Find([]byte(result), pointer)
	if !found {
		t.Fatalf("nothing at %s of %s", pointer, result)
	}
	return rawjson.Text(value)
}

// documentModel is a model of documents, with readers who are named and editors who
// are readers, too.
const documentModel = `"schema_version":"1.1","type_definitions":[{"type":"user"},{"type":"document","relations":` +
	`{"editor":{"this":{}},"reader":{"union":{"child":[{"this":{}},{"computed_userset":{"relation":"editor"}}]}}},` +
	`"metadata":{"relations":{"editor":{"directly_related_user_types":[{"type":"user"}]},"reader":{"directly_related_user_types":[{"type":"user"}]}}}}]`

// A server with some forty methods, validators in its options and codes of its own,
// by reflection alone.
func TestOpenFGA(t *testing.T) {
	g, store := startOpenFGA(t)
	in := func(rest string) string { return `{"store_id":"` + store + `",` + rest + `}` }
	tuple := func(user, relation, object string) string {
		return `{"user":"` + user + `","relation":"` + relation + `","object":"` + object + `"}`
	}
	peertest.Check(t, g.peer, "every method is a tool with a schema", func(t *testing.T) { everyMethod(t, g) })

	g.check(t, "a model that is a tree of oneofs is written", "open_fga_write_authorization_model", in(documentModel), holds(`"authorization_model_id":"01`))
	g.check(t, "a tuple is written", "open_fga_write",
		in(`"writes":{"tuple_keys":[`+tuple("user:anne", "reader", "document:1")+`,`+tuple("user:anne", "editor", "document:2")+`]}`), holds(`{}`))
	g.check(t, "a check that is true", "open_fga_check", in(`"tuple_key":`+tuple("user:anne", "reader", "document:2")), holds(`"allowed":true`))
	g.check(t, "a check that is false says so", "open_fga_check", in(`"tuple_key":`+tuple("user:bob", "reader", "document:2")), holds(`"allowed":false`))
	g.check(t, "context is any object", "open_fga_check",
		in(`"context":{"at":"2026-01-01","deep":[1,{"x":null}]},"tuple_key":`+tuple("user:anne", "reader", "document:1")), holds(`"allowed":true`))
	g.check(t, "a recursive answer", "open_fga_expand", in(`"tuple_key":{"relation":"reader","object":"document:2"}`), holds(`"union":{"nodes":[`, `document:2#editor`))
	g.check(t, "a number in quotes is corrected to a wrapped one", "open_fga_read", in(`"page_size":"1"`),
		func(t *testing.T, response *toolgatev1.CallToolResponse) {
			t.Helper()
			if response.GetResult().GetReturned() != 1 || len(response.GetResult().GetCoercions()) != 1 {
				t.Error("one tuple, one correction")
			}
		})
	g.check(t, "a time is a timestamp", "open_fga_read_changes", in(`"start_time":"2026-01-01T00:00:00+01:00"`), holds(`"operation":"TUPLE_OPERATION_WRITE"`, `"timestamp":"20`))
	g.check(t, "a stream is a list", "stream_objects", in(`"type":"document","relation":"reader","user":"user:anne"`), holds(`{"object":"document:1"}`, `{"object":"document:2"}`))

	g.refuses(t, store)

	peertest.Check(t, g.peer, "a long stream ends at its bound and says so", func(t *testing.T) {
		var keys []string
		for n := range strings.SplitSeq("abcdefgh", "") {
			keys = append(keys, tuple("user:carl", "reader", "document:"+n))
		}
		g.result(t, "open_fga_write", in(`"writes":{"tuple_keys":[`+strings.Join(keys, ",")+`]}`))
		response := g.Call(t, "bound", "stream_objects", in(`"type":"document","relation":"reader","user":"user:carl"`))
		if result := response.GetResult(); result.GetReturned() != 3 || !result.GetTruncated() || strings.Count(result.GetStructuredJson(), "document:") != 3 {
			t.Errorf("%v", response)
		}
	})
}

func everyMethod(t *testing.T, g *gateway) {
	t.Helper()
	tools := g.Server.Catalog().Tools()
	if warned := g.Server.Catalog().Warnings(); len(tools) < 20 || len(warned) > 0 {
		t.Errorf("%d tools, %v", len(tools), warned)
	}
	for _, tool := range tools {
		if tool.Unvalidated || !strings.Contains(tool.SchemaJSON, `"additionalProperties":false`) {
			t.Errorf("%s: %s", tool.Name, tool.SchemaJSON)
		}
	}
	for name, effect := range map[string]toolgatev1.Effect{ // by their HTTP methods
		"open_fga_get_store": toolgatev1.Effect_EFFECT_READ, "open_fga_write_assertions": toolgatev1.Effect_EFFECT_IDEMPOTENT,
		"open_fga_delete_store": toolgatev1.Effect_EFFECT_IDEMPOTENT, "open_fga_create_store": toolgatev1.Effect_EFFECT_WRITE,
	} {
		if tool, found := g.Server.Catalog().Lookup(name); !found || tool.Effect != effect || tool.Description == "" {
			t.Errorf("%s: %+v", name, tool)
		}
	}
}

// refuses checks what the server refuses, and what the schema refuses for it.
func (g *gateway) refuses(t *testing.T, store string) {
	t.Helper()
	in := func(rest string) string { return `{"store_id":"` + store + `",` + rest + `}` }
	const unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, c := range []struct {
		name, tool, arguments string
		attempts              uint32
		says                  []string
	}{
		{"an unknown store", "open_fga_get_store", `{"store_id":"` + unknown + `"}`, 1, []string{`"error":"store_id_not_found"`, `"field":"store_id"`}},
		{"a store's id that is none, before anybody is asked", "open_fga_get_store", `{"store_id":"x"}`, 0, []string{`"field":"store_id"`, "{26}"}},
		{"a page that is too large, before anybody is asked", "open_fga_read", in(`"page_size":1000`), 0, []string{`"field":"page_size"`, "1 to 100"}},
		{
			"an unknown type", "open_fga_write", in(`"writes":{"tuple_keys":[{"user":"user:a","relation":"reader","object":"folder:1"}]}`), 1,
			[]string{`"error":"validation_error"`, "type 'folder' not found"},
		},
		{
			"an unknown relation", "open_fga_check", in(`"tuple_key":{"user":"user:a","relation":"owner","object":"document:1"}`), 1,
			[]string{`"field":"tuple_key.relation"`, "relation 'document#owner' not found"},
		},
		{
			"a tuple that is there already", "open_fga_write", in(`"writes":{"tuple_keys":[{"user":"user:anne","relation":"reader","object":"document:1"}]}`), 1,
			[]string{`"error":"write_failed_due_to_invalid_input"`, "already exist"},
		},
		{"a write of nothing", "open_fga_write", in(`"authorization_model_id":""`), 1, []string{`"error":"invalid_write_input"`}},
		{"a token of another list", "open_fga_read", in(`"continuation_token":"abcd"`), 1, []string{`"field":"continuation_token"`}},
		{
			"an unknown model", "open_fga_check",
			in(`"authorization_model_id":"` + unknown + `","tuple_key":{"user":"user:a","relation":"reader","object":"document:1"}`), 1,
			[]string{`"field":"authorization_model_id"`},
		},
		{
			"two of a oneof", "open_fga_write_authorization_model",
			in(`"schema_version":"1.1","type_definitions":[{"type":"user"},{"type":"document","relations":{"reader":{"this":{},"computed_userset":{"relation":"x"}}}}]`), 0,
			[]string{"more than one of the accepted forms"},
		},
		{"a misspelt argument", "open_fga_get_store", `{"storeId":"` + store + `"}`, 0, []string{"did you mean store_id?"}},
		{"an enum's value that is none", "open_fga_check", in(`"consistency":"BEST","tuple_key":{"user":"user:a","relation":"reader","object":"document:1"}`), 0, []string{"HIGHER_CONSISTENCY"}},
	} {
		g.check(t, c.name, c.tool, c.arguments, fails(invalid, c.attempts, c.says...))
	}
	g.check(t, "a method that the server does not offer", "auth_zen_get_configuration", `{"store_id":"`+store+`"}`, fails(terminal, 1, "experimental"))
}
