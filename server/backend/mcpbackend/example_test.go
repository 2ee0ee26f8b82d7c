package mcpbackend_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func ExampleNew() {
	server := mcp.NewServer(&mcp.Implementation{Name: "clock"}, nil)
	server.AddTool(&mcp.Tool{Name: "time", InputSchema: &jsonschema.Schema{Type: "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"hour":12}`}}}, nil
	})
	over := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer over.Close()

	pool := mcpbackend.NewPool(mcpbackend.WithVersion("1.0.0"))
	defer pool.Close()
	clock := pool.Server(mcpbackend.Spec{
		Upstream: "clock", URL: over.URL,
		Connect: func() (http.RoundTripper, func()) { return http.DefaultTransport, func() {} },
	})
	tools, _ := clock.Tools(context.Background())
	fmt.Println(tools[0].Name)
	backend := mcpbackend.New(clock, mcpbackend.Call{Tool: "time", MaxResultBytes: 1 << 20})
	reply := backend.Attempt(context.Background(), &interceptors.Call{})
	fmt.Println(reply.Result.GetStructuredJson())
	// Output:
	// time
	// {"hour":12}
}
