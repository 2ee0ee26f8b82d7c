package mcpbackend_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/servertest"
)

const (
	policy = `
defaults: {attempt_timeout: 20s, call_deadline: 60s, max_wait: 10s, backoff: 0.01s, backoff_max: 0.02s, max_attempts: 3, breaker_failures: 0, max_result_bytes: 1048576}
mcp:
  - upstream: play
    tools: {echo: {effect: read}, hangs: {effect: read, policy: {attempt_timeout: 0.2s}}, late: {effect: read, policy: {attempt_timeout: 0.2s}}, busy: {effect: read}, html: {effect: read}, "refuses": {effect: read}}
`
)

// vicious is a gateway before the play.
type vicious struct {
	*servertest.Gateway

	hits atomic.Int64
	http *playHTTP // nil: a program
}

func behindProgram(t *testing.T) *vicious {
	v := &vicious{}
	server := httptest.NewServer(hits(&v.hits))
	t.Cleanup(server.Close)
	self, err := json.Marshal(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	v.start(t, fmt.Sprintf(`{mcp: {program: {command: %s, environment: {%s: play, %s: %q}, secret_environment: {SECRET: {from: "env:PATH"}}}}}`,
		self, playVariable, hitsVariable, server.URL))
	return v
}

func behindHTTP(t *testing.T) *vicious {
	v := &vicious{http: &playHTTP{busy: 2}}
	v.http.hit = func() { v.hits.Add(1) }
	v.start(t, fmt.Sprintf(`{url: %q, mcp: {}}`, serveHTTP(t, v.http)))
	return v
}

func (v *vicious) start(t *testing.T, upstream string) {
	tools := servertest.Load(t, "upstreams:\n  play: "+upstream+policy, nil)
	v.Gateway = servertest.Start(t, tools)
	t.Cleanup(tools.Close)
}

// ask makes a call and holds what comes of it against what nobody may see.
func (v *vicious) ask(t *testing.T, tool, arguments string) *toolgatev1.CallToolResponse {
	t.Helper()
	resp := v.Call(t, t.Name(), tool, arguments)
	text := protojson.Format(resp)
	for _, secret := range []string{password, "Traceback", "db.internal", "/srv/app", "psycopg", "-32603", "File \\\"", "goroutine", "127.0.0.1"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %s: %s", tool, secret, text)
		}
	}
	return resp
}

func wantError(t *testing.T, resp *toolgatev1.CallToolResponse, class toolgatev1.ErrorClass, code string) {
	t.Helper()
	if e := resp.GetError(); e.GetErrorClass() != class || code != "" && e.GetCode() != code {
		t.Errorf("got %v, want %v %s", resp, class, code)
	}
}

func TestAClientSeesNoneOfAServersVices(t *testing.T) {
	for name, behind := range map[string]func(*testing.T) *vicious{"a program": behindProgram, "over HTTP": behindHTTP} {
		t.Run(name, func(t *testing.T) {
			v := behind(t)
			t.Run("a traceback with a password", func(t *testing.T) {
				e := v.ask(t, "traceback", `{}`)
				wantError(t, e, interceptors.InvalidRequest, "")
				if !strings.Contains(e.GetError().GetMessage(), "customer_id must be a positive number") {
					t.Errorf("what can be acted on is lost: %s", e.GetError().GetMessage())
				}
			})
			t.Run("a protocol error with a password", func(t *testing.T) {
				wantError(t, v.ask(t, "fault", `{}`), interceptors.Terminal, interceptors.CodeOutcomeUnknown)
			})
			t.Run("hangs", func(t *testing.T) {
				e := v.ask(t, "hangs", `{}`)
				wantError(t, e, interceptors.Transient, interceptors.CodeTimeout)
				if !e.GetError().GetExhausted() {
					t.Errorf("%v", e)
				}
			})
			t.Run("floods", func(t *testing.T) {
				got := v.ask(t, "floods", `{}`).GetResult()
				if len(got.GetContent()) != 1 {
					t.Fatalf("%d blocks", len(got.GetContent()))
				}
				if size := len(got.GetContent()[0].GetText().GetText()); size > 1<<20 || size < 1<<19 || !got.GetTruncated() {
					t.Errorf("%d bytes, truncated %v", size, got.GetTruncated())
				}
			})
			t.Run("garbage beside the answer", func(t *testing.T) {
				if got := v.ask(t, "garbage", `{}`).GetResult().GetContent(); len(got) != 1 || got[0].GetText().GetText() != "after all" {
					t.Errorf("%v", got)
				}
			})
			t.Run("ignores that it is cancelled", func(t *testing.T) {
				wantError(t, v.ask(t, "late", `{}`), interceptors.Transient, interceptors.CodeTimeout)
			})
			t.Run("goes away with a write", func(t *testing.T) {
				before := v.hits.Load()
				wantError(t, v.ask(t, "drops", `{}`), interceptors.Terminal, interceptors.CodeOutcomeUnknown)
				if v.hits.Load() != before+1 {
					t.Errorf("it was sent %d times", v.hits.Load()-before)
				}
			})
			t.Run("and is there again", func(t *testing.T) {
				eventually(t, "an answer", func() bool {
					return v.ask(t, "echo", `{"n":12345678901234567890}`).GetResult().GetStructuredJson() == `{"n":12345678901234567890}`
				})
			})
			t.Run("blocks of all kinds", func(t *testing.T) {
				got := v.ask(t, "image", `{}`).GetResult().GetContent()
				if len(got) != 3 || len(got[0].GetImage().GetData()) != 8 || !strings.Contains(got[1].GetText().GetText(), "hologram") || got[2].GetResource().GetUri() != "file:///a" {
					t.Errorf("%v", got)
				}
			})
			t.Run("words of a rate limit", func(t *testing.T) {
				e := v.ask(t, "refuses", `{}`)
				wantError(t, e, interceptors.Transient, "too_many_requests")
			})
			t.Run("a list with faults", func(t *testing.T) { v.wantList(t) })
		})
	}
}

func (v *vicious) wantList(t *testing.T) {
	list, err := v.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.GetTools() {
		names = append(names, tool.GetName())
	}
	if slices.Contains(names, "bad/name") || len(names) != len(slices.Compact(slices.Clone(names))) || len(names) != 14 {
		t.Errorf("the tools are %v", names)
	}
	warned := fmt.Sprint(v.Server.Catalog().Warnings())
	for _, part := range []string{`"bad/name"`, `the name "echo" is that of another`, "the schema does not compile"} {
		if !strings.Contains(warned, part) {
			t.Errorf("no warning of %s in %s", part, warned)
		}
	}
}

func TestVicesOfHTTPServers(t *testing.T) {
	v := behindHTTP(t)
	t.Run("503 twice, then it works", func(t *testing.T) {
		if got := v.ask(t, "busy", `{"a":1}`); got.GetResult().GetStructuredJson() != `{"a":1}` || got.GetResult().GetAttempts() != 3 {
			t.Errorf("%v", got)
		}
	})
	t.Run("a page in place of an answer", func(t *testing.T) {
		wantError(t, v.ask(t, "html", `{}`), interceptors.Transient, interceptors.CodeUnreachable)
	})
	t.Run("every session is forgotten", func(t *testing.T) {
		before, opened := v.hits.Load(), v.http.count("initialize")
		v.http.forget()
		if got := v.ask(t, "echo", `{"n":1}`); got.GetResult().GetAttempts() != 1 {
			t.Errorf("%v", got)
		}
		if v.hits.Load() != before+1 || v.http.count("initialize") != opened+1 {
			t.Errorf("%d calls and %d sessions", v.hits.Load()-before, v.http.count("initialize")-opened)
		}
	})
}
