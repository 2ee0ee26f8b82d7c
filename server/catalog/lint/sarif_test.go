package lint_test

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog/lint"
)

// object is a member of a JSON document; its methods fail the test where it is
// not what the standard demands.
type object struct {
	t    *testing.T
	path string
	data any
}

func (o object) at(name string) object {
	o.t.Helper()
	members, ok := o.data.(map[string]any)
	value, found := members[name]
	if !ok || !found {
		o.t.Fatalf("%s has no %s", o.path, name)
	}
	return object{o.t, o.path + "." + name, value}
}

func (o object) has(name string) bool {
	members, _ := o.data.(map[string]any)
	_, found := members[name]
	return found
}

func (o object) list() (items []object) {
	o.t.Helper()
	list, ok := o.data.([]any)
	if !ok {
		o.t.Fatalf("%s is no array", o.path)
	}
	for _, item := range list {
		items = append(items, object{o.t, o.path + "[]", item})
	}
	return items
}

func (o object) text() string {
	o.t.Helper()
	text, ok := o.data.(string)
	if !ok || text == "" {
		o.t.Fatalf("%s is no text: %v", o.path, o.data)
	}
	return text
}

func (o object) number(atLeast int) int {
	o.t.Helper()
	number, ok := o.data.(float64)
	if !ok || number != float64(int(number)) || int(number) < atLeast {
		o.t.Fatalf("%s is no integer from %d: %v", o.path, atLeast, o.data)
	}
	return int(number)
}

// region: sections 3.30.5 to 3.30.8.
func (o object) region() {
	o.t.Helper()
	line, column := o.at("startLine").number(1), o.at("startColumn").number(1)
	endLine := line
	if o.has("endLine") {
		endLine = o.at("endLine").number(1)
	}
	if end := o.at("endColumn").number(1); endLine < line || endLine == line && end < column {
		o.t.Errorf("%s ends before it starts", o.path)
	}
}

func (o object) location() {
	o.t.Helper()
	uri, err := url.Parse(o.at("physicalLocation").at("artifactLocation").at("uri").text())
	if err != nil || uri.Scheme == "" && strings.HasPrefix(uri.Path, "/") {
		o.t.Errorf("%s: %v", o.path, err)
	}
	o.at("physicalLocation").at("region").region()
	if o.has("logicalLocations") {
		for _, logical := range o.at("logicalLocations").list() {
			logical.at("fullyQualifiedName").text()
		}
	}
}

func TestSARIFHasWhatTheStandardDemands(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var reports []*lint.Report
	results := 0
	for _, name := range append(files, "testdata/fix.before.yaml") {
		report, _ := check(t, name)
		reports = append(reports, report)
		results += len(report.Findings) + len(report.Excused)
	}
	text, err := lint.SARIF("v1.2.3", reports)
	if err != nil {
		t.Fatal(err)
	}
	log := object{t: t, path: "$"}
	if err := json.Unmarshal(text, &log.data); err != nil {
		t.Fatal(err)
	}
	if version := log.at("version").text(); version != "2.1.0" {
		t.Errorf("version %s", version)
	}
	run := log.at("runs").list()[0]
	if kind := run.at("columnKind").text(); kind != "unicodeCodePoints" {
		t.Errorf("columns are %s", kind)
	}
	rules := checkSARIFRules(t, run)
	if got := run.at("results").list(); len(got) != results {
		t.Errorf("%d results for %d findings", len(got), results)
	}
	fixes, suppressed := 0, 0
	for _, result := range run.at("results").list() {
		checkSARIFResult(t, result, rules)
		if result.has("fixes") {
			fixes++
		}
		if result.has("suppressions") {
			suppressed++
			one := result.at("suppressions").list()[0]
			if one.at("kind").text() != "inSource" || one.at("justification").text() == "" {
				t.Errorf("suppression %v", one.data)
			}
		}
	}
	if fixes < 20 || suppressed < 3 {
		t.Errorf("%d fixes, %d suppressed", fixes, suppressed)
	}
}

func checkSARIFRules(t *testing.T, run object) (rules []string) {
	driver := run.at("tool").at("driver")
	if driver.at("name").text() != "toolgate lint" || driver.at("version").text() != "v1.2.3" {
		t.Errorf("driver %v", driver.data)
	}
	for _, rule := range driver.at("rules").list() {
		id := rule.at("id").text()
		rule.at("shortDescription").at("text").text()
		rule.at("fullDescription").at("text").text()
		rule.at("help").at("text").text()
		checkLevel(t, rule.at("defaultConfiguration").at("level").text())
		if slices.Contains(rules, id) {
			t.Errorf("%s stands twice", id)
		}
		rules = append(rules, id)
	}
	return rules
}

func checkLevel(t *testing.T, level string) {
	t.Helper()
	if !slices.Contains([]string{"none", "note", "warning", "error"}, level) {
		t.Errorf("level %s", level)
	}
}

func checkSARIFResult(t *testing.T, result object, rules []string) {
	t.Helper()
	if rules[result.at("ruleIndex").number(0)] != result.at("ruleId").text() {
		t.Errorf("the index of %v is another rule's", result.at("ruleId").data)
	}
	checkLevel(t, result.at("level").text())
	result.at("message").at("text").text()
	for _, location := range result.at("locations").list() {
		location.location()
	}
	if result.has("relatedLocations") {
		for _, location := range result.at("relatedLocations").list() {
			location.location()
			location.at("message").at("text").text()
		}
	}
	if result.has("fixes") {
		for _, change := range result.at("fixes").list()[0].at("artifactChanges").list() {
			change.at("artifactLocation").at("uri").text()
			for _, replacement := range change.at("replacements").list() {
				replacement.at("deletedRegion").region()
				replacement.at("insertedContent").at("text").text()
			}
		}
	}
}

// A viewer that applies the fixes of the log gets what --fix writes.
func TestTheFixesOfSARIFAreThoseOfFix(t *testing.T) {
	text := read(t, "rules/date-as-text.bad.yaml")
	report := checkText(t, "c.yaml", text)
	raw, err := lint.SARIF("", []*lint.Report{report})
	if err != nil {
		t.Fatal(err)
	}
	log := object{t: t, path: "$"}
	if err := json.Unmarshal(raw, &log.data); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for _, result := range log.at("runs").list()[0].at("results").list() {
		if !result.has("fixes") {
			continue
		}
		replacement := result.at("fixes").list()[0].at("artifactChanges").list()[0].at("replacements").list()[0]
		region := replacement.at("deletedRegion")
		line, column := region.at("startLine").number(1), region.at("startColumn").number(1)
		if region.at("endLine").number(1) != line || region.at("endColumn").number(1) != column {
			t.Fatalf("it replaces: %v", region.data)
		}
		lines[line-1] = lines[line-1][:column-1] + replacement.at("insertedContent").at("text").text() + lines[line-1][column-1:]
	}
	if got, want := strings.Join(lines, "\n"), string(fix(t, text, all).Data); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
