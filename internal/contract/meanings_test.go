package contract

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var publish = flag.String("publish", "", "write the tables and samples of this version (make baseline does)")

// A field keeps its number, name and type and is broken all the same where its
// unit or its bound is another. The table of meanings holds each element's
// declaration and comment, which says unit, range and what zero means.
func TestTheMeaningsAreThosePublished(t *testing.T) {
	now := meaningsOf(t, "../..")
	if publishes(t, ".meanings", now) {
		return
	}
	newest := newestBaseline(t)
	for _, fault := range meaningFaults(readTable(t, newest+".meanings"), now) {
		t.Errorf("%s, but callers rely on contract %s.\n"+howToChange, fault, newest)
	}
}

const howToChange = "Meant so? docs/contract.md says what may change. Then describe it in CHANGELOG.md as the next contract and run make baseline VERSION=..."

func meaningsOf(t *testing.T, root string) string {
	t.Helper()
	elements, err := readElements(filepath.Join(root, "proto/toolgate/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, e := range elements {
		fmt.Fprintf(&table, "%s: %s\n", e.key(), e.meaning())
	}
	return table.String()
}

// meaningFaults tells what differs between two tables.
func meaningFaults(published, now string) (faults []string) {
	before, after := meaningsIn(published), meaningsIn(now)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		switch meaning, ok := after[key]; {
		case !ok:
			faults = append(faults, key+" is gone")
		case meaning != before[key]:
			was, is := apart(before[key], meaning)
			faults = append(faults, fmt.Sprintf("%s means another thing:\n  was: %s\n  is:  %s", key, was, is))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[key]; !ok {
			faults = append(faults, key+" is new")
		}
	}
	return faults
}

// meaningsIn reads a table: `kind name: declaration`, then the comment, indented.
func meaningsIn(table string) map[string]string {
	meanings := map[string]string{}
	for entry := range strings.SplitSeq(strings.ReplaceAll(table, "\n  ", "\x00"), "\n") {
		if key, meaning, ok := strings.Cut(entry, ": "); ok {
			meanings[key] = strings.ReplaceAll(meaning, "\x00", " | ")
		}
	}
	return meanings
}

// apart leaves out the words with which both begin and end.
func apart(was, is string) (string, string) {
	a, b := strings.Fields(was), strings.Fields(is)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return "… " + strings.Join(a, " ") + " …", "… " + strings.Join(b, " ") + " …"
}

// publishes writes a file of the version that is being published, if one is.
func publishes(t *testing.T, suffix, content string) bool {
	t.Helper()
	if *publish == "" {
		return false
	}
	if err := os.WriteFile(filepath.Join(baselines, *publish+suffix), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}

func readTable(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(baselines, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
