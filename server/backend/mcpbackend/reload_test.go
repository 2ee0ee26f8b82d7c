package mcpbackend_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// A server that is down when the gateway starts, comes up, gets another tool and
// goes away again: the catalogue follows, and calls are told the truth.
func TestAGatewayFollowsWhatItsServersList(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := "upstreams: {u: {url: \"http://" + address + "\", mcp: {}}}\ndefaults: {max_attempts: 1}\nmcp: [{upstream: u, prefix: u_}]\n" +
		"tools: [{name: own, upstream: u, effect: read, mcp: {tool: first}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := server.NewCatalogFile(path, "test")
	tools, err := file.Load()
	if err != nil {
		t.Fatal(err)
	}
	g := servertest.Start(t, tools)
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { g.Server.Watch(ctx, file, time.Hour, nil) })
	t.Cleanup(func() {
		stop()
		watching.Wait()
		file.Close()
	})
	e := g.Call(t, "r", "own", `{}`).GetError()
	if e.GetErrorClass() != interceptors.Transient || e.GetCode() != interceptors.CodeUnreachable {
		t.Errorf("while it is down: %v", e)
	}

	listing := mcp.NewServer(&mcp.Implementation{Name: "listing"}, nil)
	answer := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "here"}}}, nil
	}
	listing.AddTool(&mcp.Tool{Name: "first", InputSchema: &jsonschema.Schema{Type: "object"}}, answer)
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Skip("the port was taken")
	}
	up := &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return listing }, nil), ReadHeaderTimeout: time.Second}
	go func() { _ = up.Serve(listener) }()
	t.Cleanup(func() { _ = up.Close() })
	names := func() (all []string) {
		list, err := g.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.GetTools() {
			all = append(all, tool.GetName())
		}
		return all
	}
	eventually(t, "its tool is listed", func() bool { return slices.Equal(names(), []string{"own", "u_first"}) })
	if got := g.Call(t, "r", "u_first", `{}`).GetResult().GetContent(); len(got) != 1 || got[0].GetText().GetText() != "here" {
		t.Errorf("%v", got)
	}
	listing.AddTool(&mcp.Tool{Name: "second", InputSchema: &jsonschema.Schema{Type: "object"}}, answer)
	eventually(t, "its other tool is listed", func() bool { return slices.Equal(names(), []string{"own", "u_first", "u_second"}) })

	_ = up.Close()
	eventually(t, "it is down", func() bool {
		return g.Call(t, "r2", "own", `{}`).GetError().GetCode() == interceptors.CodeUnreachable
	})
	if got := names(); !slices.Equal(got, []string{"own", "u_first", "u_second"}) {
		t.Errorf("its tools went with it: %v", got)
	}
}
