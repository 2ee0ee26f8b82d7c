package openapi

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// operation is a document with one operation.
func operationOf(method, path, rest string) string {
	return `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"paths":{"` + path + `":{"` + method + `":{"operationId":"op"` + rest + `}}}}`
}

func TestParametersBecomeArguments(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, rest string
		call, schema       string
	}{
		"of the path and the query": {
			"get", "/users/{id}/posts", `,"parameters":[{"name":"limit","in":"query","schema":{"type":"integer","maximum":100}},{"name":"id","in":"path","required":true,"description":"Whose","schema":{"type":"string"}}]`,
			`{"method":"GET","url":"/users/{id}/posts"}`,
			`{"type":"object","properties":{"id":{"type":"string","description":"Whose"},"limit":{"type":"integer","maximum":100}},"required":["id"],"additionalProperties":false}`,
		},
		"of headers": {
			"get", "/x", `,"parameters":[{"name":"X-Trace","in":"header","schema":{"type":"string"}},{"name":"Accept","in":"header","schema":{"type":"string"}},{"name":"authorization","in":"header","schema":{"type":"string"}}]`,
			`{"method":"GET","url":"/x","arguments":{"X-Trace":{"in":"LOCATION_HEADER"}}}`,
			`{"type":"object","properties":{"X-Trace":{"type":"string"}},"additionalProperties":false}`,
		},
		"in many styles": {
			"get", "/x", `,"parameters":[
				{"name":"a","in":"query","schema":{"type":"array","items":{"type":"string"}}},
				{"name":"b","in":"query","explode":false,"schema":{"type":"array","items":{"type":"string"}}},
				{"name":"c","in":"query","style":"pipeDelimited","schema":{"type":"array","items":{"type":"string"}}},
				{"name":"d","in":"query","style":"spaceDelimited","schema":{"type":"array","items":{"type":"string"}}},
				{"name":"e","in":"query","style":"deepObject","schema":{"type":"object","properties":{"x":{"type":"string"}}}},
				{"name":"f","in":"query","style":"deepObject","schema":{"type":"array","items":{"type":"string"}}},
				{"name":"g","in":"query","schema":{"type":"object","properties":{"x":{"type":"string"}}}},
				{"name":"h","in":"query","content":{"application/json":{"schema":{"type":"object","properties":{"x":{"type":"string"}}}}}}]`,
			`{"method":"GET","url":"/x","arguments":{"b":{"in":"LOCATION_QUERY","style":"STYLE_COMMA"},"c":{"in":"LOCATION_QUERY","style":"STYLE_PIPE"},"d":{"in":"LOCATION_QUERY","style":"STYLE_SPACE"},"f":{"in":"LOCATION_QUERY","name":"f[]"},"g":{"in":"LOCATION_QUERY","style":"STYLE_SPREAD"},"h":{"in":"LOCATION_QUERY","style":"STYLE_JSON"}}}`, "",
		},
		"with names that no model may use": {
			"get", "/x/{the id}", `,"parameters":[{"name":"filter[status]","in":"query","schema":{"type":"string"}},{"name":"$top","in":"query","schema":{"type":"integer"}},{"name":"the id","in":"path","schema":{"type":"string"}}]`,
			`{"method":"GET","url":"/x/{the_id}","arguments":{"filter_status":{"in":"LOCATION_QUERY","name":"filter[status]"},"top":{"in":"LOCATION_QUERY","name":"$top"}}}`, "",
		},
		"of the same name": {
			"get", "/x/{id}", `,"parameters":[{"name":"id","in":"query","schema":{"type":"string"}},{"name":"id","in":"path","schema":{"type":"string"}}]`,
			`{"method":"GET","url":"/x/{id}","arguments":{"query_id":{"in":"LOCATION_QUERY","name":"id"}}}`, "",
		},
		"that nobody describes": {
			"get", "/x/{id}", ``, `{"method":"GET","url":"/x/{id}"}`,
			`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`,
		},
		"of a query beside a body": {
			"post", "/x", `,"parameters":[{"name":"dry","in":"query","schema":{"type":"boolean"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["dry"],"properties":{"dry":{"type":"string"},"wet":{"type":"string"}}}}}}`,
			`{"method":"POST","url":"/x","arguments":{"dry":{"in":"LOCATION_QUERY"},"body_dry":{"in":"LOCATION_BODY","name":"dry"}}}`,
			`{"type":"object","properties":{"dry":{"type":"boolean"},"body_dry":{"type":"string"},"wet":{"type":"string"}},"required":["body_dry"],"additionalProperties":false}`,
		},
	} {
		d := only(t, read(t, operationOf(c.method, c.path, c.rest)))
		want := &catalogv1.HttpCall{}
		if err := protojson.Unmarshal([]byte(c.call), want); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(callOf(d), want) {
			t.Errorf("%s:\n got %v\nwant %v", name, callOf(d), want)
		}
		if c.schema != "" {
			same(t, name, d.Tool.GetInputSchema(), c.schema)
		}
	}
}

func TestBodiesBecomeArguments(t *testing.T) {
	for name, c := range map[string]struct{ method, body, call, schema string }{
		"an object": {
			"post", `{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}}}`,
			`{"method":"POST","url":"/x"}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		},
		"an object that may be left out": {
			"post", `{"required":false,"content":{"application/json":{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}}}`,
			`{"method":"POST","url":"/x"}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`,
		},
		"an object that takes more": {
			"post", `{"content":{"application/json":{"schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}}}}`,
			`{"method":"POST","url":"/x"}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}`,
		},
		"an object that needs one of two": {
			"post", `{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}}}}`,
			`{"method":"POST","url":"/x"}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}],"additionalProperties":false}`,
		},
		"of a delete": {
			"delete", `{"content":{"application/json":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
			`{"method":"DELETE","url":"/x","arguments":{"a":{"in":"LOCATION_BODY"}}}`, "",
		},
		"a list": {
			"put", `{"required":true,"content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}}`,
			`{"method":"PUT","url":"/x","bodyArgument":"body"}`,
			`{"type":"object","properties":{"body":{"type":"array","items":{"type":"string"}}},"required":["body"],"additionalProperties":false}`,
		},
		"one of several objects": {
			"put", `{"required":true,"content":{"application/json":{"schema":{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"string"}}}]}}}}`,
			`{"method":"PUT","url":"/x","bodyArgument":"body"}`, "",
		},
		"a type of its own": {
			"patch", `{"content":{"application/merge-patch+json":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
			`{"method":"PATCH","url":"/x","headers":{"Content-Type":"application/merge-patch+json"}}`, "",
		},
		"text": {
			"post", `{"required":true,"content":{"text/x-markdown":{"schema":{"type":"string"}}}}`,
			`{"method":"POST","url":"/x","body":"BODY_ENCODING_TEXT","bodyArgument":"body","headers":{"Content-Type":"text/x-markdown"}}`, "",
		},
		"JSON rather than a form": {
			"post", `{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object"}},"application/json; charset=utf-8":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
			`{"method":"POST","url":"/x"}`, "",
		},
		"a form": {
			"post", `{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"string"}},"c":{"type":"array","items":{"type":"string"}},"d":{"type":"object","properties":{"x":{"type":"string"}}}}},"encoding":{"c":{"style":"deepObject","explode":true}}}}}`,
			`{"method":"POST","url":"/x","body":"BODY_ENCODING_FORM","arguments":{"b":{"in":"LOCATION_BODY","style":"STYLE_REPEAT"},"d":{"in":"LOCATION_BODY","style":"STYLE_JSON"}}}`, "",
		},
		"nothing": {
			"post", `{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{},"additionalProperties":false}}}}`,
			`{"method":"POST","url":"/x"}`, `{"type":"object","additionalProperties":false}`,
		},
	} {
		d := only(t, read(t, operationOf(c.method, "/x", `,"requestBody":`+c.body)))
		want := &catalogv1.HttpCall{}
		if err := protojson.Unmarshal([]byte(c.call), want); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(callOf(d), want) {
			t.Errorf("%s:\n got %v\nwant %v", name, callOf(d), want)
		}
		if c.schema != "" {
			same(t, name, d.Tool.GetInputSchema(), c.schema)
		}
	}
}

func TestWhatCanNotBeAToolIsLeftOutWithAReason(t *testing.T) {
	for name, c := range map[string]struct{ method, path, rest, reason string }{
		"a file":                          {"post", "/x", `,"requestBody":{"required":true,"content":{"multipart/form-data":{"schema":{"type":"object"}}}}`, "multipart/form-data"},
		"a cookie":                        {"get", "/x", `,"parameters":[{"name":"c","in":"cookie","required":true,"schema":{"type":"string"}}]`, "the cookie"},
		"a method":                        {"options", "/x", ``, "OPTIONS"},
		"a parameter that is nowhere":     {"get", "/x", `,"parameters":[{"$ref":"#/components/parameters/P"}]`, "leads nowhere"},
		"a parameter of another file":     {"get", "/x", `,"parameters":[{"$ref":"p.yaml#/P"}]`, "no other file is read"},
		"a parameter of an address":       {"get", "/x", `,"parameters":[{"$ref":"https://example.com/p.yaml"}]`, "nothing is fetched"},
		"a parameter without a name":      {"get", "/x", `,"parameters":[{"in":"query"}]`, "no name"},
		"a parameter that stands nowhere": {"get", "/x", `,"parameters":[{"name":"a","in":"body"}]`, "nowhere that is known"},
		"a style":                         {"get", "/x/{a}", `,"parameters":[{"name":"a","in":"path","style":"matrix","schema":{"type":"string"}}]`, "style"},
		"a body in circles":               {"post", "/x", `,"requestBody":{"$ref":"#/paths/~1x/post/requestBody"}`, "circles"},
		"a hint that is wrong":            {"get", "/x", `,"x-toolgate-effect":"reed"`, "x-toolgate"},
		"a hint that is not its own":      {"get", "/x", `,"x-toolgate":{"http":{"url":"https://evil.example.com"}}`, "not the document's to say"},
		"an open brace":                   {"get", "/x/{a", ``, "brace"},
	} {
		found := describeAll(t, read(t, operationOf(c.method, c.path, c.rest)), Settings{})
		if len(found.Tools) != 0 || len(found.LeftOut) != 1 || !strings.Contains(found.LeftOut[0].Reason, c.reason) {
			t.Errorf("%s: %+v %+v", name, found.Tools, found.LeftOut)
		}
	}
}

func TestOneBrokenOperationTouchesNoOther(t *testing.T) {
	found := describeAll(t, read(t, `
openapi: 3.1.0
paths:
  /a: {get: {parameters: [7]}, post: {}}
  /b: 5
  /c: {$ref: "#/nowhere"}
  /d: {get: {parameters: {x: y}, requestBody: [], responses: no, tags: 7, security: x}}
`), Settings{})
	var names []string
	for _, d := range found.Tools {
		names = append(names, d.Tool.GetName())
	}
	if !slices.Equal(names, []string{"post_a", "get_d"}) || len(found.LeftOut) != 2 {
		t.Errorf("%v, %+v", names, found.LeftOut)
	}
}

func TestNamesAreCleanAndTheirOwn(t *testing.T) {
	found := describeAll(t, read(t, `
openapi: 3.0.0
paths:
  /a: {get: {operationId: "repos/list for-user"}}
  /b: {get: {operationId: list}, post: {operationId: list}, put: {operationId: LIST}}
  /users/{id}/posts: {get: {}}
  /c: {get: {operationId: "äöü"}}
  /d: {get: {operationId: `+strings.Repeat("long_", 30)+`}}
  /e: {get: {operationId: x, x-toolgate-name: lookup}}
  /f: {get: {operationId: unknown_tool}}
`), Settings{Prefix: "shop_"})
	var names []string
	for _, d := range found.Tools {
		names = append(names, d.Tool.GetName())
	}
	want := []string{"shop_repos_list_for-user", "shop_list", "shop_post_b", "shop_put_b", "shop_get_users_by_id_posts", "shop_get_c", "shop_long_long_long_long_", "shop_lookup", "shop_get_f"}
	for i, name := range names {
		if name != want[i] && !(strings.HasPrefix(name, want[i]) && len(name) <= 64) {
			t.Errorf("%s, want %s", name, want[i])
		}
	}
	if len(names) != len(want) {
		t.Errorf("%v", names)
	}
}

func TestSelectionsAreById_MethodAndPath_NameAndTag(t *testing.T) {
	d := read(t, `
openapi: 3.0.0
paths:
  /pets: {get: {operationId: pets/list, tags: [pets]}, post: {operationId: pets/create, tags: [pets, writes]}}
  /users/{id}: {delete: {operationId: users/delete, tags: [users]}}
`)
	for _, c := range []struct {
		selection Selection
		want      string
		idle      string
	}{
		{Selection{}, "pets_list pets_create users_delete", ""},
		{Selection{Only: []string{"pets/*"}}, "pets_list pets_create", ""},
		{Selection{Only: []string{"DELETE *", "pets_create"}}, "pets_create users_delete", ""},
		{Selection{Only: []string{"GET /pets"}}, "pets_list", ""},
		{Selection{Only: []string{"get /pets", "delete *"}}, "pets_list users_delete", ""},
		{Selection{Except: []string{"*delete"}}, "pets_list pets_create", ""},
		{Selection{Only: []string{"pets/*"}, Except: []string{"POST /p*s"}}, "pets_list", ""},
		{Selection{Tags: []string{"writes", "user"}}, "pets_create", "user"},
		{Selection{Only: []string{"pet/list"}}, "", "pet/list"},
	} {
		found := describeAll(t, d, Settings{Selection: c.selection})
		var names []string
		for _, d := range found.Tools {
			names = append(names, d.Tool.GetName())
		}
		if got := strings.Join(names, " "); got != c.want || strings.Join(found.Idle, " ") != c.idle {
			t.Errorf("%+v: %s, idle %v", c.selection, got, found.Idle)
		}
	}
}

func TestAPatternFitsTheWholeText(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		fits          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "ab", true}, {"*b", "ab", true}, {"a*c*e", "abcde", true}, {"a*c*e", "abde", false},
		{"a*a", "a", false}, {"*a*", "bab", true}, {"", "", true}, {"", "a", false}, {"GET *", "GET /x", true}, {"a**b", "ab", true},
	} {
		if Matches(c.pattern, c.text) != c.fits {
			t.Errorf("%q against %q", c.pattern, c.text)
		}
	}
}
