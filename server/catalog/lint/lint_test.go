package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/lint"
)

func check(t testing.TB, name string) (*lint.Report, string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(name, "/import-") { // what it imports stands beside it
		report, err := lint.Check(name, text, catalog.UnreadSecrets(), catalog.AnyFunction())
		if err != nil {
			t.Fatal(err)
		}
		return report, string(text)
	}
	return checkText(t, name, string(text)), string(text)
}

func checkText(t testing.TB, name, text string) *lint.Report {
	t.Helper()
	report, err := lint.Check(name, []byte(text), catalog.Alone())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

var wanted = regexp.MustCompile(`# want (.*)$`)

// wants reads the findings that a file says it has, as `line rule`.
func wants(text string) (all []string) {
	for i, line := range strings.Split(text, "\n") {
		if found := wanted.FindStringSubmatch(line); found != nil {
			for rule := range strings.FieldsSeq(found[1]) {
				all = append(all, fmt.Sprintf("%d %s", i+1, rule))
			}
		}
	}
	slices.Sort(all)
	return all
}

func found(report *lint.Report) (all []string) {
	for _, f := range report.Findings {
		all = append(all, fmt.Sprintf("%d %s", f.Place.Line, f.Rule))
	}
	slices.Sort(all)
	return all
}

func compare(t *testing.T, name string, report *lint.Report, want []string) {
	t.Helper()
	got := found(report)
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s: missing %s", name, w)
		}
	}
	for i, g := range got {
		if !slices.Contains(want, g) || i > 0 && got[i-1] == g {
			t.Errorf("%s: not wanted: %s", name, g)
			for _, f := range report.Findings {
				if fmt.Sprintf("%d %s", f.Place.Line, f.Rule) == g {
					t.Logf("  %s; %s", f.Message, f.Fix)
				}
			}
		}
	}
}

func TestEachRuleFindsItsFaultsAndNoOthers(t *testing.T) {
	for _, rule := range lint.Rules() {
		bad := filepath.Join("testdata/rules", rule.ID+".bad.yaml")
		report, text := check(t, bad)
		compare(t, bad, report, wants(text))
		if !strings.Contains(text, "# want") || !slices.ContainsFunc(report.Findings, func(f lint.Finding) bool { return f.Rule == rule.ID }) {
			t.Errorf("%s does not show its rule", bad)
		}
		good := filepath.Join("testdata/rules", rule.ID+".good.yaml")
		report, _ = check(t, good)
		compare(t, good, report, nil)
	}
}

func TestEachFindingIsWhole(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.bad.yaml")
	if err != nil || len(files) != len(lint.Rules()) {
		t.Fatalf("%d files for %d rules, %v", len(files), len(lint.Rules()), err)
	}
	for _, name := range files {
		report, text := check(t, name)
		lines := strings.Split(text, "\n")
		for _, f := range report.Findings {
			p := f.Place
			if f.File != name || f.Why == "" || f.Message == "" || f.Severity < lint.Note || p.Line < 1 || p.Line > len(lines) || p.Column < 1 ||
				p.EndColumn <= p.Column || p.EndColumn > len([]rune(lines[p.Line-1]))+2 {
				t.Errorf("%s: %+v", name, f)
			}
			if f.Fix == "" && f.Rule != "refused" && f.Rule != "schema-invalid" && f.Rule != "example-invalid" {
				t.Errorf("%s: no fix: %+v", name, f)
			}
		}
	}
}
