package toolgate_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// The programs of the README run as they stand.
func TestTheProgramsOfTheReadmeRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(page, -1)
	if len(programs) != 2 {
		t.Fatal(len(programs), "programs")
	}
	if lines := strings.Count(string(programs[0][1]), "\n"); lines > 14 {
		t.Error("a stranger's first program has", lines, "lines")
	}
	target := listen(t)
	for i, program := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		text := strings.Replace(string(program[1]), "127.0.0.1:7440", target, 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput() //nolint:gosec // it is the README's
		if err != nil || !strings.Contains(string(out), `{"invoices":[]}`) {
			t.Errorf("program %d: %v\n%s", i, err, out)
		}
	}
}

// listen serves a gateway whose tools have no invoices.
func listen(t *testing.T) (target string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	toolgatev1.RegisterToolGatewayServiceServer(server, &gateway{
		one: func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
			return result(`{"invoices":[]}`), nil
		},
		many: func(_ context.Context, request *toolgatev1.CallToolsRequest, send func(*toolgatev1.CallToolsResponse)) error {
			for i := range request.GetCalls() {
				send(done(uint32(i), result(`{"invoices":[]}`)))
			}
			return nil
		},
	})
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-served })
	return listener.Addr().String()
}
