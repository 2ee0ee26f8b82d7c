package contract

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func readChangelog(t *testing.T) string {
	t.Helper()
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(changelog)
}

// sectionOf is what the changelog says of a version of the contract. Empty:
// nothing.
func sectionOf(changelog, version string) string {
	heading := regexp.MustCompile(`(?m)^## Contract ` + regexp.QuoteMeta(strings.TrimPrefix(version, "v")) + `\b.*$`)
	at := heading.FindStringIndex(changelog)
	if at == nil {
		return ""
	}
	section, _, _ := strings.Cut(changelog[at[1]:], "\n## ")
	return strings.TrimSpace(section)
}

// A heading alone is no entry: whatever a release added, changed or took away
// stands there by its name.
func TestTheChangelogNamesEveryChangeOfARelease(t *testing.T) {
	changelog, all := readChangelog(t), versions(t)
	for i, version := range all[min(1, len(all)):] {
		for _, suffix := range []string{".names", ".meanings"} {
			if all[i] == withoutTables && suffix == ".meanings" {
				continue
			}
			for _, name := range unsaid(sectionOf(changelog, version), readTable(t, all[i]+suffix), readTable(t, version+suffix)) {
				t.Errorf("CHANGELOG.md: contract %s says nothing about `%s`", version, name)
			}
		}
	}
}

// unsaid lists what differs between two tables, by the last part of its name, and
// does not stand between backquotes in the section.
func unsaid(section, before, after string) (names []string) {
	old, current := entriesIn(before), entriesIn(after)
	for _, key := range slices.Concat(old.keys, current.keys) {
		if old.of[key] == current.of[key] && slices.Contains(old.keys, key) && slices.Contains(current.keys, key) {
			continue
		}
		names = append(names, shortName(key))
	}
	stay := func(keys []string, other entries) []string {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(other.keys, key) })
	}
	for i, key := range stay(old.keys, current) {
		if moved := stay(current.keys, old)[i]; moved != key && len(old.of) == 0 { // the tables of names are in order
			names = append(names, shortName(moved))
			break
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return regexp.MustCompile("`([\\w\\[\\].]+\\.)?" + regexp.QuoteMeta(name) + "`").MatchString(section)
	})
	slices.Sort(names)
	return slices.Compact(names)
}

func shortName(key string) string {
	_, full, _ := strings.Cut(key, " ")
	return full[strings.LastIndex(full, ".")+1:]
}

// entries are the keys of a table in their order, and what it says of each.
type entries struct {
	keys []string
	of   map[string]string // empty for a table of names
}

func entriesIn(table string) entries {
	all := entries{of: meaningsIn(table)}
	for line := range strings.Lines(table) {
		if key, _, _ := strings.Cut(strings.TrimRight(line, "\n"), ": "); !strings.HasPrefix(line, " ") {
			all.keys = append(all.keys, key)
		}
	}
	return all
}

func TestAChangeThatTheChangelogDoesNotNameIsSeen(t *testing.T) {
	const before = "code busy\ncode gone\nobservation error\nobservation list[].field\n"
	for _, c := range []struct{ name, after, want string }{
		{"nothing", before, "[]"},
		{"a new code", strings.Replace(before, "busy\n", "busy\ncode later\n", 1), "[later]"},
		{"a code that went", strings.Replace(before, "code gone\n", "", 1), "[gone]"},
		{"another spelling", strings.Replace(before, "busy", "full", 1), "[busy full]"},
		{"another order", "code gone\ncode busy\nobservation error\nobservation list[].field\n", "[gone]"},
		{"a key of a list", strings.Replace(before, "field", "path", 1), "[field path]"},
	} {
		if got := fmt.Sprint(unsaid("nothing", before, c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	after := strings.Replace(before, "field", "path", 1)
	if left := unsaid("`list[].path` in place of `field`.", before, after); len(left) != 0 {
		t.Error("said, and missed:", left)
	}
	const old, current = "field a.B.wait: double wait = 1\n  Seconds.\n", "field a.B.wait: double wait = 1\n  Milliseconds.\n"
	if got := fmt.Sprint(unsaid("wait", old, current)); got != "[wait]" {
		t.Error("a meaning:", got)
	}
}
