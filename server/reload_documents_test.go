package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"toolgate.dev/toolgate/server"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What is imported is followed to its end, however long it is, and so is what it
// refers to.
func TestAnImportedDocumentIsFollowed(t *testing.T) {
	folder := t.TempDir()
	document, part := filepath.Join(folder, "api.yaml"), filepath.Join(folder, "part.yaml")
	padding := "# " + strings.Repeat("x", 100<<10) + "\n"
	const head = "openapi: 3.0.3\nservers: [{url: 'https://api.example.com'}]\n"
	writeFile(t, document, head+padding+"paths: {/a: {get: {operationId: a}}, /p: {$ref: part.yaml}}\n")
	writeFile(t, part, "get: {operationId: p}\n")
	writeFile(t, filepath.Join(folder, "catalog.yaml"), "openapi: [{document: api.yaml}]\n")
	file := server.NewCatalogFile(filepath.Join(folder, "catalog.yaml"), "test")
	defer file.Close()
	load := func(want string) {
		t.Helper()
		tools, err := file.Load()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools() {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	load("a p")
	for range 2 {
		if file.Changed() {
			t.Error("changed without a change")
		}
	}
	writeFile(t, document, head+padding+"paths: {/b: {get: {operationId: b}}, /p: {$ref: part.yaml}}\n")
	if file.Changed() || !file.Changed() {
		t.Error("a change of the document is seen when it was found twice")
	}
	load("b p")
	writeFile(t, part, "get: {operationId: q}\n")
	if file.Changed() || !file.Changed() {
		t.Error("a change of what it refers to is seen when it was found twice")
	}
	load("b q")
}

func TestADocumentWhoseAddressIsDownIsServedOn(t *testing.T) {
	var down atomic.Bool
	address := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(`{"openapi":"3.1.0","servers":[{"url":"https://api.example.com"}],"paths":{"/a":{"get":{"operationId":"a"}}}}`))
	}))
	defer address.Close()
	path := filepath.Join(t.TempDir(), "catalog.yaml")
	writeFile(t, path, "openapi: [{document: "+address.URL+"}]\n")
	file := server.NewCatalogFile(path, "test")
	defer file.Close()
	for range 2 {
		tools, err := file.Load()
		if err != nil || len(tools.Tools()) != 1 {
			t.Fatal(err)
		}
		if warned := len(tools.Warnings()) > 0; warned != down.Load() {
			t.Errorf("down %v, warnings %v", down.Load(), tools.Warnings())
		}
		down.Store(true)
	}
}
