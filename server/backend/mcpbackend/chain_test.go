package mcpbackend_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/funcbackend"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// A gateway behind a gateway: what the inner one knows of a failure arrives whole.
func TestAGatewayBehindAGatewayIsUnderstood(t *testing.T) {
	seconds := 30.0
	fails := map[string]*toolgatev1.ToolError{
		"balance": {
			ErrorClass: interceptors.Terminal, Code: "insufficient_funds", Message: "Balance 42.10 below requested 150.00",
			FactsJson: `{"balance":42.10,"requested":150.00}`, BlockedBy: "balance",
		},
		"date": {
			ErrorClass: interceptors.InvalidRequest, Code: "invalid_argument", Message: "invalid date format",
			Violations: []*toolgatev1.Violation{{Field: "start_date", Format: "YYYY-MM-DD"}},
		},
		"later": {ErrorClass: interceptors.Transient, Code: "maintenance", Message: "Back soon.", RetryAfter: &seconds},
	}
	var options []catalog.Option
	text := "defaults: {max_attempts: 1, max_wait: 1s}\ntools:\n"
	for name, failure := range fails {
		text += "  - {name: " + name + ", description: x, effect: read, function: {}}\n"
		options = append(options, catalog.WithFunction(name, func(context.Context, json.RawMessage) (any, error) {
			return nil, funcbackend.Fail(failure)
		}))
	}
	text += "  - {name: sums, description: x, effect: read, function: {}}\n"
	options = append(options, catalog.WithFunction("sums", func(context.Context, json.RawMessage) (any, error) {
		return json.RawMessage(`{"total":12345678901234567890.10}`), nil
	}))
	inner := servertest.Start(t, servertest.Load(t, text, nil, options...))
	door := httptest.NewServer(inner.Server.MCP())
	t.Cleanup(func() {
		door.CloseClientConnections()
		door.Close()
	})
	tools := servertest.Load(t, "upstreams: {inner: {url: \""+door.URL+"/mcp\", speaks: toolgate, mcp: {trust_annotations: true}}}\n"+
		"defaults: {max_attempts: 1, max_wait: 1s}\nmcp: [{upstream: inner}]\n", nil)
	t.Cleanup(tools.Close)
	outer := servertest.Start(t, tools)
	for name, want := range fails {
		got := outer.Call(t, "r", name, `{}`).GetError()
		if got.GetErrorClass() != want.GetErrorClass() || got.GetCode() != want.GetCode() || got.GetMessage() != want.GetMessage() ||
			got.GetFactsJson() != want.GetFactsJson() || got.GetBlockedBy() != want.GetBlockedBy() || len(got.GetViolations()) != len(want.GetViolations()) ||
			(got.GetRetryAfter() > 0) != (want.RetryAfter != nil) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if got.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM {
			t.Errorf("%s is classified by %v", name, got.GetClassifiedBy())
		}
	}
	if got := outer.Call(t, "r", "sums", `{}`).GetResult(); got.GetStructuredJson() != `{"total":12345678901234567890.10}` || len(got.GetContent()) > 0 {
		t.Errorf("%v", got)
	}
	if list, err := outer.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{}); err != nil || len(list.GetTools()) != 4 || !strings.HasPrefix(list.GetTools()[0].GetDescription(), "x") {
		t.Errorf("%v %v", list, err)
	}
}
