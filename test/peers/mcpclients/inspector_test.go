package mcpclients

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/peertest"
)

// The inspector's exit codes.
const (
	inspectorFine    = 0
	inspectorIsError = 5
)

// TestInspector drives the inspector's CLI: a session for each request.
func TestInspector(t *testing.T) {
	program := there(t, clients+"/node_modules/.bin/mcp-inspector")
	for _, era := range []string{"legacy", "modern"} {
		for _, to := range targets {
			t.Run(era+" "+to.name, func(t *testing.T) {
				inspect(t, inspector{program: program, era: era, target: to.args(t), home: t.TempDir()})
			})
		}
	}
}

func inspect(t *testing.T, i inspector) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"list", []string{"--method", "tools/list", "--strict"}, inspectorFine, `"readOnlyHint":true`},
		{"success", []string{"--tool-name", "list_invoices", "--tool-arg", "start_date=03/14/2026"}, inspectorFine, `"attempts":1`},
		{"invalid_request", []string{"--tool-name", "list_invoices", "--tool-arg", "status=late"}, inspectorIsError, `\"class\":\"invalid_request\"`},
		{
			"terminal, with alternatives",
			[]string{"--tool-name", "book_slot", "--tool-arg", "practitioner_id=p_17", "start=2026-03-12T14:30:00Z"}, inspectorIsError, `\"alternatives\":[{`,
		},
		{"transient", []string{"--tool-name", "down"}, inspectorIsError, `\"retry_after\":300`},
		{"cured", []string{"--tool-name", "flaky"}, inspectorFine, `"attempts":2`},
		{"run", []string{"--tool-name", "list_invoices", "--tool-metadata", "dev.toolgate/run_id=nightly"}, inspectorFine, `"dev.toolgate/run_id":"nightly"`},
	} {
		peertest.Check(t, "inspector", c.name, func(t *testing.T) {
			out, code := i.run(t, c.args...)
			if code != c.code || !strings.Contains(out, c.want) {
				t.Errorf("exit code %d, want %d; no %s in %s", code, c.code, c.want, out)
			}
		})
	}
}

type inspector struct {
	program, era, home string
	target             []string
}

// run makes one request and returns the result as compact JSON.
func (i inspector) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	if args[0] != "--method" {
		args = append([]string{"--method", "tools/call"}, args...)
	}
	args = append(append([]string{"--cli", "--quiet", "--format", "json", "--protocol-era", i.era}, args...), "--")
	run := exec.CommandContext(t.Context(), i.program, append(args, i.target...)...)
	run.Env = append(os.Environ(), "HOME="+i.home)
	text, err := run.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
		if code != inspectorIsError {
			t.Logf("%s", exit.Stderr)
		}
	}
	var result any
	if json.Unmarshal(text, &result) != nil {
		return string(text), code
	}
	compact, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(compact), code
}
