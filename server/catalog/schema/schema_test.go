package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/schema"
)

const root = "../../../"

var update = flag.Bool("update", false, "write the schema where it is committed")

// copies are where the schema stands: what the program prints, and what editors
// are pointed at.
var copies = []string{"catalog.schema.json", root + "docs/catalog.schema.json"}

func generate(t testing.TB) []byte {
	t.Helper()
	text, err := schema.Generate(os.DirFS(root + "proto/toolgate/catalog/v1"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheCommittedSchemaIsTheOneOfTheProtos(t *testing.T) {
	committed(t, generate(t), copies...)
	access, err := schema.GenerateAccess(os.DirFS(root + "proto/toolgate/access/v1"))
	if err != nil {
		t.Fatal(err)
	}
	committed(t, access, "access.schema.json", root+"docs/access.schema.json")
}

func committed(t *testing.T, want []byte, names ...string) {
	t.Helper()
	for _, name := range names {
		if *update {
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the protos say (%v): run make generate", name, err)
		}
	}
}

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return compiledOf(t, schema.JSON())
}

func compiledOf(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("catalog.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// document reads YAML as an editor does: merge keys and aliases are put in, a
// date is text.
func document(t testing.TB, text string) any {
	t.Helper()
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(tree.Content) == 0 {
		return map[string]any{}
	}
	return value(t, tree.Content[0])
}

func value(t testing.TB, node *yaml.Node) any {
	t.Helper()
	switch node.Kind {
	case yaml.AliasNode:
		return value(t, node.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range node.Content {
			list = append(list, value(t, item))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i < len(node.Content); i += 2 {
			if node.Content[i].ShortTag() == "!!merge" {
				for name, member := range value(t, node.Content[i+1]).(map[string]any) {
					if _, own := object[name]; !own {
						object[name] = member
					}
				}
				continue
			}
			object[node.Content[i].Value] = value(t, node.Content[i+1])
		}
		return object
	}
	if node.ShortTag() == "!!timestamp" {
		return node.Value
	}
	var scalar any
	if err := node.Decode(&scalar); err != nil {
		t.Fatal(err)
	}
	switch scalar := scalar.(type) {
	case int:
		return json.Number(node.Value)
	case float64:
		return scalar
	}
	return scalar
}

// loads is the loader's word; only what it says of the file's form counts here.
func loads(text string) (bool, string) {
	reading, err := catalog.Read("c.yaml", []byte(text), catalog.Alone())
	if err != nil || len(reading.Problems) > 0 {
		return false, reading.Problems.Error()
	}
	reading.Catalog.Close()
	return true, ""
}

// catalogues are those of the project, by name.
func catalogues(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"examples/catalog.yaml", "examples/embed/tools.yaml", "server/catalog/testdata/example.yaml"} {
		all[name] = read(t, name)
	}
	for _, page := range []string{"README.md", "docs/catalog.md", "docs/lint.md"} {
		for i, part := range strings.Split(read(t, page), "```yaml\n")[1:] {
			block, _, _ := strings.Cut(part, "```")
			all[page+" "+string(rune('1'+i))] = block
		}
	}
	if len(all) < 8 {
		t.Fatalf("found only %d catalogues", len(all))
	}
	return all
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheCataloguesOfTheProjectAreValid(t *testing.T) {
	valid := compiled(t)
	for name, text := range catalogues(t) {
		if err := valid.Validate(document(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With any key misspelt the loader and the schema are of one mind.
func TestAMisspeltKeyIsSeenWhereTheLoaderSeesIt(t *testing.T) {
	valid := compiled(t)
	text := read(t, "server/catalog/testdata/example.yaml")
	seen := 0
	for i, line := range strings.Split(text, "\n") {
		at := strings.Index(line, ":")
		if at < 2 || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		lines := strings.Split(text, "\n")
		lines[i] = line[:at-1] + "q" + line[at:]
		changed := strings.Join(lines, "\n")
		ok, why := loads(changed)
		if err := valid.Validate(document(t, changed)); !ok && strings.Contains(why, "unknown key") && err == nil {
			t.Errorf("line %d, %q: the loader says %s", i+1, lines[i], why)
		} else if ok && err != nil {
			t.Errorf("line %d, %q: the loader takes it: %v", i+1, lines[i], err)
		} else if err != nil {
			seen++
		}
	}
	if seen < 40 {
		t.Errorf("only %d typos were seen", seen)
	}
}

// around is a catalogue with one thing in it, `%s`.
const around = `upstreams:
  shop: {url: "https://shop.example.com", UPSTREAM}
defaults: {DEFAULTS}
tools:
  - name: other
    effect: read
    http: {method: GET, url: "https://example.com/other"}
  - name: tool
    http: {method: POST, url: "https://example.com/x", HTTP}
    errors: [{when: status == 404, class: terminal, RULE}]
    TOOL: null
`

func with(place, text string) string {
	all := around
	for _, name := range []string{"UPSTREAM", "DEFAULTS", "HTTP", "RULE"} {
		put := ""
		if name == place {
			put = text
		}
		all = strings.Replace(all, name, put, 1)
	}
	if place == "TOOL" {
		return strings.Replace(all, "    TOOL: null", "    "+text, 1)
	}
	return strings.Replace(all, "    TOOL: null\n", "", 1)
}

// What the schema says of values the loader says, too.
func TestValuesAreTakenWhereTheLoaderTakesThem(t *testing.T) {
	valid := compiled(t)
	for _, tc := range []struct {
		place, text string
		ok          bool
	}{
		{"TOOL", "effect: read", true},
		{"TOOL", "effect: raed", false},
		{"TOOL", "effect: unspecified", false},
		{"TOOL", "poll: true", true},
		{"TOOL", "poll: sometimes", false},
		{"TOOL", "idempotency_key: {}", true},
		{"TOOL", "idempotency_key:", true},
		{"TOOL", "idempotency_key: {in: header, name: X-Key}", true},
		{"TOOL", "idempotency_key: {in: url}", false},
		{"TOOL", "function: {}", false}, // beside http
		{"TOOL", "input_schema: {type: object, properties: {a: {type: string}}}", true},
		{"TOOL", `input_schema: '{"type":"object"}'`, true},
		{"TOOL", "input_schema: 5", false},
		{"TOOL", "input_schema: [1]", false},
		{"TOOL", "fallbacks: [{tool: other, label: Else., arguments: {a: 1}}]", true},
		{"TOOL", "fallbacks: [{tool: other}]", false},
		{"TOOL", "fallbacks: [{tool: other, label: A}, {tool: other, label: B}, {tool: other, label: C}, {tool: other, label: D}]", false},
		{"TOOL", "fallbacks: [{tool: other, label: " + strings.Repeat("x", 81) + "}]", false},
		{"TOOL", "fallbacks: {tool: other, label: A}", false},
		{"TOOL", "verify_with: {tool: other, executed: 'true'}", true},
		{"TOOL", "verify_with: {executed: 'true'}", false},
		{"TOOL", "alternatives: {tool: other, arguments: '{}', items: '[]', when: on_request}", true},
		{"TOOL", "alternatives: {tool: other, arguments: '{}'}", false},
		{"TOOL", "alternatives: {tool: other, arguments: '{}', items: '[]', when: sometimes}", false},
		{"TOOL", "result: {items: /data, matched: ''}", true},
		{"TOOL", "result: {items: data}", false},
		{"TOOL", "policy:", true},
		{"TOOL", "description: " + strings.Repeat("x", 1025), false},
		{"TOOL", "efect: read", false},
		{"DEFAULTS", "max_attempts: 10", true},
		{"DEFAULTS", "max_attempts: 11", false},
		{"DEFAULTS", "max_attempts: 0", false},
		{"DEFAULTS", "max_attempts: -1", false},
		{"DEFAULTS", "max_attempts: 2.5", false},
		{"DEFAULTS", "max_arguments_bytes: 0", false},
		{"DEFAULTS", "max_arguments_bytes: 3145729", false},
		{"DEFAULTS", "max_result_bytes: 3145728", true},
		{"DEFAULTS", "rejection_cap: 0", true},
		{"DEFAULTS", "retry_budget: 1.5", false},
		{"DEFAULTS", "retry_budget: 0.5", true},
		{"DEFAULTS", "retry_budget_floor: 1000001", false},
		{"DEFAULTS", "backoff: 250ms", true},
		{"DEFAULTS", "backoff: 1m30s", true},
		{"DEFAULTS", "backoff: 1.5s", true},
		{"DEFAULTS", "backoff: 250", false},
		{"DEFAULTS", "backoff: fast", false},
		{"DEFAULTS", "backoff: 1 s", false},
		{"DEFAULTS", "backoff: 1d", false},
		{"DEFAULTS", "queue_timeout: 0", true},
		{"DEFAULTS", "queue_timeout: 0s", true},
		{"UPSTREAM", "speaks: toolgate", true},
		{"UPSTREAM", "speaks: http", false},
		{"UPSTREAM", "headers: {X-Version: 2, X-On: true, X-A: b}", true},
		{"UPSTREAM", "headers: {X-A: [b]}", false},
		{"UPSTREAM", "http: {max_connections: 65535, http2: never, tls: {min_version: tls13}}", true},
		{"UPSTREAM", "http: {max_connections: 65536}", false},
		{"UPSTREAM", "http: {max_connections: 0}", false},
		{"UPSTREAM", "http: {http2: sometimes}", false},
		{"UPSTREAM", "http: {proxy: {url: direct}}", true},
		{"UPSTREAM", "http: {proxy: {url: 'socks5://127.0.0.1:1080'}}", true},
		{"UPSTREAM", "http: {proxy: {url: 'ftp://127.0.0.1'}}", false},
		{"UPSTREAM", "http: {proxy: {url: 'http://127.0.0.1:1', user: a, password: {from: hunter2}}}", false},
		{"UPSTREAM", "secret_headers: {X-Key: {from: 'env:KEY', prefix: 'Bearer '}}", true},
		{"UPSTREAM", "secret_headers: {X-Key: {from: hunter2}}", false},
		{"UPSTREAM", "secret_headers: {X-Key: {prefix: x}}", false},
		{"HTTP", "body: form", true},
		{"HTTP", "body: xml", false},
		{"HTTP", "arguments: {a: {in: query, name: b}}", true},
		{"HTTP", "arguments: {a: {name: b}}", false},
		{"HTTP", "arguments: {a: {in: path}}", false},
		{"RULE", "code: 404", true},
		{"RULE", "accepted: [a, 1, true]", true},
		{"RULE", "accepted: a", false},
		{"RULE", "executed: maybe", true},
		{"RULE", "scope: account", true},
		{"RULE", "scope: world", false},
		{"RULE", "blocked_by: x, unblock_with: other", true},
		{"RULE", "unblock_with: other", false},
		{"RULE", "code: " + strings.Repeat("x", 65), false},
		{"RULE", "message: " + strings.Repeat("x", 513), false},
		{"RULE", "facts: {a: /b}", true},
		{"RULE", "facts: [a]", false},
	} {
		text := with(tc.place, tc.text)
		ok, why := loads(text)
		err := valid.Validate(document(t, text))
		if ok != tc.ok {
			t.Errorf("%s: the loader takes it: %v %s", tc.text, ok, why)
		}
		if (err == nil) != tc.ok {
			t.Errorf("%s: the schema takes it: %v %v", tc.text, err == nil, err)
		}
	}
	for _, text := range []string{"tools: [{http: {method: GET, url: /x}}]", "tools: [{name: a}]", "tools: [{name: a b, function: {}}]", "tools: [{name: a, http: {url: /x}}]",
		"tools: [{name: a, http: {method: get, url: /x}}]", "tools: [{name: a, http: {method: GET, url: x}}]", "tools: [{name: a, function: {}, errors: [{class: terminal}]}]",
		"tools: [{name: a, function: {}, errors: [{when: 'true'}]}]", "tool: []", "upstreams: []", "upstreams: {a: {url: 'ftp://x'}}"} {
		ok, _ := loads(text)
		if err := valid.Validate(document(t, text)); ok || err == nil {
			t.Errorf("%s: the loader takes it %v, the schema %v", text, ok, err == nil)
		}
	}
}

// An editor shows what everything is.
func TestEverythingIsDescribed(t *testing.T) {
	var document map[string]any
	if err := json.Unmarshal(generate(t), &document); err != nil {
		t.Fatal(err)
	}
	properties, enums := 0, 0
	var visit func(path string, part any)
	visit = func(path string, part any) {
		object, ok := part.(map[string]any)
		if !ok {
			return
		}
		members, _ := object["properties"].(map[string]any)
		for name, property := range members {
			properties++
			if said, _ := property.(map[string]any)["description"].(string); len(said) < 5 || strings.Contains(said, "\n\n\n") {
				t.Errorf("%s.%s says %q", path, name, said)
			}
		}
		if values, ok := object["enum"].([]any); ok && object["enumDescriptions"] != nil {
			enums++
			if said, _ := object["enumDescriptions"].([]any); len(said) != len(values) {
				t.Errorf("%s has %d values and %d descriptions", path, len(values), len(said))
			}
		}
		for name, below := range object {
			visit(path+"."+name, below)
		}
	}
	visit("", document)
	if properties < 80 || enums < 7 {
		t.Errorf("only %d properties and %d enums", properties, enums)
	}
	effect := document["definitions"].(map[string]any)["Tool"].(map[string]any)["properties"].(map[string]any)["effect"].(map[string]any)
	if effect["enumDescriptions"].([]any)[0] != "Changes nothing: may be repeated freely." {
		t.Errorf("effect %v", effect)
	}
	policy := document["definitions"].(map[string]any)["Policy"].(map[string]any)["properties"].(map[string]any)
	for name, want := range map[string]any{"max_attempts": 5.0, "backoff": "1s", "retry_budget": 0.2, "rejection_memory": "10m"} {
		if got := policy[name].(map[string]any)["default"]; got != want {
			t.Errorf("the default of %s is %v, want %v", name, got, want)
		}
	}
}
