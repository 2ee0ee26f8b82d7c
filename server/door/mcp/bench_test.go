package mcp_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
	"toolgate.dev/toolgate/server/door/mcp"
)

// fixed answers every call at once.
type fixed struct{ door.House }

func (fixed) CallTool(context.Context, *toolgatev1.CallToolRequest, func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error) {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{
		Result: &toolgatev1.ToolResult{StructuredJson: `{"invoices":[]}`, Attempts: 1},
	}}, nil
}

// BenchmarkCall is what the door costs: one call over HTTP without a session, the
// house left out.
func BenchmarkCall(b *testing.B) {
	served := mcp.New(fixed{})
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_invoices","arguments":{"status":"open"}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{})))
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "invoices") {
			b.Fatal(w.Code, w.Body)
		}
	}
}
