package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/internal/evidence"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// The catalogue of the scripted day. Three tools have a schema that says less than
// their back end asks for; the others fail for reasons of their own.
const dayCatalogue = `upstreams:
  office: {url: "http://%s"}
tools:
  - name: list_invoices
    upstream: office
    http: {method: GET, url: /invoices}
    input_schema:
      type: object
      properties:
        start_date: {type: string, description: First day.}
  - name: list_tasks
    upstream: office
    http: {method: GET, url: /tasks}
    input_schema:
      type: object
      properties:
        status: {type: string, description: "One of open, paid or overdue."}
  - name: order
    upstream: office
    http: {method: POST, url: /orders}
    input_schema:
      type: object
      properties:
        item: {type: string}
        quantity: {type: string}
      required: [item]
  - name: transfer
    upstream: office
    http: {method: POST, url: /transfers}
    errors: [{when: status == 422, class: terminal, code: insufficient_funds, blocked_by: balance}]
  - name: find_address
    upstream: office
    http: {method: GET, url: /addresses}
  - name: get_weather
    upstream: office
    http: {method: GET, url: /weather}
    policy: {max_attempts: 1}
`

// office is the back end of the day, strict as they are.
func office(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	query := r.URL.Query()
	switch r.URL.Path {
	case "/invoices":
		if date := query.Get("start_date"); len(date) != 10 || date[4] != '-' {
			refuse(400, `{"code":"invalid_date","message":"start_date must be in the format YYYY-MM-DD","field":"start_date"}`)
			return
		}
	case "/tasks":
		if status := query.Get("status"); status != "open" && status != "paid" && status != "overdue" {
			refuse(400, `{"errors":[{"code":"invalid_choice","field":"status","message":"must be one of: open, paid, overdue"}]}`)
			return
		}
	case "/orders":
		var body struct{ Quantity json.RawMessage }
		if json.NewDecoder(r.Body).Decode(&body) != nil || strings.HasPrefix(string(body.Quantity), `"`) {
			refuse(422, `{"detail":[{"type":"int_type","loc":["body","quantity"],"msg":"Input should be a valid integer","input":"3"}]}`)
			return
		}
	case "/transfers":
		refuse(422, `{"balance":42.10}`)
		return
	case "/addresses":
		refuse(400, ``)
		return
	case "/weather":
		refuse(503, `{}`)
		return
	}
	refuse(200, `{"ok":true}`)
}

// step is one call of a run of the script.
type step struct{ tool, arguments string }

// aRun is what a model does: it reads what is wrong and calls again.
var aRun = map[string][]step{
	"invoices": {{"list_invoices", `{"start_date":"03/14/2026"}`}, {"list_invoices", `{"start_date":"2026-03-14"}`}, {"list_tasks", `{"status":"open"}`}},
	"tasks":    {{"list_tasks", `{"status":"Open"}`}, {"list_tasks", `{"status":"open"}`}, {"list_invoices", `{"start_date":"2026-03-14"}`}},
	"orders":   {{"order", `{"item":"tea","quantity":"3"}`}, {"order", `{"item":"tea","quantity":"three"}`}, {"order", `{"item":"tea"}`}},
	"rent":     {{"transfer", `{"amount":150.00}`}, {"transfer", `{"amount":150.00}`}, {"list_tasks", `{"status":"paid"}`}},
	"letters":  {{"find_address", `{"name":"a"}`}, {"list_tasks", `{"status":"paid"}`}},
	"picnic":   {{"get_weather", `{}`}, {"get_weather", `{}`}},
}

// liveADay plays the script against a gateway.
func liveADay(t *testing.T, gateway string) {
	t.Helper()
	client, err := toolgate.Dial(gateway)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for kind, times := range map[string]int{"invoices": 20, "tasks": 12, "orders": 5, "rent": 30, "letters": 10, "picnic": 3} {
		for i := range times {
			run := fmt.Sprintf("%s-%d", kind, i)
			for _, step := range aRun[kind] {
				_, err := client.Call(t.Context(), run, step.tool, json.RawMessage(step.arguments))
				var failed *toolgate.ToolError
				if err != nil && !errors.As(err, &failed) {
					t.Fatal(err)
				}
			}
			if _, err := client.EndRun(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func reportOf(t *testing.T, wantCode int, args ...string) evidence.Report {
	t.Helper()
	got := run(t, cli.Program{}, append([]string{"report", "-o", "json"}, args...)...)
	var found evidence.Report
	if err := json.Unmarshal([]byte(got.out), &found); err != nil || got.code != wantCode {
		t.Fatalf("got %+v: %v", got, err)
	}
	return found
}

// apply writes a change of the report into the file, as a person would.
func apply(t *testing.T, file string, fix *evidence.Fix) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	was := lines[fix.FileLine-1]
	if fix.File != file || strings.TrimSpace(was) != fix.Was {
		t.Fatalf("%s:%d is %q, and the report says %+v", file, fix.FileLine, was, fix)
	}
	lines[fix.FileLine-1] = strings.Replace(was, fix.Was, fix.Line, 1)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheReportNamesTheCulpritAndItsFixEndsIt(t *testing.T) {
	backend := listen(t, &http.Server{Handler: http.HandlerFunc(office)})
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, dayCatalogue, backend), 0o600); err != nil {
		t.Fatal(err)
	}
	var mended []string
	for _, want := range []struct{ tool, field, ends, line string }{
		{"list_invoices", "start_date", evidence.EndsByCoercion, "start_date: {type: string, description: First day., format: date}"},
		{"list_tasks", "status", evidence.EndsByCoercion, `status: {type: string, description: "One of open, paid or overdue.", enum: [open, paid, overdue]}`},
		{"order", "quantity", evidence.EndsByCoercion, "quantity: {type: integer}"},
		// `three` is left, which nobody can bring into a form.
		{"order", "quantity", evidence.EndsBySurface, `quantity: {type: integer, description: "a whole number, for example 3", examples: [3]}`},
	} {
		s := serve(t, "--catalog", file, "--listen", "127.0.0.1:0", "--admin-listen", "", "--log-every", "1")
		liveADay(t, s.Grpc)
		live := reportOf(t, 0, "--gateway", s.Grpc, "--catalog", file)
		reportOf(t, 1, "--gateway", s.Grpc, "--require-classified")
		if code := s.ends(t); code != 0 {
			t.Fatalf("it ended with %d: %s", code, s.log)
		}
		logged := reportOf(t, 0, "--from", write(t, s.log.String()), "--catalog", file)
		for source, found := range map[string]evidence.Report{"the gateway": live, "its log": logged} {
			first := found.Failures[0]
			if first.Tool != want.tool || first.Field != want.field || first.Fix.Ends != want.ends || first.Fix.Line != want.line {
				t.Fatalf("%s says %+v first with %+v, want %v", source, first, first.Fix, want)
			}
			if found.Failed != live.Failed || found.Calls != live.Calls || found.Tokens != live.Tokens || found.Runs.WithoutResult != 3 {
				t.Errorf("%s counts otherwise: %+v", source, found)
			}
			if len(found.Guesses) != 2 || found.Guesses[0].Tool != "find_address" || len(found.Waits) != 1 || found.Waits[0].Tool != "get_weather" {
				t.Errorf("%s: guesses %+v, waits %+v", source, found.Guesses, found.Waits)
			}
			for _, other := range found.Failures {
				if slices.Contains(mended, other.Tool) {
					t.Errorf("%s: %s still fails after its fix: %+v", source, other.Tool, other)
				}
			}
		}
		apply(t, file, live.Failures[0].Fix)
		if want.tool != "order" {
			mended = append(mended, want.tool)
		}
	}
}

// day is a short log.
const day = `{"time":"2026-11-29T10:00:00Z","msg":"tool call failed","principal":"p","run":"r1","tool":"list","class":"invalid_request","code":"bad","classified_by":"provider","field":"start\u001b(B","expected":"date","cure":"coerced","attempts":1,"observation_bytes":160,"turn":1,"took":5}
{"time":"2026-11-29T10:00:01Z","msg":"tool call failed","principal":"p","run":"r1","tool":"list","class":"invalid_request","code":"bad","classified_by":"provider","field":"start\u001b(B","expected":"date","cure":"refused","attempts":1,"observation_bytes":160,"turn":2,"took":5}
{"time":"2026-11-29T10:00:02Z","msg":"tool call answered","principal":"p","run":"r1","tool":"list","attempts":1,"turn":3,"sampled":100,"took":5}
{"time":"2026-11-29T10:00:03Z","msg":"tool call failed","principal":"p","run":"r2","tool":"pay","class":"transient","code":"timeout","classified_by":"transport","attempts":5,"exhausted":true,"observation_bytes":200,"turn":1,"waited":7000000000,"took":5}
{"time":"2026-11-29T10:00:04Z","msg":"tool call failed","principal":"p","run":"r2","tool":"pay","class":"terminal","code":"gone","classified_by":"status","upstream_status":410,"attempts":1,"observation_bytes":200,"turn":2,"took":5}
{"time":"2026-11-29T10:00:05Z","msg":"run ended without one result","principal":"p","run":"r2","calls":2,"turns":2}
`

func TestAPersonReadsTheReportAsTables(t *testing.T) {
	got := run(t, cli.Program{Terminal: true, Width: 120, Stdin: strings.NewReader(day), Getenv: func(name string) string {
		return map[string]string{"NO_COLOR": "1"}[name]
	}}, "report", "--from", "-")
	for _, part := range []string{
		"≈ 104 calls since ", ", 4 failed (3.8 %), ≈ 350 tokens read of it\n",
		"1  list  start·(B  bad   2      1.9 %   2.0 %    2         200\n",
		"1. coercion ends it: the tool wants YYYY-MM-DD and its schema does not say so\n   tools[list].input_schema.properties.start·(B\n",
		"+ \"start\\u001b(B\": {type: string, format: date}",
		"of 2 calls 1 would have been sent in that form, 1 would have been refused before the tool is asked",
		"pay   410     gone  terminal  1\n", "+ - {when: status == 410, class: terminal, code: …}",
		"pay   timeout  1      1         5         7s\n", "timeout: the tool answers later than policy.attempt_timeout",
		"RUNS WITHOUT ONE RESULT\n1: r2\n", "4 bytes a token", "a sample of the answered calls",
	} {
		if !strings.Contains(got.out, part) {
			t.Errorf("the report lacks %q:\n%s", part, got.out)
		}
	}
	if got.code != 0 || strings.Contains(got.out, "\x1b") {
		t.Errorf("got %+v", got)
	}
}

func TestAReportThatCannotBeMadeSaysWhatToDo(t *testing.T) {
	for _, tc := range []struct {
		name  string
		args  []string
		stdin string
		hint  string
	}{
		{"no gateway", []string{"--gateway", "127.0.0.1:1"}, "", "toolgate serve --catalog FILE"},
		{"no log", []string{"--from", "/no/such/log"}, "", "--from takes the log of a gateway"},
		{"another log", []string{"--from", "-"}, "GET / 200\nGET / 404\n", "--log-format json"},
		{"no catalogue", []string{"--from", "-", "--catalog", "/no/such.yaml"}, day, "--catalog names the YAML file"},
		{"no output", []string{"-o", "xml"}, "", "-o json"},
		{"guesses", []string{"--from", "-", "--require-classified"}, day, "an error rule"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{Stdin: strings.NewReader(tc.stdin)}, append([]string{"report"}, tc.args...)...)
			if got.code != 1 || !strings.Contains(got.err, tc.hint) {
				t.Errorf("got %+v", got)
			}
		})
	}
	classified := strings.Replace(day, `"classified_by":"status","upstream_status":410`, `"classified_by":"rule"`, 1)
	if got := run(t, cli.Program{Stdin: strings.NewReader(classified)}, "report", "--from", "-", "--require-classified"); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{Stdin: strings.NewReader(day)}, "report", "--from", "-", "--tool", "list"); strings.Contains(got.out, `"pay"`) || got.code != 0 {
		t.Errorf("got %+v", got)
	}
}
