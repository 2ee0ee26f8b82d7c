package mcpservers

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server/servertest"
)

// servers is a gateway before one of the reference servers.
type servers struct {
	*servertest.Gateway

	peer   string
	folder string // of its files
}

// program finds one of the servers, which tools/mcp-servers pins.
func program(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("drives servers of others")
	}
	path, err := filepath.Abs("../../../tools/mcp-servers/node_modules/.bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not there: run make test-peers", path)
	}
	return path
}

// start serves a catalogue, in which {{.Program}}, {{.Folder}} and {{.URL}} are
// filled in.
func start(t *testing.T, peer, catalogue string, values map[string]string) *servers {
	t.Helper()
	s := &servers{peer: peer, folder: values["Folder"]}
	var text bytes.Buffer
	if err := template.Must(template.New("").Parse(catalogue)).Execute(&text, values); err != nil {
		t.Fatal(err)
	}
	tools := servertest.Load(t, text.String(), nil)
	t.Cleanup(tools.Close)
	if warnings := tools.Warnings(); len(warnings) > strings.Count(text.String(), "name: gone") {
		t.Fatalf("the server's list: %v", warnings)
	}
	s.Gateway = servertest.Start(t, tools)
	return s
}

// check is one check of the peer: a call, and what has to come of it.
func (s *servers) check(t *testing.T, name, tool, arguments string, judge func(*testing.T, *toolgatev1.CallToolResponse)) {
	t.Helper()
	peertest.Check(t, s.peer, name, func(t *testing.T) {
		resp := s.Call(t, t.Name(), tool, arguments)
		judge(t, resp)
		if t.Failed() {
			t.Log(protojson.Format(resp))
		}
	})
}

// says wants a result with that text as its first block.
func says(want string) func(*testing.T, *toolgatev1.CallToolResponse) {
	return func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		content := resp.GetResult().GetContent()
		if len(content) == 0 || content[0].GetText().GetText() != want {
			t.Errorf("want %q", want)
		}
	}
}

// holds wants a result of that JSON, and no text beside it.
func holds(want string) func(*testing.T, *toolgatev1.CallToolResponse) {
	return func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if got := resp.GetResult(); got.GetStructuredJson() != want || len(got.GetContent()) > 0 {
			t.Errorf("want %s", want)
		}
	}
}

// fails wants an error of that class and code, about that argument.
func fails(class toolgatev1.ErrorClass, code, field string) func(*testing.T, *toolgatev1.CallToolResponse) {
	return func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		e := resp.GetError()
		named := ""
		if len(e.GetViolations()) > 0 {
			named = e.GetViolations()[0].GetField()
		}
		if e.GetErrorClass() != class || e.GetCode() != code || named != field {
			t.Errorf("want %v %s %s", class, code, field)
		}
	}
}

// serve runs a server on a free port of loopback until the test ends.
func serve(t *testing.T, path string, arguments ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	cmd := exec.CommandContext(t.Context(), path, arguments...)
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the test's context ends it
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	deadline := time.Now().Add(20 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if resp, err := http.Get(url); err == nil {
			_ = resp.Body.Close()
			return url
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not listen")
		}
	}
}
