package mcpbackend_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
)

// official is a server of the official SDK.
func official() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "official", Version: "1"}, nil)
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"region": {Type: "string", Extra: map[string]any{"x-mcp-header": "Region"}},
	}}
	server.AddTool(&mcp.Tool{Name: "where", InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: req.Params.Arguments, Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "asks", InputSchema: &jsonschema.Schema{Type: "object"}}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?"})
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	})
	return server
}

func TestServersOfTheOfficialSDKAreSpokenToInEveryWay(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{
		"without sessions": {Stateless: true}, "with sessions": {}, "with plain JSON": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := official()
			var versions atomic.Value
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
			url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				versions.Store(r.Header.Get("Mcp-Protocol-Version"))
				handler.ServeHTTP(w, r)
			}))
			pool := pooled(t)
			var changes atomic.Int64
			pool.OnChanged(func() { changes.Add(1) })
			known := pool.Server(overHTTP(t, url))
			tools, listed := known.Tools(t.Context())
			if !listed || len(tools) != 2 {
				t.Fatalf("the tools are %v", tools)
			}
			schema := tools[0].InputSchema
			if tools[0].Name != "where" {
				schema = tools[1].InputSchema
			}
			reply := newBackend(known, "where", schema).Attempt(t.Context(), backendtest.NewCall(`{"region":"eu-1"}`))
			if reply.Result.GetStructuredJson() != `{"region":"eu-1"}` || len(reply.Result.GetContent()) != 0 {
				t.Errorf("%+v", reply)
			}
			if asked := newBackend(known, "asks", "").Attempt(t.Context(), backendtest.NewCall(`{}`)); asked.Failure != interceptors.FailureNone || asked.Result != nil {
				t.Errorf("a person is asked: %+v", asked)
			}
			if unknown := ask(t, known, "nobody"); unknown.Status != -32602 || !strings.Contains(string(unknown.Body), "nobody") {
				t.Errorf("a tool that is not there: %+v", unknown)
			}
			server.RemoveTools("asks")
			if name != "with plain JSON" && name != "without sessions" {
				eventually(t, "the change is told", func() bool { return changes.Load() > 0 })
			}
			t.Log("version", versions.Load())
		})
	}
}

func TestOlderVersionsAreSpoken(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var m struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				result := `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
				switch m.Method {
				case "server/discover":
					http.Error(w, "what?", http.StatusBadRequest)
					return
				case "initialize":
					result = `{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"0"}}`
				case "tools/call":
					result = `{"content":[{"type":"text","text":"` + r.Header.Get("Mcp-Protocol-Version") + `"}]}`
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`))
			}))
			t.Cleanup(server.Close)
			known := pooled(t).Server(overHTTP(t, server.URL))
			reply := newBackend(known, "a", "").Attempt(t.Context(), backendtest.NewCall(`{}`))
			if reply.Result.GetContent()[0].GetText().GetText() != version {
				t.Errorf("%+v", reply)
			}
		})
	}
}
