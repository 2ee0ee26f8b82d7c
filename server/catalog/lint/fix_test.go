package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/lint"
)

func sure(f lint.Finding) bool { return f.Sure }

func all(lint.Finding) bool { return true }

func fix(t testing.TB, text string, want func(lint.Finding) bool) lint.Fixed {
	t.Helper()
	fixed, err := lint.Fix("c.yaml", []byte(text), want, catalog.Alone())
	if err != nil {
		t.Fatal(err)
	}
	return fixed
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFixesChangeTheLinesThatTheyNameAndNoOthers(t *testing.T) {
	before := read(t, "fix.before.yaml")
	for name, want := range map[string]func(lint.Finding) bool{"fix.safe.yaml": sure, "fix.all.yaml": all} {
		fixed := fix(t, before, want)
		compareLines(t, name, string(fixed.Data), read(t, name))
		if again := fix(t, string(fixed.Data), want); len(again.Done) > 0 || string(again.Data) != string(fixed.Data) {
			t.Errorf("%s: fixed twice: %+v", name, again.Done)
		}
	}
	if got := fix(t, before, func(lint.Finding) bool { return false }); string(got.Data) != before || len(got.Done) > 0 {
		t.Error("nothing was wanted")
	}
}

func compareLines(t *testing.T, name, got, want string) {
	t.Helper()
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d:\n got %q\nwant %q", name, i+1, gotLines[min(i, len(gotLines)-1):], wantLines[min(i, len(wantLines)-1)])
		}
	}
}

func TestAFixedFileKeepsItsLineBreaks(t *testing.T) {
	const mark = "\xEF\xBB\xBF"
	before := mark + strings.ReplaceAll(read(t, "fix.before.yaml"), "\n", "\r\n")
	want := mark + strings.ReplaceAll(read(t, "fix.safe.yaml"), "\n", "\r\n")
	if got := string(fix(t, before, sure).Data); got != want {
		t.Errorf("got %q", got)
	}
}

// A fix never makes a file worse, whatever the file is.
func TestFixingTheBadExamplesLeavesFewerFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	made := 0
	for _, name := range files {
		report, text := check(t, name)
		for kind, want := range map[string]func(lint.Finding) bool{"sure": sure, "all": all} {
			fixed := fix(t, text, want)
			after := checkText(t, name, string(fixed.Data))
			if len(after.Findings) > len(report.Findings)-len(fixed.Done) {
				t.Errorf("%s, %s: %d findings, %d fixed, %d left", name, kind, len(report.Findings), len(fixed.Done), len(after.Findings))
			}
			for _, f := range after.Findings {
				if len(f.Edits) > 0 && want(f) {
					t.Errorf("%s, %s: not fixed: %+v", name, kind, f)
				}
			}
			made += len(fixed.Done)
		}
	}
	if made < 40 {
		t.Errorf("only %d fixes", made)
	}
}

func TestAFixThatWouldBreakTheFileIsNotMade(t *testing.T) {
	// An alias shows the same schema to a tool whose fallback sends what a fix
	// would refuse.
	const text = `tools:
  - name: list_invoices
    description: Lists invoices.
    http: {method: GET, url: "https://example.com/1"}
    input_schema: &s
      type: object
      properties: {since: {type: string, description: YYYY-MM-DD}}
  - name: list_payments
    description: Lists payments.
    http: {method: GET, url: "https://example.com/2"}
    input_schema: *s
    fallbacks:
      - {tool: list_invoices, label: Invoices instead., arguments: {since: never}}
`
	if got := fix(t, text, all); string(got.Data) != text || len(got.Done) > 0 {
		t.Errorf("fixed: %s", got.Data)
	}
}
