package mcpbackend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/servertest"
)

// purse hands out tokens, each good until it is refused.
type purse struct {
	renewed atomic.Int64
	empty   atomic.Bool
}

func (p *purse) Token(context.Context) (string, *interceptors.Reply) {
	if p.empty.Load() {
		return "", &interceptors.Reply{Failure: interceptors.FailureRequest, Cause: "no token"}
	}
	return fmt.Sprint("token-", p.renewed.Load()), nil
}

func (p *purse) Renew(ctx context.Context, refused string) (string, *interceptors.Reply) {
	if now, _ := p.Token(ctx); now == refused { // somebody else may have renewed it
		p.renewed.Add(1)
	}
	return p.Token(ctx)
}

func TestEveryRequestShowsWhoAsks(t *testing.T) {
	play := &playHTTP{hit: func() {}}
	tokens := &purse{}
	var good atomic.Pointer[string]
	first := "token-0"
	good.Store(&first)
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k1" {
			t.Errorf("%s without its header", r.Method)
		}
		if r.Header.Get("Authorization") != "Bearer "+*good.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		play.ServeHTTP(w, r)
	}))
	spec := overHTTP(t, url)
	spec.Header, spec.Bearer = http.Header{"X-Key": {"k1"}}, tokens
	server := pooled(t).Server(spec)
	if reply := ask(t, server, "echo"); reply.Result == nil {
		t.Fatalf("%+v", reply)
	}
	second := "token-1"
	good.Store(&second)
	if reply := newBackend(server, "echo", "").Attempt(t.Context(), backendtest.NewCall(`{"said":"token-1"}`)); reply.Result.GetStructuredJson() != `{"said":"[secret]"}` {
		t.Errorf("%+v", reply)
	}
	tokens.empty.Store(true)
	wantFailure(t, ask(t, server, "echo"), interceptors.FailureRequest, false)
}

func TestAServerThatMovedIsFollowedWithinItsHost(t *testing.T) {
	play := &playHTTP{hit: func() {}}
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusTemporaryRedirect)
			return
		}
		play.ServeHTTP(w, r)
	}))
	if reply := ask(t, pooled(t).Server(overHTTP(t, url)), "echo"); reply.Result == nil {
		t.Errorf("%+v", reply)
	}
	other := serveHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect left the host") }))
	away := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	}))
	wantFailure(t, ask(t, pooled(t).Server(overHTTP(t, away)), "echo"), interceptors.FailureRefused, false)
}

func TestACallTellsItsTrace(t *testing.T) {
	var told atomic.Value
	play := &playHTTP{hit: func() {}}
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var m struct {
			Method string `json:"method"`
			Params struct {
				Meta map[string]any `json:"_meta"`
			} `json:"params"`
		}
		if json.Unmarshal(text, &m) == nil && m.Method == "tools/call" {
			told.Store(fmt.Sprint(m.Params.Meta["traceparent"]))
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		play.ServeHTTP(w, r)
	}))
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	ctx := trace.ContextWithSpanContext(t.Context(), span)
	newBackend(pooled(t).Server(overHTTP(t, url)), "echo", "").Attempt(ctx, backendtest.NewCall(`{}`))
	if got := told.Load(); got != "00-01000000000000000000000000000000-0200000000000000-01" {
		t.Errorf("told %v", got)
	}
}

func TestAnErrorThatNamesNoQuestionAnswersTheOneThatWasPut(t *testing.T) {
	play := &playHTTP{hit: func() {}}
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if bytes.Contains(text, []byte(`"tools/call"`)) {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what is this?"}}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		play.ServeHTTP(w, r)
	}))
	if reply := ask(t, pooled(t).Server(overHTTP(t, url)), "echo"); reply.Status != -32600 || !strings.Contains(string(reply.Body), "what is this?") {
		t.Errorf("%+v", reply)
	}
}

func TestARuleReadsASuccess(t *testing.T) {
	url := serveHTTP(t, &playHTTP{hit: func() {}})
	tools := servertest.Load(t, "upstreams: {play: {url: \""+url+"\", mcp: {}}}\ntools:\n"+
		"  - {name: echo, upstream: play, effect: read, input_schema: {type: object}, mcp: {}, errors: [{when: body.ok == false, class: terminal, code: not_ok}]}\n", nil)
	t.Cleanup(tools.Close)
	g := servertest.Start(t, tools)
	wantError(t, g.Call(t, "r", "echo", `{"ok":false}`), interceptors.Terminal, "not_ok")
	if got := g.Call(t, "r", "echo", `{"ok":true}`).GetResult(); got.GetStructuredJson() != `{"ok":true}` {
		t.Errorf("%v", got)
	}
}
