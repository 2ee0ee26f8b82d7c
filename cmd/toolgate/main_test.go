package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

// TestMain is the program itself where a test starts it so.
func TestMain(m *testing.M) {
	if os.Getenv("TOOLGATE_TEST_PROGRAM") != "" {
		os.Exit(run()) //nolint:forbidigo // here the test is the program
	}
	os.Exit(m.Run()) //nolint:forbidigo // as every TestMain ends
}

// A collector of logs that dies takes no gateway with it: calls are in flight.
func TestAGatewayOutlivesTheReaderOfItsLog(t *testing.T) {
	catalog := filepath.Join(t.TempDir(), "catalog.yaml")
	if err := os.WriteFile(catalog, []byte("tools: [{name: a, http: {method: GET, url: \"http://127.0.0.1:1/\"}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "serve", "--catalog", catalog,
		"--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "")
	program.Env = append(os.Environ(), "TOOLGATE_TEST_PROGRAM=1")
	log, err := program.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var serving struct{ Msg, Grpc string }
	for lines := bufio.NewScanner(log); serving.Msg != "serving"; {
		if !lines.Scan() {
			t.Fatal("it does not serve")
		}
		_ = json.Unmarshal(lines.Bytes(), &serving)
	}
	_ = log.Close() // nobody reads any more
	for range 5 {   // each of them is logged
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Program{
			Args: []string{"call", "no_such_tool", "--gateway", serving.Grpc}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &errs,
		})
		if code != 11 { // invalid_request: it answers
			t.Fatalf("exit code %d: %s %s", code, &out, &errs)
		}
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
