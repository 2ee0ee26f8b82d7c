package tracing_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The manual lists the attributes and events of our own, all of them and no others.
func TestTheManualListsWhatSpansSay(t *testing.T) {
	manual, err := os.ReadFile("../../docs/tracing.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file) //nolint:gosec // this folder's
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	said := regexp.MustCompile(`"(toolgate\.[a-z_.]+)"`).FindAllStringSubmatch(sources.String(), -1)
	if len(said) < 10 {
		t.Fatalf("found %d names in the sources", len(said))
	}
	for _, name := range said {
		if !strings.Contains(string(manual), "`"+name[1]+"`") {
			t.Errorf("docs/tracing.md lacks %s", name[1])
		}
	}
	for _, name := range regexp.MustCompile("`(toolgate\\.[a-z_.]+)`").FindAllStringSubmatch(string(manual), -1) {
		if !strings.Contains(sources.String(), `"`+name[1]+`"`) {
			t.Errorf("docs/tracing.md lists %s, which no span says", name[1])
		}
	}
}
