package lint_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/lint"
)

func TestTenFaultsAreTenFindingsAtTheirLines(t *testing.T) {
	const name = "testdata/ten.yaml"
	report, text := check(t, name)
	compare(t, name, report, wants(text))
	if len(wants(text)) != 10 || len(report.Findings) != 10 {
		t.Errorf("%d wanted, %d found", len(wants(text)), len(report.Findings))
	}
}

// What is planted elsewhere in a file must not move what is found.
func TestAFaultIsFoundWhateverStandsAroundIt(t *testing.T) {
	text, err := os.ReadFile("testdata/ten.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"comments and blank lines": func(s string) string { return "# one\n\n# two\n" + s },
		"Windows line breaks":      func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"a byte order mark":        func(s string) string { return "\xEF\xBB\xBF" + s },
		"other text in front":      func(s string) string { return strings.Replace(s, "Lists the orders", "Führt die Aufträge", 1) },
		"a refused key": func(s string) string {
			return strings.Replace(s, "description: Takes an order back.", "descriptin: Takes it back. # want refused", 1)
		},
	} {
		changed := change(string(text))
		compare(t, name, checkText(t, "c.yaml", changed), wants(strings.NewReplacer("\r", "", "\xEF\xBB\xBF", "").Replace(changed)))
	}
}

func TestTheExamplesOfTheProjectAreClean(t *testing.T) {
	for _, name := range []string{"../../../examples/catalog.yaml", "../../../examples/embed/tools.yaml"} {
		report, _ := check(t, name)
		compare(t, name, report, nil)
		for _, f := range report.Excused {
			if len(f.Excuse) < 20 {
				t.Errorf("%s:%d: %s is excused by %q", name, f.Place.Line, f.Rule, f.Excuse)
			}
		}
	}
}

func TestThePagesOfTheProjectAreClean(t *testing.T) {
	for _, page := range []string{"../../../README.md", "../../../docs/catalog.md", "../../../docs/lint.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(text), "```yaml\n")
		for _, part := range parts[1:] {
			block, _, _ := strings.Cut(part, "```")
			compare(t, page, checkText(t, page, block), nil)
		}
		if len(parts) < 2 {
			t.Errorf("%s shows no catalogue", page)
		}
	}
}

func TestTheManualListsEveryRuleInItsWords(t *testing.T) {
	page, err := os.ReadFile("../../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, rule := range lint.Rules() {
		section := "\n#### " + rule.ID + "\n\n" + rule.Severity.String() + ": " + rule.Title + " " + rule.Why + "\n"
		next := strings.Index(string(page[at:]), section)
		if next < 0 {
			t.Fatalf("docs/lint.md does not say, behind what stands before it:%s", section)
		}
		at += next
	}
	if n := strings.Count(string(page), "\n#### "); n != len(lint.Rules()) {
		t.Errorf("docs/lint.md explains %d rules, and there are %d", n, len(lint.Rules()))
	}
}

func TestPlacesAreThoseOfTheWords(t *testing.T) {
	const text = `tools:
  - name: groesse
    description: "Ü"
    http: {method: GET, url: "https://example.com"}
    input_schema: {type: object, properties: {"übrige_date": {type: string}, b: {type: string, format: 'datetime'}}}
    errors:
      - when: 'status == 404 && headers["X-Ä"] == "1"'
        class: terminal
      - {class: terminal, when: "status == 404 || headers['X-B'] == '1'"}
`
	lines := strings.Split(text, "\n")
	want := map[string]string{"date-as-text": `"übrige_date"`, "unknown-format": `'datetime'`}
	headers := []string{`headers["X-Ä"]`, `headers['X-B']`}
	for _, f := range checkText(t, "c.yaml", text).Findings {
		line := []rune(lines[f.Place.Line-1])
		if f.Rule == "refused" {
			continue
		}
		said := string(line[f.Place.Column-1 : f.Place.EndColumn-1])
		if f.Rule == "header-case" {
			want["header-case"], headers = headers[0], headers[1:]
		}
		if said != want[f.Rule] {
			t.Errorf("%s points at %q, want %q", f.Rule, said, want[f.Rule])
		}
	}
	if len(headers) > 0 {
		t.Errorf("not found: %q", headers)
	}
}

func TestAnAliasIsReportedOnceAtItsAnchor(t *testing.T) {
	const text = `tools:
  - name: list_invoices
    description: Lists invoices.
    http: {method: GET, url: "https://example.com/1"}
    input_schema: &period
      type: object
      properties:
        start_date: {type: string} # want date-as-text
  - name: list_payments
    description: Lists payments.
    http: {method: GET, url: "https://example.com/2"}
    input_schema: *period
  - name: list_refunds
    description: Lists refunds.
    http: {method: GET, url: "https://example.com/3"}
    input_schema:
      <<: *period
      additionalProperties: false
`
	compare(t, "aliases", checkText(t, "c.yaml", text), wants(text))
}

func TestWhatIsNoCatalogueHasItsFindings(t *testing.T) {
	for _, text := range []string{"", "tools: [", "- a", "hello", "tools: {}\n---\nb: c", "tools: [{name: a, errors: [5, {when: 7}], input_schema: 5, http: 3}]", "upstreams: 5"} {
		report, err := lint.Check("c.yaml", []byte(text), catalog.Alone())
		if err != nil || len(report.Findings) == 0 || !slices.ContainsFunc(report.Findings, func(f lint.Finding) bool { return f.Rule == "refused" }) {
			t.Errorf("%q: %+v, %v", text, report, err)
		}
	}
}

func FuzzAnyTextIsRead(f *testing.F) {
	for _, name := range []string{"testdata/ten.yaml", "testdata/rules/secret-in-file.bad.yaml", "testdata/rules/rule-never-matches.bad.yaml", "testdata/rules/date-as-text.bad.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		report, err := lint.Check("c.yaml", text, catalog.Alone())
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range report.Findings {
			if finding.Place.Line < 1 || finding.Place.Column < 1 {
				t.Errorf("no place: %+v", finding)
			}
			_ = report.Excerpt(finding)
		}
	})
}
