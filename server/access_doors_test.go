package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"google.golang.org/grpc/metadata"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// tokenOf makes a token of an issuer, and the file with the issuer's keys.
func tokenOf(t *testing.T, claims map[string]any) (token, keys string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "k1"))
	if err != nil {
		t.Fatal(err)
	}
	if token, err = jwt.Signed(signer).Claims(claims).Serialize(); err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1"}}})
	if err != nil {
		t.Fatal(err)
	}
	keys = filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, set, 0o600); err != nil {
		t.Fatal(err)
	}
	return token, keys
}

func TestACallerIsTheSameAtEveryDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, eve := newHolder(), newHolder()
		token, keys := tokenOf(t, map[string]any{
			"iss": "https://login.corp", "aud": []string{"toolgate"}, "sub": "bob", "groups": []string{"desk"}, "exp": time.Now().Add(time.Hour).Unix(),
		})
		opened := accessTo(t, `
principals:
  ann: {keys: [%s], roles: [desk]}
  eve: {keys: [%s], rights: {tools: ["*"], report: true}}
roles: {desk: {tools: [lookup, book], report: true}}
issuers: {corp: {issuer: "https://login.corp", audiences: [toolgate], jwks_file: %q, roles_claim: groups, grants: {desk: desk}}}`, ann.line, eve.line, keys)
		atDoor, client, _ := atHTTP(t)
		up := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, up), with(opened), atDoor, func(c *server.Config) { c.HTTP.Hosts = []string{"*"} })
		for name, shown := range map[string][]string{"a key": {"X-Api-Key", ann.key}, "a token": {"Authorization", "Bearer " + token}} {
			ctx := metadata.AppendToOutgoingContext(t.Context(), strings.ToLower(shown[0]), shown[1])
			listed, err := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var tools []string
			for _, tool := range listed.GetTools() {
				tools = append(tools, tool.GetName())
			}
			if !slices.Equal(tools, []string{"book", "lookup"}) {
				t.Errorf("%s at the gRPC door: %v", name, tools)
			}
			if code, _, text := get(client, "http://gateway.test/v1/tools", shown...); code != http.StatusOK || !strings.Contains(text, `"lookup"`) || strings.Contains(text, `"transfer"`) {
				t.Errorf("%s at the HTTP door: %d %s", name, code, text)
			}
			code, _, text := post(client, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
				append([]string{"Accept", "application/json, text/event-stream"}, shown...)...)
			if code != http.StatusOK {
				t.Errorf("%s at the MCP door: %d %s", name, code, text)
			}

			run := "of " + name
			if _, err := g.Try(ctx, run, "lookup", id(1)); err != nil {
				t.Fatal(err)
			}
			if code, _, text := get(client, "http://gateway.test/v1/runs/"+strings.ReplaceAll(run, " ", "%20"), shown...); code != http.StatusOK || !strings.Contains(text, `"lookup"`) {
				t.Errorf("%s does not find its run at the HTTP door: %d %s", name, code, text)
			}
			for _, path := range []string{"/v1/tools/transfer:call", "/v1/tools/no_such_tool:call"} {
				code, _, text := post(client, path, fmt.Sprintf(`{"run_id":%q,"arguments":{}}`, run), shown...)
				if code != http.StatusBadRequest || !strings.Contains(text, "unknown_tool") {
					t.Errorf("%s, %s: %d %s", name, path, code, text)
				}
			}
		}
		if code, _, text := get(client, "http://gateway.test/metrics", "X-Api-Key", ann.key); code != http.StatusForbidden || strings.Contains(text, "transfer") {
			t.Errorf("metrics, which name every tool, for a caller of some: %d %s", code, text)
		}
		if code, _, text := get(client, "http://gateway.test/metrics", "X-Api-Key", eve.key); code != http.StatusOK || !strings.Contains(text, "toolgate_calls_total") {
			t.Errorf("metrics for a caller of all: %d %s", code, text)
		}
		for _, path := range []string{"/v1/tools", "/v1/report", "/metrics"} {
			if code, header, text := get(client, "http://gateway.test"+path); code != http.StatusUnauthorized || strings.Contains(text, "lookup") {
				t.Errorf("a stranger at %s: %d %v %s", path, code, header, text)
			}
		}
		if code, _, _ := get(client, "http://gateway.test/healthz"); code != http.StatusOK {
			t.Errorf("health: %d", code)
		}
		if code, _, text := post(client, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Accept", "application/json, text/event-stream"); code != http.StatusUnauthorized {
			t.Errorf("a stranger at the MCP door: %d %s", code, text)
		}
	})
}

// However many parts of a door ask who sent a request, it is counted once.
func TestEachCallerIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann := newHolder()
		opened := accessTo(t, `principals: {ann: {keys: [%s], rights: {tools: ["*"]}}}`, ann.line)
		atDoor, client, _ := atHTTP(t)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t)), with(opened), atDoor)
		large := `{"run_id":"r","arguments":{"id":"` + strings.Repeat("x", 100<<10) + `"}}`
		const list, mcp = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "application/json, text/event-stream"
		for i, request := range []struct {
			path, body string
			headers    []string
		}{
			{"/v1/tools/lookup:call", `{"run_id":"r","arguments":{"id":"1"}}`, nil},
			{"/v1/tools/lookup:call", large, nil},
			{"/toolgate.v1.ToolGatewayService/ListTools", `{}`, []string{"Connect-Protocol-Version", "1"}},
			{"/mcp", list, []string{"Accept", mcp, "Mcp-Protocol-Version", "2025-06-18"}},
			{"/mcp", strings.Replace(list, `"tools/list"`, `"tools/call","params":{"name":"lookup","arguments":{"id":"1"}}`, 1), []string{"Accept", mcp, "Mcp-Protocol-Version", "2025-06-18"}},
		} {
			status, _, text := post(client, request.path, request.body, append(request.headers, "X-Api-Key", ann.key)...)
			if want := fmt.Sprintf(`toolgate_authentications_total{credential="key",outcome="ok"} %d`, i+1); !strings.Contains(toolMetrics(t, g), want+"\n") {
				t.Errorf("%s answered %d %.200s: want %s in\n%s", request.path, status, text, want, toolMetrics(t, g))
			}
			status, _, text = post(client, request.path, request.body, request.headers...)
			if want := fmt.Sprintf(`toolgate_authentications_total{credential="none",outcome="no_credential"} %d`, i+1); !strings.Contains(toolMetrics(t, g), want+"\n") {
				t.Errorf("a stranger at %s, answered %d %.200s: want %s in\n%s", request.path, status, text, want, toolMetrics(t, g))
			}
		}
	})
}
