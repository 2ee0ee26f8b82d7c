package mcpclients

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

const (
	clients = "../../../tools/mcp-clients"
	python  = "../../../.cache/mcp-python/bin/python"
)

// target is how a client reaches the door.
type target struct {
	name string
	args func(t *testing.T) []string // a URL, or a command
}

var targets = []target{
	{"http", overHTTP},
	{"stdio", overStdio},
}

// overHTTP serves the door over a real port.
func overHTTP(t *testing.T) []string {
	tools, err := catalog.Parse("test.yaml", []byte(catalogue(t)))
	if err != nil {
		t.Fatal(err)
	}
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- gateway.Serve(t.Context()) }()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
		tools.Close()
	})
	return []string{"http://" + gateway.HTTPAddr() + "/mcp"}
}

// overStdio has the client start the program.
func overStdio(t *testing.T) []string {
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalogue(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{program(t), "mcp", "--catalog", file}
}

// program is toolgate.
func program(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// there fails the test where `make test-peers` has not brought a program.
func there(t *testing.T, path string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("drives clients of others")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not there: run make test-peers", path)
	}
	return path
}

// story is how many checks a client makes.
const story = 11

// drive runs a client that plays the story, and counts its checks.
func drive(t *testing.T, peer string, command ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Stderr = os.Stderr
	run.WaitDelay = 10 * time.Second
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	checks := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var check struct{ Name, Fault string }
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Errorf("it wrote %q", lines.Text())
			continue
		}
		checks++
		peertest.Check(t, peer, check.Name, func(t *testing.T) {
			if check.Fault != "" {
				t.Error(check.Fault)
			}
		})
	}
	if err := run.Wait(); err != nil || checks != story {
		peertest.Check(t, peer, "to the end", func(t *testing.T) { t.Errorf("%d of %d checks were made: %v", checks, story, err) })
	}
}

func TestTypeScript(t *testing.T) {
	folder := filepath.Dir(there(t, clients+"/node_modules"))
	for _, line := range []string{"sdk", "client"} { // sessions, and without
		for _, to := range targets {
			t.Run(line+" "+to.name, func(t *testing.T) {
				drive(t, "typescript", append([]string{"node", "typescript/drive.mjs", folder, line}, to.args(t)...)...)
			})
		}
	}
}

func TestPython(t *testing.T) {
	interpreter := there(t, python)
	for _, mode := range []string{"legacy", "auto"} {
		for _, to := range targets {
			t.Run(mode+" "+to.name, func(t *testing.T) {
				drive(t, "python", append([]string{interpreter, "python/drive.py", mode}, to.args(t)...)...)
			})
		}
	}
}

// TestMain builds the program once, for all who talk to it over pipes.
func TestMain(m *testing.M) {
	built, _ = os.MkdirTemp("", "mcpclients") // who builds there finds out
	defer os.RemoveAll(built)
	m.Run()
}

// built is the folder of the program.
var built string

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "toolgate")
	out, err := exec.Command("go", "build", "-o", path, "../../../cmd/toolgate").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})
