package mcpbackend_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func benchServer(b *testing.B) string {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: &jsonschema.Schema{Type: "object"}}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	over := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true}))
	b.Cleanup(over.Close)
	return over.URL
}

func BenchmarkAttempt(b *testing.B) {
	url := benchServer(b)
	connections, pool := httpbackend.NewPool(), mcpbackend.NewPool()
	b.Cleanup(connections.Close)
	b.Cleanup(pool.Close)
	server := pool.Server(mcpbackend.Spec{Upstream: "bench", URL: url, Connect: func() (http.RoundTripper, func()) {
		over := connections.RoundTripper("bench", httpbackend.Transport{})
		return over, over.Release
	}})
	backend := mcpbackend.New(server, mcpbackend.Call{Tool: "echo", MaxResultBytes: 1 << 20})
	call := backendtest.NewCall(`{"a":1}`)
	for b.Loop() {
		if reply := backend.Attempt(b.Context(), call); reply.Failure != interceptors.FailureNone {
			b.Fatal(reply.Cause)
		}
	}
}

// The same with the SDK's own client.
func BenchmarkSDK(b *testing.B) {
	url := benchServer(b)
	client := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil)
	session, err := client.Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	for b.Loop() {
		if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"a": 1}}); err != nil {
			b.Fatal(err)
		}
	}
}
