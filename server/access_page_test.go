package server_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheAccessFileOfThePageLoads(t *testing.T) {
	_, rest, _ := strings.Cut(page(t), "```yaml\n")
	text, _, found := strings.Cut(rest, "```")
	opened, err := server.ParseAccess("security.md", []byte(text))
	if err != nil || !found {
		t.Fatal(err)
	}
	if rights := opened.Policy().Rights("billing-agent"); !rights.Permits("billing_pay") || rights.Permits("billing_refund") {
		t.Error("the page says otherwise")
	}
}

// The page names tests for what it says is defended: each is there.
func TestEveryTestThatThePageNamesIsThere(t *testing.T) {
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(page(t), -1)
	missing := map[string]bool{}
	for _, match := range named {
		missing[match[1]] = true
	}
	if len(missing) < 20 {
		t.Errorf("the page names %d tests", len(missing))
	}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	for _, folder := range []string{"../server", "../interceptors", "../internal/access", "../internal/egress"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range function.FindAllStringSubmatch(string(text), -1) {
				delete(missing, match[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range missing {
		t.Errorf("there is no %s", name)
	}
}
