package webclients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"toolgate.dev/toolgate/internal/peertest"
)

// The door's description of itself is one by the specification's own schema.
func TestTheDocumentOfTheDoorIsOpenAPI(t *testing.T) {
	node := nodeOf(t)
	peertest.Check(t, "openapi-schema-validator", "openapi.json", func(t *testing.T) {
		validate := exec.CommandContext(t.Context(), node, filepath.Join(program, "document.mjs"), "http://"+serve(t)+"/openapi.json")
		validate.Env = []string{"PATH=" + filepath.Dir(node)}
		validate.Stderr = os.Stderr
		out, err := validate.Output()
		var verdict struct {
			Valid   bool
			Version string
		}
		if err != nil || json.Unmarshal(out, &verdict) != nil || !verdict.Valid || verdict.Version != "3.1" {
			t.Errorf("%s %v", out, err)
		}
	})
}

// nodeOf finds what the clients run in; where there is none, they are left out.
func nodeOf(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(filepath.Join(program, "node_modules")); err != nil || missing != nil {
		t.Skip("make test-peers installs the client, and needs Node")
	}
	return node
}
