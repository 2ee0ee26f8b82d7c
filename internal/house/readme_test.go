package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// pages are what a newcomer reads.
var pages = []string{"README.md", "CONTRIBUTING.md", "docs/README.md", "docs/catalog.md", "docs/lint.md", "docs/rough-edges.md"}

func TestEveryTargetThatAPageNamesExists(t *testing.T) {
	makefile := read(t, "Makefile")
	fragments, err := filepath.Glob(filepath.Join(root, "tools/make/*.mk"))
	if err != nil || len(fragments) == 0 {
		t.Fatal("no tools/make/*.mk", err)
	}
	for _, fragment := range fragments {
		makefile += "\n" + read(t, strings.TrimPrefix(fragment, root+"/"))
	}
	named := regexp.MustCompile("(?:`|^|\n)make ([a-z-]+)")
	for _, page := range pages {
		for _, match := range named.FindAllStringSubmatch(read(t, page), -1) {
			if !strings.Contains(makefile, "\n"+match[1]+":") {
				t.Errorf("%s names make %s, and the Makefile has no such target", page, match[1])
			}
		}
	}
	if !named.MatchString(read(t, "README.md")) {
		t.Error("README.md names no target at all")
	}
}

func TestEveryLinkOfAPageLeadsSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	for _, page := range pages {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), match[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			}
		}
	}
}

// The table of names has a line for each field of an error, in the order of the
// protos, and spells it as ProtoJSON does.
func TestTheTableOfNamesIsTheContract(t *testing.T) {
	var want []string
	fields := (&toolgatev1.ToolError{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		want = append(want, line("", field))
		if field.Message() == nil {
			continue
		}
		for j := range field.Message().Fields().Len() {
			want = append(want, line(string(field.Name())+".", field.Message().Fields().Get(j)))
		}
	}
	var got []string
	_, table, _ := strings.Cut(read(t, "README.md"), "| proto | ProtoJSON | observation |\n|---|---|---|\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 {
			break
		}
		got = append(got, strings.TrimSpace(cells[1])+strings.TrimSpace(cells[2]))
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("row %d of the table of names:\n got %v\nwant %v", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}

// Every key of an observation is explained, and none that does not exist.
func TestTheTableOfNamesSpeaksOfTheKeysThatExist(t *testing.T) {
	folder := filepath.Join(root, "proto/baseline")
	names, err := filepath.Glob(filepath.Join(folder, "*.names"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no frozen names in %s (%v)", folder, err)
	}
	frozen, err := os.ReadFile(slices.Max(names))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(read(t, "README.md"), "| proto | ProtoJSON | observation |\n")
	var column strings.Builder
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 {
			break
		}
		column.WriteString(cells[3])
	}
	for key := range strings.Lines(string(frozen)) {
		key, ok := strings.CutPrefix(strings.TrimSpace(key), "observation ")
		if !ok {
			continue
		}
		if name := key[strings.LastIndex(key, ".")+1:]; !strings.Contains(column.String(), "`"+name+"`") {
			t.Errorf("the table of names does not say where the observation's %s comes from", key)
		}
	}
}

func line(prefix string, field protoreflect.FieldDescriptor) string {
	return "`" + prefix + string(field.Name()) + "``" + field.JSONName() + "`"
}

func read(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
