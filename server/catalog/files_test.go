package catalog_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
)

const twoSecrets = `
upstreams:
  crm: {url: "https://crm.example.com", secret_headers: {Authorization: {from: "file:token"}}}
tools:
  - {name: a, upstream: crm, http: {method: GET, url: /a, secret_query: {key: {from: "file:absent"}}}}
`

func TestFilesBesideTheCatalogueAreReportedEvenWhereItIsRefused(t *testing.T) {
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	if err := os.WriteFile(token, []byte("swordfish-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := map[string][sha256.Size]byte{}
	_, err := catalog.Parse(filepath.Join(folder, "c.yaml"), []byte(twoSecrets), catalog.WithReadFiles(func(path string, digest [sha256.Size]byte) {
		read[path] = digest
	}))
	if err == nil {
		t.Error("a catalogue without one of its secrets is accepted")
	}
	absent, reported := read[filepath.Join(folder, "absent")]
	if read[token] != sha256.Sum256([]byte("swordfish-1\n")) || !reported || absent != [sha256.Size]byte{} {
		t.Errorf("reported %x", read)
	}
	if catalog.FileDigest(token) != read[token] || catalog.FileDigest(filepath.Join(folder, "absent")) != absent {
		t.Error("FileDigest says something else")
	}
}
