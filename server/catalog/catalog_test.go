package catalog_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

const token = "tok-5e2a91b0"

func upper(_ context.Context, arguments json.RawMessage) (any, error) {
	return strings.ToUpper(string(arguments)), nil
}

// loadExample loads testdata/example.yaml with what it needs around it.
func loadExample(t testing.TB, options ...catalog.Option) *catalog.Catalog {
	t.Helper()
	t.Setenv("BANK_TOKEN", token)
	folder := t.TempDir()
	text, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "catalog.yaml")
	for name, content := range map[string]string{path: string(text), filepath.Join(folder, "client.txt"): "client 7\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := catalog.Load(path, append([]catalog.Option{catalog.WithFunction("upper", upper)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	return tools
}

func lookup(t testing.TB, tools *catalog.Catalog, name string) *interceptors.Tool {
	t.Helper()
	tool, found := tools.Lookup(name)
	if !found {
		t.Fatalf("no tool %s", name)
	}
	return tool
}

func TestAFileBecomesTools(t *testing.T) {
	tools := loadExample(t)
	var names []string
	for _, tool := range tools.Tools() {
		names = append(names, tool.Name)
		if tool.Backend == nil || tool.Schema == nil || tool.Version == "" || tool.Upstream == "" || !json.Valid([]byte(tool.SchemaJSON)) {
			t.Errorf("%s is not whole: %+v", tool.Name, tool)
		}
	}
	if want := "book_slot find_slots get_transfer news request_deposit shout transfer_funds"; strings.Join(names, " ") != want {
		t.Errorf("tools %v, want %s", names, want)
	}
	transfer := lookup(t, tools, "transfer_funds")
	if transfer.Effect != toolgatev1.Effect_EFFECT_WRITE || !transfer.HasIdempotencyKey || transfer.Upstream != "bank" {
		t.Errorf("got %+v", transfer)
	}
	hint := transfer.Diagnosis
	if hint.Host != "bank.example.com" || hint.Provider != "acme_bank" || hint.Method != http.MethodPost || hint.SpeaksToolgate ||
		!slices.Equal(hint.Required, []string{"account", "amount", "reference"}) || !slices.Contains(hint.Secrets, token) ||
		!slices.Contains(hint.Secrets, "client 7") || !slices.Contains(hint.Secrets, "client+7") {
		t.Errorf("hint %+v", hint)
	}
	if len(transfer.Fallbacks) != 1 || transfer.Fallbacks[0].GetArgumentsJson() != `{"account":"7","amount":1.50}` {
		t.Errorf("fallbacks %v", transfer.Fallbacks)
	}
	if got := lookup(t, tools, "find_slots"); !got.Poll || got.Narrow != "limit" || !got.Reads() || !got.Diagnosis.SpeaksToolgate ||
		got.Results != (interceptors.ResultShape{Items: "/slots", Matched: "/total"}) {
		t.Errorf("find_slots %+v", got)
	}
	if got := lookup(t, tools, "news"); got.Upstream != "news.example.org:8443" || got.Diagnosis.Host != "news.example.org" || got.SchemaJSON != `{"type":"object"}` {
		t.Errorf("news %+v", got)
	}
	if got := lookup(t, tools, "request_deposit"); got.Effect != toolgatev1.Effect_EFFECT_IDEMPOTENT {
		t.Errorf("request_deposit %v", got.Effect)
	}
}

func TestASchemaKeepsItsDigitsAndItsOrder(t *testing.T) {
	const want = `{"type":"object","properties":{"account":{"type":"string"},"amount":{"type":"number","exclusiveMinimum":0,"maximum":12345678901234567890.10},` +
		`"reference":{"type":"string"},"trace":{"type":"string"}},"required":["account","amount","reference"],"additionalProperties":false}`
	if got := lookup(t, loadExample(t), "transfer_funds").SchemaJSON; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNumbersAreTheDefaultsUnderTheCataloguesUnderTheTools(t *testing.T) {
	tools := loadExample(t)
	want := interceptors.DefaultPolicy()
	want.MaxAttempts, want.Backoff, want.RejectionMemory = 3, 250*time.Millisecond, 5*time.Minute
	if got := lookup(t, tools, "news").Policy; got != want {
		t.Errorf("news: got %+v", got)
	}
	if got := tools.Unknown(); !got.Unknown || got.Policy != want || got.Name == "" || got.Version == "" {
		t.Errorf("unknown: got %+v", got)
	}
	want.MaxAttempts, want.CallDeadline, want.MaxWait = 2, 12*time.Second, 4*time.Second // a third: nobody wrote one
	if got := lookup(t, tools, "transfer_funds").Policy; got != want {
		t.Errorf("transfer_funds: got %+v", got)
	}
}

func TestRulesLookupAndVerificationWork(t *testing.T) {
	tools := loadExample(t)
	transfer := lookup(t, tools, "transfer_funds")
	verdict := transfer.Rules.Match(&interceptors.Reply{Status: 402, Body: []byte(`{"error":"insufficient_funds","balance":42.10}`)}, []byte(`{"amount":150.00}`))
	if verdict == nil || verdict.FactsJSON != `{"balance":42.10,"requested":150.00}` || verdict.UnblockWith != "request_deposit" {
		t.Errorf("verdict %+v", verdict)
	}
	verdict = transfer.Rules.Match(&interceptors.Reply{Status: 200, Body: []byte(`{"queued":7}`)}, nil)
	if verdict == nil || *verdict.RetryAfter != 7 || verdict.Executed != interceptors.ExecutedNo || verdict.Scope != interceptors.ScopeAccount {
		t.Errorf("verdict %+v", verdict)
	}
	if transfer.Verification.Tool != "get_transfer" || !slices.Equal(tools.VerifiesFor(lookup(t, tools, "get_transfer")), []*interceptors.Tool{transfer}) {
		t.Errorf("verification %+v", transfer.Verification)
	}
	found := &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `{"reference":"r1"}`}}
	if got := transfer.Verification.Settle(found, []byte(`{}`), []byte(`{"reference":"r1"}`)); got != interceptors.DidExecute {
		t.Errorf("settled %v", got)
	}
	if got := lookup(t, tools, "book_slot").Lookup; got.Tool != "find_slots" || got.When != interceptors.LookupAlways {
		t.Errorf("lookup %+v", got)
	}
	if got := lookup(t, tools, "news").Lookup; got.When != interceptors.LookupOnRequest {
		t.Errorf("a lookup at another upstream: %+v", got)
	}
	if len(tools.VerifiesFor(transfer)) != 0 {
		t.Error("a write verifies something")
	}
}

func TestAVersionChangesWithWhatItIsAbout(t *testing.T) {
	before, after := loadExample(t), loadExample(t)
	if before.Version() != after.Version() {
		t.Error("the same catalogue has two versions")
	}
	versions := func(change func(string) string, secret string) map[string]string {
		text, err := os.ReadFile("testdata/example.yaml")
		if err != nil {
			t.Fatal(err)
		}
		tools, err := catalog.Parse("x.yaml", []byte(change(string(text))), catalog.WithFunction("upper", upper),
			catalog.WithSecrets(func(string) (string, error) { return secret, nil }))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{"": tools.Version()}
		for _, tool := range tools.Tools() {
			found[tool.Name] = tool.Version
		}
		return found
	}
	same := func(s string) string { return s }
	base := versions(same, "one")
	for name, c := range map[string]struct {
		now  map[string]string
		want string
	}{
		"a description": {versions(func(s string) string { return strings.Replace(s, "Transfers money.", "Moves money.", 1) }, "one"), "transfer_funds"},
		"an upstream":   {versions(func(s string) string { return strings.Replace(s, "X-Team: core", "X-Team: edge", 1) }, "one"), "get_transfer request_deposit transfer_funds"},
		"a secret":      {versions(same, "two"), "get_transfer request_deposit transfer_funds"},
		"a default":     {versions(func(s string) string { return strings.Replace(s, "250ms", "300ms", 1) }, "one"), ""},
		"a comment":     {versions(func(s string) string { return "# more\n" + s }, "one"), ""},
	} {
		var changed []string
		for tool, version := range c.now {
			if version != base[tool] && tool != "" {
				changed = append(changed, tool)
			}
		}
		slices.Sort(changed)
		if got := strings.Join(changed, " "); got != c.want {
			t.Errorf("%s changed %q, want %q", name, got, c.want)
		}
		if moved := c.now[""] != base[""]; moved != (name != "a comment") {
			t.Errorf("%s: the catalogue's version changed: %v", name, moved)
		}
	}
}

func TestToolsCanBeWrittenInGo(t *testing.T) {
	tools, err := catalog.New(catalog.WithTool(&catalogv1.Tool{
		Name: "shout", Effect: catalogv1.Effect_EFFECT_READ,
		InputSchema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
	}, upper))
	if err != nil {
		t.Fatal(err)
	}
	tool := lookup(t, tools, "shout")
	reply := tool.Backend.Attempt(t.Context(), &interceptors.Call{Tool: tool, Arguments: tool.Schema.Check(`{"text":"x"}`)})
	if got := reply.Result.GetContent()[0].GetText().GetText(); got != `{"TEXT":"X"}` {
		t.Errorf("got %s", got)
	}
	if !tool.Diagnosis.SpeaksToolgate || tool.Upstream != "function/shout" {
		t.Errorf("got %+v", tool)
	}
	if upstreams := tools.Upstreams(); len(upstreams) != 1 || upstreams[0].Name != "function/shout" {
		t.Errorf("upstreams %+v", upstreams)
	}
	_, err = catalog.New(catalog.WithTool(&catalogv1.Tool{Name: "a b", VerifyWith: &catalogv1.Verification{Tool: "c"}}, upper))
	if err == nil || err.Error() != `tool a b.name: "a b" is no name of a tool; accepted: 1 to 64 of A-Z a-z 0-9 _ . -`+"\n"+
		`tool a b.verify_with.tool: no tool is named "c"; accepted: a tool of this catalogue` {
		t.Errorf("got %v", err)
	}
	if _, err := catalog.New(); err == nil {
		t.Error("an empty catalogue was accepted")
	}
}

func TestUpstreamsListTheirTools(t *testing.T) {
	var seen []string
	for _, u := range loadExample(t).Upstreams() {
		seen = append(seen, u.Name+"@"+u.Host+"="+strings.Join(u.Tools, ","))
	}
	want := "bank@bank.example.com=get_transfer,request_deposit,transfer_funds clinic@127.0.0.1=book_slot,find_slots function/shout@=shout news.example.org:8443@news.example.org=news"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestAnchorsAndMergesAreOrdinary(t *testing.T) {
	tools, err := catalog.Parse("x.yaml", []byte(`
defaults: &slow
  max_attempts: 2
  backoff: 2s
tools:
  - &base
    name: one
    http: &http {method: GET, url: "https://example.com/one"}
    effect: &e read
    input_schema: &schema {type: object, properties: {n: &n {type: integer, maximum: 1.0}}}
  - <<: *base
    name: two
    effect: *e
    http: {<<: *http, url: "https://example.com/two"}
    policy: {<<: *slow, backoff: 3s}
    input_schema: {type: object, properties: {n: *n, m: *n}}
`))
	if err != nil {
		t.Fatal(err)
	}
	two := lookup(t, tools, "two")
	if two.Policy.MaxAttempts != 2 || two.Policy.Backoff != 3*time.Second || !two.Reads() ||
		two.SchemaJSON != `{"type":"object","properties":{"n":{"type":"integer","maximum":1.0},"m":{"type":"integer","maximum":1.0}}}` {
		t.Errorf("got %+v", two)
	}
}

func TestTheJSONFormOfProtobufIsACatalogueToo(t *testing.T) {
	tools, err := catalog.Parse("x.json", []byte(`{"tools":[{"name":"a","http":{"method":"GET","url":"https://example.com/a","secretHeaders":{"X-Key":{"from":"env:K"}}},
		"effect":"EFFECT_WRITE","inputSchema":"{\"type\":\"object\",\"properties\":{\"n\":{\"maximum\":1.0}}}","policy":{"backoff":"0.250s","maxAttempts":2}}]}`),
		catalog.WithSecrets(func(string) (string, error) { return "s", nil }))
	if err != nil {
		t.Fatal(err)
	}
	tool := lookup(t, tools, "a")
	if tool.Effect != toolgatev1.Effect_EFFECT_WRITE || tool.Policy.Backoff != 250*time.Millisecond || tool.Policy.MaxAttempts != 2 ||
		tool.SchemaJSON != `{"type":"object","properties":{"n":{"maximum":1.0}}}` {
		t.Errorf("got %+v", tool)
	}
}

func TestScalarsOfASchemaAreReadAsYAMLReadsThem(t *testing.T) {
	for yaml, want := range map[string]string{
		"yes": `"yes"`, "no": `"no"`, "on": `"on"`, "2026-03-14": `"2026-03-14"`, "2026-03-14T10:00:00Z": `"2026-03-14T10:00:00Z"`, "12:30": `"12:30"`,
		"0x10": "16", "0o17": "15", "1_000": "1000", "+5": "5", ".5": "0.5", "5.": "5", "-.5e3": "-0.5e3", "1e3": "1e3", "1.0": "1.0", "-0": "-0",
		"123456789012345678901234567890": "123456789012345678901234567890", "0.10000000000000000000001": "0.10000000000000000000001",
		"~": "null", "null": "null", "True": "true", "FALSE": "false", `"1"`: `"1"`, "'true'": `"true"`, "!!str 1": `"1"`, "1.2.3": `"1.2.3"`, "a<b&c": `"a<b&c"`,
		`"\u2028é\n"`: "\"\u2028é\\n\"", "|\n            x\n            y\n": `"x\ny\n"`,
	} {
		text := "tools:\n  - name: a\n    function: {}\n    input_schema:\n      properties:\n        n:\n          default: " + yaml + "\n"
		tools, err := catalog.Parse("x.yaml", []byte(text), catalog.WithFunction("a", upper))
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		if got := lookup(t, tools, "a").SchemaJSON; got != `{"properties":{"n":{"default":`+want+`}}}` {
			t.Errorf("%s: got %s, want %s", yaml, got, want)
		}
	}
}
