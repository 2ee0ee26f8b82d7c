package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestOnlyOpenAPI3IsRead(t *testing.T) {
	for text, reason := range map[string]string{
		``:                                 "nothing",
		`hello`:                            "no mapping",
		`{"openapi":`:                      "neither JSON nor YAML",
		`{"swagger":"2.0"}`:                "Swagger 2.0",
		`{"openapi":"2.0.0"}`:              "version",
		`{"info":{}}`:                      "no OpenAPI document",
		`openapi: [3.0.0]`:                 "no OpenAPI document",
		"openapi: 3.0.0\npaths: &a [*a]":   "",
		`{"openapi":"3.0.3"}`:              "",
		`{"openapi":"3.1.0","paths":null}`: "",
		`{"openapi":"3.2.0","paths":{}}`:   "",
		"\xEF\xBB\xBFopenapi: 3.1.1":       "",
		"openapi: 3.0.0\r\npaths: {}\r\n":  "",
	} {
		_, err := Read([]byte(text))
		if reason == "" != (err == nil) && !strings.Contains(text, "*a") || err != nil && reason != "" && !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestADocumentIsTheSameInJSONAndYAML(t *testing.T) {
	const yaml = `
openapi: 3.0.3
x-numbers: [1.50, 0x1F, .5, 1_000, +7, -0.0, 1e3, .inf]
x-texts: [yes, 2026-03-14, "7", ~, 'null', on]
x-merged: {<<: {a: 1, b: 2}, a: 3}
x-anchor: &one {c: [1, 2]}
x-alias: *one
paths: {}
`
	const want = `{"openapi":"3.0.3","x-numbers":[1.50,31,0.5,1000,7,-0.0,1e3,".inf"],"x-texts":["yes","2026-03-14","7",null,"null","on"],"x-merged":{"a":3,"b":2},"x-anchor":{"c":[1,2]},"x-alias":{"c":[1,2]},"paths":{}}`
	if got := string(read(t, yaml).root.json); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestAHostileDocumentIsRefusedInItsOwnWords(t *testing.T) {
	bomb := "openapi: 3.0.0\na: &a [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for i := range 12 {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", 'a'+i), 10), ", "))
	}
	for name, c := range map[string]struct{ text, reason string }{
		"aliases of aliases":     {bomb, "aliases make more than"},
		"an alias within itself": {"openapi: 3.0.0\na: &a {b: *a}", "within itself"},
		"deep nesting in YAML":   {"openapi: 3.0.0\na: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "nested deeper"},
		"a key that is a list":   {"openapi: 3.0.0\n? [a]\n: b", "no text"},
		"too many bytes":         {strings.Repeat(" ", MaxBytes+1), "too many"},
	} {
		_, err := Read([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schema that multiplies itself, in depth or in width, costs what its limit costs.
func TestASchemaThatExplodesIsCut(t *testing.T) {
	var schemas []string
	for i := range 30 {
		schemas = append(schemas, fmt.Sprintf(`"S%d":{"allOf":[{"$ref":"#/components/schemas/S%d"},{"$ref":"#/components/schemas/S%d"}],"properties":{"p":{"$ref":"#/components/schemas/S%d"},"q":{"anyOf":[{"$ref":"#/components/schemas/S%d"},{"$ref":"#/components/schemas/S%d"}]}}}`,
			i, (i+1)%30, (i+2)%30, (i+1)%30, (i+3)%30, (i+4)%30))
	}
	deep := strings.Repeat(`{"type":"array","items":`, 3000) + `{}` + strings.Repeat(`}`, 3000)
	text := `{"openapi":"3.0.3","components":{"schemas":{"Deep":` + deep + `,` + strings.Join(schemas, ",") + `}},"paths":{"/x":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/S0"},"b":{"$ref":"#/components/schemas/Deep"}}}}}}}}}}`
	found := describeAll(t, read(t, text), Settings{})
	if len(found.Tools) != 1 || !found.Tools[0].Cut || len(found.Tools[0].Tool.GetInputSchema()) > DefaultSchemaBytes {
		t.Errorf("%+v", found)
	}
}

func TestReferencesLeadToOtherFilesOfTheFolder(t *testing.T) {
	files := map[string]string{
		"parts/params.yaml": "Limit: {name: limit, in: query, schema: {$ref: '../schemas.json#/Count'}}",
		"schemas.json":      `{"Count":{"type":"integer","maximum":9},"Whole":{"$ref":"#/Count"}}`,
		"item.yaml":         "get: {operationId: listed, parameters: [{$ref: 'parts/params.yaml#/Limit'}]}",
	}
	var opened []string
	open := func(path string) ([]byte, error) {
		opened = append(opened, path)
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	}
	d := read(t, "openapi: 3.0.3\npaths: {/x: {$ref: item.yaml}, /y: {$ref: none.yaml}, /z: {$ref: ../item.yaml}, /q: {$ref: /etc/passwd}}", WithFiles(open))
	found := describeAll(t, d, Settings{})
	if len(found.Tools) != 1 || len(found.LeftOut) != 3 {
		t.Fatalf("%+v", found)
	}
	same(t, "the argument", propertyOf(t, found.Tools[0].Tool.GetInputSchema(), "limit"), `{"type":"integer","maximum":9}`)
	slices.Sort(opened)
	if !slices.Equal(opened, []string{"item.yaml", "none.yaml", "parts/params.yaml", "schemas.json"}) {
		t.Errorf("opened %v", opened)
	}
}

func TestDescriptionsAreShortAndPlain(t *testing.T) {
	for _, c := range []struct{ summary, description, want string }{
		{"List pets", "", "List pets"},
		{"", "<p>Returns a list of your <code>pets</code>.</p>\n\n<p>They are sorted.</p>", "Returns a list of your pets."},
		{"List pets", "Lists all pets.", "List pets"},
		{"List pets", "Those of other people are left out. And more.", "List pets. Those of other people are left out."},
		{"", "**Note:** see [the guide](https://example.com/a_(b)) for `x_y`, e.g. this one. More.", "Note: see the guide for x_y, e.g. this one."},
		{"", "# Title\n\n- *one* &amp; two\n", "Title - one & two"},
		{"", "```json\n{\"a\": 1}\n```\nDoes it.", "Does it."},
		{"", "", ""},
		{"a < b", "", "a < b"},
		{"Set snake_case_names and 2*3*4", "", "Set snake_case_names and 2*3*4"},
	} {
		if got := describe(c.summary, c.description); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.summary, c.description, got, c.want)
		}
	}
	if got := describe("", strings.Repeat("wörd ", 500)); len(got) > 1024 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestServersHaveTheirVariablesPutIn(t *testing.T) {
	for servers, want := range map[string]string{
		`[]`: "",
		`[{"url":"https://api.example.com/v1/"}]`: "https://api.example.com/v1",
		`[{"url":"https://{region}.example.com:{port}","variables":{"region":{"default":"eu"},"port":{"enum":["8443"]}}}]`: "https://eu.example.com:8443",
		`[{"url":"/v1"},{"url":"https://example.com"}]`:                                                                    "/v1",
		`[{"url":"https://{gone}.example.com"}]`:                                                                           "https://{gone}.example.com",
	} {
		if got := read(t, `{"openapi":"3.0.0","servers":`+servers+`}`).Server(); got != want {
			t.Errorf("%s: %s", servers, got)
		}
	}
}

func TestSecuritySchemesSayWhereTheirSecretGoes(t *testing.T) {
	d := read(t, `
openapi: 3.1.0
security: [{key: []}, {a: [], basic: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    asked: {type: apiKey, in: query, name: key}
    session: {type: apiKey, in: cookie, name: sid}
    bearer: {type: http, scheme: Bearer}
    basic: {type: http, scheme: basic}
    digest: {type: http, scheme: digest}
    oauth: {type: oauth2, flows: {}}
    tls: {type: mutualTLS}
paths:
  /a: {get: {parameters: [{name: x-key, in: header, schema: {type: string}}, {name: key, in: query, schema: {type: string}}]}}
  /b: {get: {security: []}}
  /c: {get: {security: [{}, {bearer: []}]}}
`)
	var got []string
	for _, s := range d.Schemes() {
		got = append(got, fmt.Sprintf("%s %s %s %q", s.Name, s.In, s.Parameter, s.Prefix))
	}
	want := []string{
		`key header X-Key ""`, `asked query key ""`, `session cookie sid "sid="`, `bearer header Authorization "Bearer "`,
		`basic header Authorization "Basic "`, `digest   ""`, `oauth header Authorization "Bearer "`, `tls   ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	found := describeAll(t, d, Settings{}).Tools
	if needs := fmt.Sprint(found[0].Needs, found[1].Needs, found[2].Needs); needs != "[[key] [a basic]] [] [[] [bearer]]" {
		t.Error(needs)
	}
	if len(found[0].Tool.GetHttp().GetArguments()) != 0 || strings.Contains(found[0].Tool.GetInputSchema(), "key") {
		t.Errorf("a model is asked for a key: %s", found[0].Tool.GetInputSchema())
	}
}

func TestHintsOfADocumentAreTaken(t *testing.T) {
	found := only(t, read(t, `
openapi: 3.1.0
components: {schemas: {E: {type: object, properties: {code: {type: string, enum: [no_funds, card_expired]}, message: {type: string}}}}}
paths:
  /search:
    post:
      operationId: search
      x-toolgate-effect: read
      x-toolgate: {narrow: since, policy: {call_deadline: 5s}, errors: [{when: status == 418, class: terminal}]}
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {since: {type: string}}}}}}
      responses:
        "200": {description: Found}
        "409": {description: Taken, x-toolgate-error: {class: terminal, code: taken, executed: "no"}}
        "5XX": {description: Down, x-toolgate-error: [{class: transient, when: "body.busy == true"}]}
        "402": {description: Pay, content: {application/json: {schema: {type: object, properties: {error: {$ref: "#/components/schemas/E"}}}}}}
        default: {description: Else}
`))
	tool := found.Tool
	if tool.GetEffect().String() != "EFFECT_READ" || tool.GetNarrow() != "since" || tool.GetPolicy().GetCallDeadline().AsDuration().Seconds() != 5 || tool.GetIdempotencyKey() == nil {
		t.Errorf("%v", tool)
	}
	var rules []string
	for _, rule := range tool.GetErrors() {
		rules = append(rules, fmt.Sprintf("%s: %s %s %s", rule.GetWhen(), rule.GetClass(), rule.GetCode(), rule.GetExecuted()))
	}
	want := []string{
		"status == 418: CLASS_TERMINAL  EXECUTED_UNSPECIFIED", "status == 409: CLASS_TERMINAL taken EXECUTED_NO",
		"status >= 500 && status <= 599 && (body.busy == true): CLASS_TRANSIENT  EXECUTED_UNSPECIFIED",
	}
	if !slices.Equal(rules, want) || !slices.Equal(found.Undecided, []string{"402 (no_funds, card_expired)"}) {
		t.Errorf("\n got %q\nwant %q, undecided %v", rules, want, found.Undecided)
	}
	if strings.Contains(tool.GetInputSchema(), "Idempotency") {
		t.Error("the key is an argument")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(operationOf("post", "/x/{id}", `,"parameters":[{"name":"a","in":"query","style":"deepObject","schema":{"type":"array"}}],"requestBody":{"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/paths"}]}}}},"x-toolgate":{"effect":"read"}`)))
	f.Add([]byte("openapi: 3.1.0\nx: &a {$ref: '#/x'}\npaths: {/a: {get: {parameters: [*a], security: [{k: []}], servers: [{url: '{x}'}]}}}"))
	f.Add([]byte(`{"openapi":"3.0.0","components":{"schemas":{"A":{"oneOf":[{"$ref":"#/components/schemas/A"}],"discriminator":{"propertyName":"k"}}}},"paths":{"/x":{"put":{"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(data)
		if err != nil {
			return
		}
		d.Schemes()
		found, err := d.Describe(Settings{MaxSchemaBytes: 2048})
		if err != nil {
			return
		}
		for _, described := range found.Tools {
			if name := described.Tool.GetName(); name == "" || len(name) > maxNameBytes || clean(name, maxNameBytes) != name {
				t.Errorf("the name %q", name)
			}
			if len(described.Tool.GetDescription()) > maxDescriptionBytes || !jsonObject(described.Tool.GetInputSchema()) {
				t.Errorf("%v", described.Tool)
			}
		}
	})
}

// What refers to much costs no more than a document may cost, however often it does.
func TestADocumentThatTakesTooMuchIsDescribedInPart(t *testing.T) {
	large := `{"name":"a","in":"query","description":"` + strings.Repeat("word ", 400_000) + `","schema":{"type":"string"}}`
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf(`"/x%d":{"get":{"parameters":[{"$ref":"#/components/parameters/A"}]}}`, i))
	}
	found := describeAll(t, read(t, `{"openapi":"3.0.0","components":{"parameters":{"A":`+large+`}},"paths":{`+strings.Join(paths, ",")+`}}`), Settings{})
	if len(found.Tools) == 0 || len(found.LeftOut) == 0 || len(found.Tools)+len(found.LeftOut) != 1000 || !strings.Contains(found.LeftOut[0].Reason, "too much") {
		t.Errorf("%d tools, %d left out", len(found.Tools), len(found.LeftOut))
	}
}
