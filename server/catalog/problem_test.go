package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
)

// problemsOf lists what is wrong as `line:column path: message`.
func problemsOf(t testing.TB, yaml string, options ...catalog.Option) catalog.Problems {
	t.Helper()
	_, err := catalog.Parse("c.yaml", []byte(yaml), options...)
	if err == nil {
		return nil
	}
	var problems catalog.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %T: %v", err, err)
	}
	for _, p := range problems {
		if p.File != "c.yaml" || p.Line < 1 || p.Column < 1 || p.Message == "" {
			t.Errorf("a problem without a place or a word: %+v", p)
		}
		if !strings.HasPrefix(p.String(), fmt.Sprintf("c.yaml:%d:%d: ", p.Line, p.Column)) {
			t.Errorf("the text names no place: %s", p)
		}
	}
	return problems
}

func TestEveryFaultOfAFileIsToldAtItsPlace(t *testing.T) {
	const yaml = `upstreams:
  bank: {url: "ftp://bank.example.com", secret_headers: {Authorization: {from: "tok-plain-9f3"}}}
  crm:
    url: https://crm.example.com
    heders: {A: b}
defaults:
  max_attempts: 11
  backoff: fast
tools:
  - name: pay
    upstream: bnak
    http:
      methd: POST
      url: /pay/{acount}
    efect: write
    input_schema: {type: object, properties: {account: {type: string}}}
    errors:
      - when: status == 402 &&
        class: terminol
      - when: |
          status == 200
            && boddy.x
        class: terminal
        unblock_with: depositt
  - name: deposit
    upstream: crm
    http: {method: GET, url: "/deposit/{acount}"}
    effect: raed
    input_schema: {type: object, properties: {account: {type: string}}}
    poll: yes please
    policy: {attempt_timeout: 20, max_wait: 2m, rejection_cap: [3]}
  - name: deposit
    description: again
    http: GET /x
  - name: nowhere
    fallbacks: [{tool: pay, arguments: {account: 7}}]
`
	var got []string
	for _, p := range problemsOf(t, yaml) {
		got = append(got, fmt.Sprintf("%d:%d %s [%s] %s", p.Line, p.Column, p.Path, p.Suggestion, p.Message))
	}
	want := []string{
		`2:15 upstreams.bank.url [] the URL is neither http nor https`,
		`2:80 upstreams.bank.secret_headers.Authorization.from [] a secret stands nowhere in the file`,
		`5:5 upstreams.crm [headers] unknown key "heders"`,
		`7:17 defaults.max_attempts [] 11 is out of range`,
		`8:12 defaults.backoff [] "fast" is no duration`,
		`11:15 tools[0].upstream [bank] no upstream is named "bnak"`,
		`13:7 tools[0].http [method] unknown key "methd"`,
		`15:5 tools[0] [effect] unknown key "efect"`,
		`18:31 tools[0].errors[0].when [] Syntax error: the expression ends too early`,
		`19:16 tools[0].errors[0].class [terminal] "terminol" is not accepted here`,
		`22:16 tools[0].errors[1].when [] undeclared reference to 'boddy'`,
		`24:23 tools[0].errors[1].unblock_with [] unblock_with needs`,
		`24:23 tools[0].errors[1].unblock_with [deposit] no tool is named "depositt"`,
		`27:30 tools[1].http.url [] {acount} is no argument of the tool`,
		`28:13 tools[1].effect [read] "raed" is not accepted here`,
		`30:11 tools[1].poll [] "yes please" is not accepted here`,
		`31:31 tools[1].policy.attempt_timeout [] "20" is no duration`,
		`31:45 tools[1].policy.max_wait [] 2m0s leaves no time`,
		`31:64 tools[1].policy.rejection_cap [] a list where a number belongs`,
		`32:11 tools[2].name [] the tool "deposit" stands here twice`,
		`34:11 tools[2].http [] a single value where a mapping belongs`,
		`35:5 tools[3] [] the tool goes nowhere`,
		`36:17 tools[3].fallbacks[0].label [] the label is missing`,
		`36:40 tools[3].fallbacks[0].arguments [] the schema of pay takes these arguments only with "account" changed`,
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s", want[i])
		case i >= len(want) || !strings.HasPrefix(got[i], want[i]):
			t.Errorf("%2d: got  %s\n    want %s", i, got[i], append(want, "nothing more")[min(i, len(want))])
		}
	}
}

func TestNoProblemRepeatsASecret(t *testing.T) {
	folder := t.TempDir()
	large, empty := filepath.Join(folder, "large"), filepath.Join(folder, "empty")
	for name, content := range map[string]string{large: strings.Repeat("hunter2", 20000), empty: "\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("BROKEN", "hunter2\nx")
	for from, want := range map[string]string{
		"hunter2": "stands nowhere in the file", "env:": "stands nowhere", "env:NOT SET hunter2": "stands nowhere", "vault:hunter2": "stands nowhere",
		"env:TOOLGATE_TEST_UNSET": "TOOLGATE_TEST_UNSET is not set", "file:/does/not/exist": "can't be read", "file:": "stands nowhere",
		"file:" + large: "larger than", "file:" + empty: "empty", "env:BROKEN": "line break",
	} {
		problems := problemsOf(t, fmt.Sprintf(`tools: [{name: a, http: {method: GET, url: "https://example.com", secret_headers: {X-Key: {from: %q}}}}]`, from))
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) || strings.Contains(problems.Error(), "hunter2") {
			t.Errorf("%s: got %v", from, problems)
		}
		if len(problems) == 1 && !strings.Contains(problems[0].Path, "secret_headers.X-Key") {
			t.Errorf("%s: at %s", from, problems[0].Path)
		}
	}
}

func TestWhatIsNoCatalogueIsRefused(t *testing.T) {
	deep := strings.Repeat("- ", 3000)
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for name, c := range map[string]struct{ yaml, want string }{
		"nothing":             {"", "1:1 tools: the catalogue has no tools"},
		"a comment":           {"# later\n", "1:1 tools: the catalogue has no tools"},
		"no tools":            {"tools: []", "1:8 tools: the catalogue has no tools"},
		"a list":              {"- a", "1:1 : a list where a mapping belongs"},
		"a word":              {"hello", "1:1 : a single value where a mapping belongs"},
		"broken YAML":         {"tools:\n  - name: 'a\n", ""},
		"a tab":               {"tools:\n\t- name: a\n", "2:1 : found character that cannot start any token"},
		"two documents":       {"tools: []\n---\ntools: []\n", "2:1 : a second document"},
		"a key twice":         {"tools: []\ntools: []\n", "2:1 : the key \"tools\" stands here twice"},
		"both spellings":      {"contract_in_descriptions: true\ncontractInDescriptions: true\n", "2:1 : the key \"contract_in_descriptions\" stands here twice"},
		"a field's number":    {"3: []\n", "1:1 : unknown key \"3\""},
		"an odd line break":   {"tools: []\u2028", "1:10 : a line break that only YAML knows"},
		"a circle":            {"tools: &t [*t]", "1:12 : the alias *t stands within its own anchor"},
		"a bomb":              {bomb, "aliases make too much"},
		"a merge of a word":   {"tools: [{<<: x}]", "1:14 : what << names is no mapping"},
		"deep":                {"tools:\n" + deep, ""},
		"two back ends":       {"tools: [{name: a, http: {method: GET, url: 'https://x.org'}, function: {}}]", "1:62 tools[0]: http and function exclude each other"},
		"no function":         {"tools: [{name: a, function: }]", "tools[0].function: no Go function is registered as \"a\""},
		"a schema of numbers": {"tools: [{name: a, function: {}, input_schema: {maximum: .inf}}]", "1:57 tools[0].input_schema: \".inf\" is no JSON number"},
		"no schema":           {"tools: [{name: a, http: {method: GET, url: 'https://x.org'}, input_schema: 'objekt'}]", "tools[0].input_schema:"},
		"a schema of a list":  {"tools: [{name: a, http: {method: GET, url: 'https://x.org'}, input_schema: []}]", "tools[0].input_schema: a list where a mapping belongs"},
		"a reserved name":     {"tools: [{name: unknown_tool, http: {method: GET, url: 'https://x.org'}}]", "tools[0].name: unknown_tool is what"},
		"a long name":         {"tools: [{name: " + strings.Repeat("a", 65) + ", http: {method: GET, url: 'https://x.org'}}]", "is no name of a tool"},
		"a long description":  {"tools: [{name: a, description: " + strings.Repeat("a", 1025) + ", http: {method: GET, url: 'https://x.org'}}]", "1025 bytes are too long"},
		"a write to narrow":   {"tools: [{name: a, narrow: n, http: {method: POST, url: 'https://x.org'}}]", "only a read"},
		"a pointer":           {"tools: [{name: a, result: {items: data}, http: {method: GET, url: 'https://x.org'}}]", "tools[0].result.items: \"data\" is no JSON Pointer"},
		"another host":        {"upstreams: {u: {url: 'https://x.org'}}\ntools: [{name: a, upstream: u, http: {method: GET, url: 'https://y.org/a'}}]", "another host"},
		"a path alone":        {"tools: [{name: a, http: {method: GET, url: /a}}]", "a path needs an upstream with a URL"},
		"a verifying write": {"tools: [{name: a, verify_with: {tool: a}, http: {method: POST, url: 'https://x.org'}}, {name: b, verify_with: {tool: a}, http: {method: POST, url: 'https://x.org'}}]",
			"tools[0].verify_with.tool: the tool names itself"},
		"a lookup that writes": {"tools: [{name: a, alternatives: {tool: b, arguments: '{}', items: '[]'}, http: {method: GET, url: 'https://x.org'}}, {name: b, http: {method: POST, url: 'https://x.org'}}]",
			"tools[0].alternatives.tool: b is no read"},
		"a rule's argument": {"tools: [{name: a, input_schema: {properties: {amount: {}}}, errors: [{when: 'true', class: terminal, field: amout}], http: {method: GET, url: 'https://x.org'}}]",
			"tools[0].errors[0].field: \"amout\" is no argument of the tool; did you mean amount?"},
	} {
		var said []string
		for _, p := range problemsOf(t, c.yaml) {
			text := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, p.Path, p.Message)
			if p.Suggestion != "" {
				text += "; did you mean " + p.Suggestion + "?"
			}
			said = append(said, text)
		}
		if len(said) == 0 || !strings.Contains(strings.Join(said, "\n"), c.want) {
			t.Errorf("%s: got %q, want %q", name, said, c.want)
		}
	}
}

func FuzzNoFileBreaksTheLoader(f *testing.F) {
	example, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, seed := range []string{"a: &a [*a]\n", "tools:\n- {name: 1, http: ~}\n", "? {a: b}\n: c\n", "tools: !!str x\r\n", "<<: {tools: []}", "!!binary x: y", "tools: [{input_schema: {a: 0x1F, b: +1_0, c: .5}}]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tools, err := catalog.Parse("c.yaml", data, catalog.WithFunction("upper", upper),
			catalog.WithSecrets(func(string) (string, error) { return "s3cret-value", nil }))
		if err != nil {
			var problems catalog.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("no problem but an error: %v", err)
			}
			for _, p := range problems {
				if p.Line < 1 || p.Column < 1 {
					t.Fatalf("no place: %+v", p)
				}
			}
			return
		}
		for _, tool := range tools.Tools() {
			if tool.Backend == nil || tool.Schema == nil || tool.Name == "" {
				t.Fatalf("half a tool: %+v", tool)
			}
		}
	})
}
