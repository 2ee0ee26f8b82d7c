package mcp_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// A gateway behind a gateway: what its door says is what the outer one's callers get.
func TestAGatewayBehindAGatewayLosesNothing(t *testing.T) {
	const outer = `
upstreams:
  inner: {url: "http://gateway.test/mcp", speaks: toolgate, mcp: {trust_annotations: true}}
mcp:
  - upstream: inner
`
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return h.listener.DialContext(ctx) }
		tools := servertest.Load(t, outer, nil, catalog.WithDial(dial))
		t.Cleanup(tools.Close)
		front := &house{gateway: servertest.Start(t, tools)}
		front.listener = open(t, front.gateway.Server.MCP())
		near, far := h.connect(t, ways[0]), front.connect(t, ways[1])

		listed, err := far.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != 3 {
			t.Fatalf("listed %s, %v", shown(listed), err)
		}
		if got := listed.Tools[0]; strings.Count(got.Description, "terminal stop.") != 1 || shown(got.Annotations) != `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}` {
			t.Errorf("listed %s", shown(got))
		}
		h.upstream.Script(servertest.Respond(200, `{"b":1.10,"a":12345678901234567890}`))
		if got := said(t, far.call(t, "read", `{}`)); got != `{"b":1.10,"a":12345678901234567890}` {
			t.Errorf("got %s", got)
		}
		h.upstream.Script(servertest.Respond(http.StatusConflict, `{"error":{"code":"taken","message":"It is taken."}}`))
		for _, call := range [][2]string{{"write", `{"amount":1}`}, {"read", `{"n":"x"}`}} {
			if a, b := said(t, near.call(t, call[0], call[1])), said(t, far.call(t, call[0], call[1])); a != b {
				t.Errorf("%s: near %s\nfar %s", call[0], a, b)
			}
		}
	})
}
