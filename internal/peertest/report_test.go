package peertest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEachCheckIsOneLineOfTheReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	t.Setenv(reportVariable, path)
	Check(t, "thing", "passes", func(*testing.T) {})
	Check(t, "thing", "is left out", func(t *testing.T) { t.Skip("nobody is there") })
	if err := record(path, "other", "Fails", true); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = "thing\tpassed\tTestEachCheckIsOneLineOfTheReport/passes\nother\tfailed\tFails\n"
	if string(text) != want {
		t.Errorf("the report is\n%swant\n%s", text, want)
	}
}
