package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/servertest"
)

const hostileCatalogue = `
upstreams:
  api: {url: http://upstream.test/v1, headers: {X-Fixed: gateway}}
tools:
  - name: place
    description: Puts each argument somewhere else.
    upstream: api
    http:
      method: POST
      url: "/things/{id}/parts?view={view}"
      arguments:
        trace: {in: header, name: X-Trace}
        filter: {in: query}
    input_schema:
      type: object
      properties:
        id: {type: string}
        view: {type: string}
        trace: {type: string}
        filter: {type: string}
        note: {type: string, maxLength: 100000}
        count: {type: integer}
        tree: {}
      required: [id]
      additionalProperties: false
`

// Whatever a model, or whoever wrote what it read, puts into arguments: it is refused
// with the field named, before anything leaves.
func TestHostileArgumentsAreRefusedWithTheirField(t *testing.T) {
	quoted := func(text string) string {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	id := func(text string) string { return `{"id":` + quoted(text) + `}` }
	trace := func(text string) string { return `{"id":"1","trace":` + quoted(text) + `}` }
	for name, c := range map[string]struct{ arguments, field string }{
		"up a folder":                  {id(".."), "id"},
		"here":                         {id("."), "id"},
		"up, escaped":                  {id("%2e%2e"), "id"},
		"up, escaped twice over":       {id("..%2f..%2fadmin"), "id"},
		"up with a backslash":          {id(`..\..\admin`), "id"},
		"up by path parameters":        {id("..;/admin"), "id"},
		"nothing where a segment is":   {id(""), "id"},
		"a line break in the path":     {id("1\r\nX-Admin: 1"), "id"},
		"a NUL in the path":            {id("1\x00.json"), "id"},
		"an escape sequence":           {id("1\x1b[2J"), "id"},
		"a path without an end":        {id(strings.Repeat("a", 1<<20)), ""},
		"a header smuggled in":         {trace("1\r\nAuthorization: Bearer x"), "trace"},
		"half a line break":            {trace("1\nX: y"), "trace"},
		"a NUL in a header":            {trace("a\x00b"), "trace"},
		"a header without an end":      {trace(strings.Repeat("a", 100<<10)), "trace"},
		"an object where text belongs": {`{"id":{"$ne":null}}`, "id"},
		"another header":               {`{"id":"1","X-Fixed":"mine"}`, "X-Fixed"},
		"a prototype":                  {`{"id":"1","__proto__":{"admin":true}}`, "__proto__"},
		"a member twice":               {`{"id":"1","id":"../2"}`, ""},
		"a member twice, escaped":      {`{"id":"1","\u0069d":"../2"}`, ""},
		"10 MiB of text":               {`{"id":"1","note":` + quoted(strings.Repeat("n", 10<<20)) + `}`, ""},
		"10 MiB of white space":        {`{"id":"1"` + strings.Repeat(" ", 10<<20) + `}`, ""},
		"deep lists":                   {`{"id":"1","tree":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, ""},
		"deep objects":                 {`{"id":"1","tree":` + strings.Repeat(`{"a":`, 30_000) + "1" + strings.Repeat("}", 30_000) + `}`, ""},
		"deep and without an end":      {`{"id":"1","tree":` + strings.Repeat("[", 200_000), ""},
		"a half of a pair":             {`{"id":"\ud800"}`, ""},
		"behind the end":               {`{"id":"1"} {"id":"2"}`, ""},
		"no object":                    {`["../.."]`, ""},
		"a comment":                    {`{"id":"1" /* .. */, "count": x}`, ""},
		"no number":                    {`{"id":"1","count":NaN}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, hostileCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				e := wantError(t, g.Call(t, "r", "place", c.arguments), invalid, "")
				if up.Count() != 0 {
					t.Errorf("it reached the upstream: %+v", up.Requests())
				}
				named := ""
				for _, violation := range e.GetViolations() {
					named += " " + violation.GetField()
				}
				if len(e.GetViolations()) == 0 || c.field != "" && !strings.Contains(named, c.field) {
					t.Errorf("names%s in %v", named, e)
				}
				if e.GetMessage() == "" || len(e.GetObservation()) > 1024 || strings.Contains(e.GetObservation(), "\x1b") {
					t.Errorf("shows the model %q", e.GetObservation())
				}
			})
		})
	}
}

// What only looks hostile is data, and stays in its place.
func TestOddArgumentsStayInTheirPlace(t *testing.T) {
	for name, c := range map[string]struct{ arguments, path, query, body string }{
		"slashes":       {`{"id":"a/../b"}`, "", "", ""},
		"a query":       {`{"id":"1?admin=1&x=#y"}`, "/v1/things/1%3Fadmin%3D1%26x%3D%23y/parts", "", "{}"},
		"a template":    {`{"id":"{view}","view":"{{7*7}}${jndi:ldap://x}"}`, "/v1/things/%7Bview%7D/parts", "view=%7B%7B7%2A7%7D%7D%24%7Bjndi%3Aldap%3A%2F%2Fx%7D", "{}"},
		"another host":  {`{"id":"@evil.test:80"}`, "/v1/things/%40evil.test%3A80/parts", "", "{}"},
		"parameters":    {`{"id":"1","filter":"a&admin=1","view":"x&y=z"}`, "/v1/things/1/parts", "view=x%26y%3Dz&filter=a%26admin%3D1", "{}"},
		"right to left": {`{"id":"1","note":"\u202egnp.exe"}`, "/v1/things/1/parts", "", `{"note":"\u202egnp.exe"}`},
		"SQL":           {`{"id":"1","note":"'; DROP TABLE x; --"}`, "/v1/things/1/parts", "", `{"note":"'; DROP TABLE x; --"}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, hostileCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				resp := g.Call(t, "r", "place", c.arguments)
				if c.path == "" {
					wantError(t, resp, invalid, "")
					return
				}
				if up.Count() != 1 {
					t.Fatalf("got %v", resp)
				}
				if got := up.Requests()[0]; got.Path != c.path || got.Query != c.query || got.Body != c.body || got.Header.Get("X-Fixed") != "gateway" {
					t.Errorf("sent %s?%s %s", got.Path, got.Query, got.Body)
				}
			})
		})
	}
}
