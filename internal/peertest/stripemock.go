package peertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startTimeout is long: the program reads its API description first, and the
// machine may be busy.
const startTimeout = 30 * time.Second

// StripeMock starts a stripe-mock and returns its base URL, without a trailing
// slash. It takes any key that looks like one of the test mode, sk_test_123, and
// echoes every other in its 401. It remembers nothing between requests.
func StripeMock(t testing.TB) string {
	t.Helper()
	program, err := find("stripe-mock")
	if err != nil {
		t.Fatal(err)
	}
	// It would open a second, public port for HTTPS; a socket keeps that away. Its
	// path must be short, which that of a test's own folder is not.
	folder, err := os.MkdirTemp("", "stripe") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	address, err := start(t, exec.CommandContext(t.Context(), program,
		"-http-addr", "127.0.0.1:0", "-https-unix", filepath.Join(folder, "https.sock")))
	if err != nil {
		t.Fatalf("stripe-mock did not start: %v", err)
	}
	return "http://" + address
}

// start runs the program until the test ends, and returns the address that it
// says it listens on.
func start(t testing.TB, command *exec.Cmd) (string, error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	found := make(chan string, 1)
	go readAddress(output, found)
	t.Cleanup(func() { _ = command.Wait() }) // the test's context has killed it by then
	select {
	case address, ok := <-found:
		if !ok {
			return "", errors.New("it ended before it listened")
		}
		return address, nil
	case <-time.After(startTimeout):
		return "", fmt.Errorf("it does not listen after %v", startTimeout)
	}
}

// readAddress sends the first address and reads on: a full pipe would stop the
// program.
func readAddress(output io.Reader, found chan<- string) {
	defer close(found)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			found <- address
			break
		}
	}
	_, _ = io.Copy(io.Discard, output)
}

// find looks for a program that the Makefile builds.
func find(name string) (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the test runs outside of the module")
		}
		folder = filepath.Dir(folder)
	}
	program := filepath.Join(folder, ".bin", name)
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("%s is missing: run `make peers`, which builds it (as `make test` and `make check` do)", program)
	}
	return program, nil
}
