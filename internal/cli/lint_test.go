package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

const twoFaults = "tools:\n  - name: a\n    efect: read\n    http: {method: FETCH, url: \"http://127.0.0.1:1/\"}\n"

// surface has one fault of severity warning that --fix mends, and one that it
// proposes to.
const surface = `tools:
  - name: list_invoices
    description: Lists invoices.
    http: {method: GET, url: "https://billing.example.com/invoices"}
    input_schema:
      type: object
      properties:
        since: {type: string, description: YYYY-MM-DD}
        start_date: {type: string} # a comment
`

func TestLintNamesEveryFaultWithItsPlace(t *testing.T) {
	bad := write(t, twoFaults)
	got := run(t, cli.Program{}, "lint", bad)
	for _, part := range []string{
		bad + ":3:5: error refused\n  unknown key \"efect\"\n  3 |     efect: read\n    |     ^\n", "fix: did you mean effect?", bad + ":4:20: error refused",
		"why: A catalogue with a fault",
	} {
		if !strings.Contains(got.out, part) {
			t.Errorf("%q lacks %q", got.out, part)
		}
	}
	if got.code != 2 || !strings.Contains(got.err, "1 tool, 2 errors, 1 warning") {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(got.out, "\x1b[") {
		t.Error("colours in a pipe")
	}
	if coloured := run(t, cli.Program{Terminal: true}, "lint", bad); !strings.Contains(coloured.out, "\x1b[31merror\x1b[0m") || !strings.Contains(coloured.out, "\x1b[31m^\x1b[0m") {
		t.Errorf("no colours at a terminal: %q", coloured.out)
	}
}

func TestLintPassesTheExamples(t *testing.T) {
	got := run(t, cli.Program{}, "lint", "--fail-on", "note", "../../examples/catalog.yaml")
	if got.code != 0 || got.err != "../../examples/catalog.yaml: 8 tools, nothing wrong, 5 excused\n" || !strings.Contains(got.out, "WORST CASE") {
		t.Errorf("got %+v", got)
	}
	for _, args := range [][]string{
		{"lint"}, {"lint", "/no/such/file"}, {"lint", "-o", "xml", "x"}, {"lint", "--fail-on", "fatal", "x"}, {"lint", "--fix=some", "x"}, {"lint", "--fix", "-"},
	} {
		if got := run(t, cli.Program{}, args...); got.code != 1 || got.err == "" || got.out != "" {
			t.Errorf("%v: got %+v", args, got)
		}
	}
}

func TestTheExitCodeIsThatOfTheWorstFinding(t *testing.T) {
	warned, refused, clean := write(t, surface), write(t, twoFaults), "../../examples/catalog.yaml"
	for _, tc := range []struct {
		args []string
		code int
	}{
		{[]string{clean}, 0},
		{[]string{warned}, 0},
		{[]string{"--fail-on", "warning", warned}, 2},
		{[]string{"--fail-on=note", warned}, 2},
		{[]string{"--fail-on=error", clean, refused}, 2},
		{[]string{"--fail-on=never", refused}, 0},
		{[]string{"--catalog", refused}, 2},
		{[]string{"-o", "json", "--fail-on", "warning", warned}, 2},
		{[]string{"-o", "sarif", refused}, 2},
	} {
		if got := run(t, cli.Program{}, append([]string{"lint"}, tc.args...)...); got.code != tc.code {
			t.Errorf("%v: exit %d, want %d", tc.args, got.code, tc.code)
		}
	}
}

func TestLintSpeaksToMachines(t *testing.T) {
	file := write(t, surface)
	got := run(t, cli.Program{Stdin: strings.NewReader(twoFaults)}, "lint", "-o", "json", file, "-", "../../examples/catalog.yaml")
	var document struct {
		Findings []struct {
			Rule, Severity, File, Path, Message, Why, Fix, Fixable string
			Line, Column                                           int
		}
		Excused []struct{ Rule, Excuse string }
		Waits   []struct {
			Tool  string
			Worst float64 `json:"worst_seconds"`
		}
		Summary map[string]int
	}
	if err := json.Unmarshal([]byte(got.out), &document); err != nil || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("%q: %v", got.out, err)
	}
	if f := document.Findings[0]; f.Rule != "date-as-text" || f.Severity != "warning" || f.File != file || f.Line != 8 || f.Column != 9 ||
		f.Path != "tools[0].input_schema.properties.since" || f.Fix != "format: date" || f.Fixable != "sure" || f.Message == "" || f.Why == "" {
		t.Errorf("got %+v", f)
	}
	if document.Findings[1].Fixable != "all" || document.Findings[2].File != "-" || len(document.Excused) != 5 || document.Excused[0].Excuse == "" {
		t.Errorf("got %+v", document)
	}
	if len(document.Waits) != 10 || document.Waits[0].Worst != 60 {
		t.Errorf("waits %+v", document.Waits)
	}
	if sum := document.Summary; sum["files"] != 3 || sum["tools"] != 10 || sum["errors"] != 2 || sum["warnings"] != 3 || sum["excused"] != 5 || sum["fixed"] != 0 {
		t.Errorf("summary %v", sum)
	}
	var log struct {
		Version string
		Runs    []struct{ Results []any }
	}
	sarif := run(t, cli.Program{}, "lint", "-o", "sarif", file)
	if err := json.Unmarshal([]byte(sarif.out), &log); err != nil || log.Version != "2.1.0" || len(log.Runs[0].Results) != 2 {
		t.Errorf("%v: %s", err, sarif.out)
	}
	rules := run(t, cli.Program{}, "lint", "--rules", "-o", "json")
	if rules.code != 0 || !strings.Contains(rules.out, `{"id":"date-as-text","severity":"warning"`) {
		t.Errorf("got %+v", rules)
	}
	if table := run(t, cli.Program{}, "lint", "--rules"); !strings.Contains(table.out, "date-as-text") {
		t.Errorf("got %+v", table)
	}
}

func TestFixWritesWhatItFixes(t *testing.T) {
	file := write(t, surface)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Program{}, "lint", "--fix", file)
	if text := readFile(t, file); !strings.Contains(text, "since: {type: string, format: date, description: YYYY-MM-DD}") || strings.Contains(text, "start_date: {type: string, ") ||
		got.code != 0 || !strings.Contains(got.err, "fixed: "+file+":8: date-as-text: format: date") || !strings.Contains(got.err, "--fix=all writes 1 of them") {
		t.Errorf("got %+v, %s", got, text)
	}
	got = run(t, cli.Program{}, "lint", "--fix=all", "-o", "json", file)
	if text := readFile(t, file); !strings.Contains(text, "start_date: {type: string, format: date} # a comment\n") || !strings.Contains(got.out, `"fixed":1`) || !strings.Contains(got.out, `"findings":[]`) {
		t.Errorf("got %+v, %s", got, text)
	}
	if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", about.Mode(), err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLintReadsSecretsOnlyWhereItIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	const text = `tools:
  - name: list_invoices
    description: Lists invoices.
    http: {method: GET, url: "https://billing.example.com/invoices", secret_query: {key: {from: "env:TOOLGATE_TEST_UNSET"}}}
  - {name: now, description: What time it is., effect: read, function: {}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, cli.Program{}, "lint", file); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{}, "lint", "--secrets", file); got.code != 2 || !strings.Contains(got.out, "TOOLGATE_TEST_UNSET is not set") {
		t.Errorf("got %+v", got)
	}
}

func TestLintNeverShowsASecretThatItFinds(t *testing.T) {
	for _, yaml := range []string{
		"headers: {X-Api-Key: hunter2hunter2}", "secret_headers: {X-Api-Key: {from: hunter2hunter2}}",
		"query: {access_token: hunter2hunter2}", "headrs: {X-Api-Key: hunter2hunter2}", "url: \"https://example.com/?token=hunter2hunter2\"",
	} {
		file := write(t, "tools:\n  - name: a\n    description: b\n    http: {method: GET, "+strings.Replace("url: \"https://example.com/\", "+yaml, `url: "https://example.com/", url`, "url", 1)+"}\n")
		for _, output := range []string{"text", "json", "sarif"} {
			got := run(t, cli.Program{}, "lint", "-o", output, file)
			if got.code != 2 || strings.Contains(got.out+got.err, "hunter2") || !strings.Contains(got.out, "secret-in-file") && !strings.Contains(yaml, "headrs") {
				t.Errorf("%s, %s: got %+v", yaml, output, got)
			}
		}
	}
}
