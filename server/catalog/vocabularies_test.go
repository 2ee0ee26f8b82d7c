package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/server/catalog"
)

const withVocabularies = `
vocabularies: [words]
tools:
  - name: read
    description: Reads.
    provider: acme-books
    http: {method: GET, url: "http://127.0.0.1:1/read"}
`

func loadWith(t *testing.T, vocabulary string) (*catalog.Catalog, error) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("catalog.yaml", withVocabularies)
	write("words/acme-books.yaml", vocabulary)
	return catalog.Load(filepath.Join(folder, "catalog.yaml"))
}

func TestACatalogueBringsVocabulariesOfItsOwn(t *testing.T) {
	tools, err := loadWith(t, "provider: acme-books\nread: {code: [/why]}\ncodes: {transient: [ledger_closed]}\n")
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := tools.Lookup("read")
	reply := &interceptors.Reply{Status: 400, Body: []byte(`{"why":"ledger_closed"}`)}
	failed, _ := tools.Judge().Diagnose(diagnose.Input{Tool: tool, Reply: reply})
	if failed.GetErrorClass() != interceptors.Transient || failed.GetCode() != "ledger_closed" || !tools.Judge().KnownCode("ledger_closed") {
		t.Errorf("got %v", failed)
	}
	other, err := loadWith(t, "provider: acme-books\nread: {code: [/why]}\ncodes: {terminal: [ledger_closed]}\n")
	if err != nil || other.Version() == tools.Version() {
		t.Errorf("another vocabulary is the same version: %v", err)
	}
}

func TestABrokenVocabularyRefusesTheCatalogueAndSaysWhere(t *testing.T) {
	_, err := loadWith(t, "provider: acme-books\nread: {code: [/why]}\ncodes: {transitory: [ledger_closed]}\n")
	if err == nil || !strings.Contains(err.Error(), "acme-books.yaml: line 3") || !strings.Contains(err.Error(), "catalog.yaml:2") {
		t.Errorf("got %v", err)
	}
}
