package grpcservers

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server/servertest"
)

// program finds what the Makefile builds.
func program(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("drives servers of others")
	}
	path, err := filepath.Abs("../../../.bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not there: run make test-peers", path)
	}
	return path
}

// free is an address on loopback where nobody listens.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// run runs a server until the test ends, and waits until it listens at address.
func run(t *testing.T, address, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	output := &safeBuffer{}
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr, command.Dir = output, output, t.TempDir()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = command.Wait() // it is killed
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-done
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(program), output.tail())
		}
	})
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = conn.Close()
			return command
		}
		select {
		case <-done:
			t.Fatalf("%s ended: %s", program, output.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("%s does not listen: %s", program, output.tail())
	return nil
}

// gateway is a whole one before a server.
type gateway struct {
	*servertest.Gateway

	peer string
}

func start(t *testing.T, peer, catalogue, address string) *gateway {
	t.Helper()
	set, err := filepath.Abs("../../../.bin/etcd.binpb")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("{{address}}", address, "{{etcd.binpb}}", set).Replace(catalogue)
	tools := servertest.Load(t, text, nil)
	t.Cleanup(tools.Close)
	return &gateway{Gateway: servertest.Start(t, tools), peer: peer}
}

// check is one check of the peer: a call, and what has to come of it.
func (g *gateway) check(t *testing.T, name, tool, arguments string, judge func(*testing.T, *toolgatev1.CallToolResponse)) {
	t.Helper()
	peertest.Check(t, g.peer, name, func(t *testing.T) {
		response := g.Call(t, t.Name(), tool, arguments)
		judge(t, response)
		if t.Failed() {
			t.Log(protojson.Format(response))
		}
	})
}

// result is what a call that must succeed brings back.
func (g *gateway) result(t *testing.T, tool, arguments string) string {
	t.Helper()
	response := g.Call(t, t.Name(), tool, arguments)
	if response.GetResult() == nil {
		t.Fatalf("%s %s: %s", tool, arguments, protojson.Format(response))
	}
	return response.GetResult().GetStructuredJson()
}

// holds wants a result that holds each of these.
func holds(parts ...string) func(*testing.T, *toolgatev1.CallToolResponse) {
	return func(t *testing.T, response *toolgatev1.CallToolResponse) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(response.GetResult().GetStructuredJson(), part) {
				t.Errorf("the result does not hold %s", part)
			}
		}
	}
}

const (
	transient = toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT
	invalid   = toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST
	terminal  = toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL
)

// fails wants an error of a class, after so many attempts, whose observation holds
// each of these.
func fails(class toolgatev1.ErrorClass, attempts uint32, parts ...string) func(*testing.T, *toolgatev1.CallToolResponse) {
	return func(t *testing.T, response *toolgatev1.CallToolResponse) {
		t.Helper()
		failed := response.GetError()
		if failed.GetErrorClass() != class || failed.GetAttempts() != attempts {
			t.Errorf("class %v after %d attempts, want %v after %d", failed.GetErrorClass(), failed.GetAttempts(), class, attempts)
		}
		for _, part := range parts {
			if !strings.Contains(failed.GetObservation(), part) {
				t.Errorf("the observation does not hold %s", part)
			}
		}
	}
}

// safeBuffer is a buffer that a process and a test may share.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer // guarded by mu
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.buf.String()
	return text[max(0, len(text)-4000):]
}
