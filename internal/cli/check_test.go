package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

const oldTools = `tools:
  - name: list_invoices
    description: Lists invoices.
    http: {method: GET, url: "https://billing.example.com/invoices", secret_headers: {Authorization: {from: "env:TOOLGATE_TEST_UNSET"}}}
    input_schema: {type: object, properties: {status: {type: string, enum: [open, paid]}}}
  - name: old_tool
    description: Old.
    http: {method: GET, url: "https://billing.example.com/old"}
`

const newTools = `tools:
  - name: list_invoices
    description: Lists all invoices.
    http: {method: GET, url: "https://billing.example.com/invoices"}
    input_schema: {type: object, properties: {status: {type: string, enum: [open]}}, required: [status]}
`

func TestCheckTellsWhatBreaks(t *testing.T) {
	old, now := write(t, oldTools), write(t, newTools)
	got := run(t, cli.Program{}, "check", old, now)
	if got.code != 2 || strings.Count(got.out, " breaking ") != 3 || strings.Contains(got.out, "compatible") || !strings.Contains(got.err, "3 breaking changes, 2 compatible (-v lists them)") {
		t.Errorf("got %+v", got)
	}
	for _, part := range []string{
		now + ":5:76: breaking enum-narrowed\n  list_invoices: status no longer takes \"paid\"\n", now + ":5:55: breaking argument-required\n", old + ":6:11: breaking tool-removed\n  old_tool: old_tool is gone\n",
	} {
		if !strings.Contains(got.out, part) {
			t.Errorf("%q lacks %q", got.out, part)
		}
	}
	verbose := run(t, cli.Program{Terminal: true}, "check", "-v", old, now)
	if verbose.code != 2 || !strings.Contains(verbose.out, "description-changed") || !strings.Contains(verbose.out, "\x1b[31mbreaking\x1b[0m") {
		t.Errorf("got %+v", verbose)
	}
	if same := run(t, cli.Program{}, "check", old, old); same.code != 0 || same.out != "" || same.err != "0 breaking changes, 0 compatible\n" {
		t.Errorf("got %+v", same)
	}
}

func TestWhatIsMeantToBreakIsAllowed(t *testing.T) {
	old, now := write(t, oldTools), write(t, newTools)
	got := run(t, cli.Program{}, "check", "--allow", "tool-removed:old_tool", "--allow", "enum-narrowed,argument-required", old, now)
	if got.code != 0 || strings.Count(got.out, " allowed ") != 3 || !strings.Contains(got.err, "0 breaking changes, 3 allowed") {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{}, "check", "--allow", "tool-removed:other_tool", "--allow", "enum-narrowed,argument-required", old, now); got.code != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestCheckSpeaksToMachines(t *testing.T) {
	now := write(t, newTools)
	got := run(t, cli.Program{Stdin: strings.NewReader(oldTools)}, "check", "-o", "json", "--allow", "tool-removed", "-", now)
	var document struct {
		Changes []struct {
			Rule, Tool, Field, Message, File string
			Breaking, Allowed                bool
			Line, Column                     int
		}
		Summary map[string]int
	}
	if err := json.Unmarshal([]byte(got.out), &document); err != nil || got.code != 2 {
		t.Fatalf("%+v: %v", got, err)
	}
	if len(document.Changes) != 5 || document.Summary["breaking"] != 2 || document.Summary["allowed"] != 1 || document.Summary["compatible"] != 2 {
		t.Errorf("got %+v", document)
	}
	for _, c := range document.Changes {
		if c.Rule == "enum-narrowed" && (c.Tool != "list_invoices" || c.Field != "status" || c.File != now || c.Line != 5 || !c.Breaking) ||
			c.Rule == "tool-removed" && (!c.Allowed || c.File != "-") {
			t.Errorf("got %+v", c)
		}
	}
	for _, args := range [][]string{{"--rules"}, {"--rules", "-o", "json"}} {
		if got := run(t, cli.Program{}, append([]string{"check"}, args...)...); got.code != 0 || !strings.Contains(got.out, "argument-required") {
			t.Errorf("got %+v", got)
		}
	}
}

func TestCheckRefusesWhatItCannotCompare(t *testing.T) {
	good, bad := write(t, newTools), write(t, twoFaults)
	for _, args := range [][]string{
		nil, {good}, {good, good, good}, {good, "/no/such/file"}, {"-", "-"}, {good, bad}, {bad, good}, {"-o", "xml", good, good}, {"--allow", "nothing", good, good},
	} {
		got := run(t, cli.Program{}, append([]string{"check"}, args...)...)
		if got.code != 1 || got.err == "" || got.out != "" {
			t.Errorf("%v: got %+v", args, got)
		}
	}
	if got := run(t, cli.Program{}, "check", good, bad); !strings.Contains(got.err, bad+":3:5:") {
		t.Errorf("got %+v", got)
	}
}

func TestTheExamplesBreakNothingAgainstThemselves(t *testing.T) {
	const file = "../../examples/catalog.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Program{Stdin: strings.NewReader(string(text))}, "check", "-v", "-", file)
	if got.code != 0 || got.out != "" {
		t.Errorf("got %+v", got)
	}
}
