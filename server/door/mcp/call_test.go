package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/servertest"
)

const catalogue = `
upstreams:
  api: {url: http://upstream.test}
tools:
  - name: read
    description: Reads.
    upstream: api
    http: {method: GET, url: /read}
    input_schema:
      type: object
      properties: {id: {type: string}, n: {type: number}}
      additionalProperties: false
  - name: set
    upstream: api
    effect: idempotent
    http: {method: PUT, url: /set}
    input_schema: {type: object}
  - name: write
    upstream: api
    http: {method: POST, url: /write, body: json}
    input_schema: {properties: {amount: {type: number}}}
    errors:
      - {when: status == 409, class: terminal}
`

func TestAnAnswerIsToldOnceAndWithEveryDigit(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		h.upstream.Script(servertest.Respond(200, `{"b":1.10,"a":12345678901234567890}`))
		result := h.connect(t, w).call(t, "write", `{"amount":100000000000000000.10,"z":1,"a":2}`)
		if got := said(t, result); got != `{"b":1.10,"a":12345678901234567890}` || result.IsError || result.StructuredContent != nil {
			t.Errorf("got %s", shown(result))
		}
		if got := h.upstream.Requests()[0].Body; got != `{"amount":100000000000000000.10,"z":1,"a":2}` {
			t.Errorf("the tool got %s", got)
		}
		about, _ := result.Meta[mcp.MetaResult].(map[string]any)
		if about["attempts"] != 1.0 || result.Meta[mcp.MetaRunID] == nil {
			t.Errorf("beside it %v", result.Meta)
		}
	})
}

func TestAFailureIsOneTextAndTheWholeErrorBesideIt(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		step                  servertest.Step
		class, failure, text  string
		retryable             bool
	}{
		{
			"arguments that the schema refuses", "read", `{"id":"a","idd":1}`, nil,
			"ERROR_CLASS_INVALID_REQUEST", "capability", `{"error":"invalid_arguments","class":"invalid_request"`, false,
		},
		{
			"a tool that is not there", "raed", `{}`, nil,
			"ERROR_CLASS_INVALID_REQUEST", "capability", `{"error":"unknown_tool","class":"invalid_request"`, false,
		},
		{
			"a conflict", "write", `{}`, servertest.Respond(http.StatusConflict, `{"error":{"code":"taken","message":"It is taken."}}`),
			"ERROR_CLASS_TERMINAL", "governance", `{"error":"taken","class":"terminal"`, false,
		},
		{
			"a wait that doesn't fit", "read", `{}`, servertest.Respond(http.StatusTooManyRequests, "", "Retry-After", "300"),
			"ERROR_CLASS_TRANSIENT", "reliability", `{"error":"`, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, catalogue, func(t *testing.T, h *house, w way) {
				if c.step != nil {
					h.upstream.Script(c.step)
				}
				result := h.connect(t, w).call(t, c.tool, c.arguments)
				if !result.IsError || !strings.HasPrefix(said(t, result), c.text) || result.StructuredContent != nil {
					t.Fatalf("got %s", shown(result))
				}
				whole, _ := result.Meta[mcp.MetaError].(map[string]any)
				failure, _ := result.Meta["io.modelcontextprotocol/toolFailure"].(map[string]any)
				if whole["class"] != c.class || whole["observation"] != said(t, result) || whole["correlationId"] == nil {
					t.Errorf("the error is %v", whole)
				}
				if failure["class"] != c.failure || failure["code"] != whole["code"] || failure["correlationId"] != whole["correlationId"] ||
					failure["retryable"] != c.retryable || failure["agentGuidance"] == "" {
					t.Errorf("in the proposal's shape it is %v", failure)
				}
				notBefore, told := failure["retryNotBefore"].(float64)
				if want := float64(time.Now().Add(300 * time.Second).UnixMilli()); told != c.retryable || (told && (notBefore < want-2000 || notBefore > want)) {
					t.Errorf("not before %v, want %v", notBefore, want)
				}
			})
		})
	}
}

func TestProgressIsToldWhileTheGatewayWaits(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		limited := servertest.Respond(http.StatusTooManyRequests, `{"error":{"code":"slow_down"}}`, "Retry-After", "4")
		h.upstream.Script(limited, servertest.After(7*time.Second, servertest.Respond(200, `{"ok":true}`)))
		c := h.connect(t, w)
		if result := c.call(t, "read", `{}`, "progressToken", "p1"); result.IsError {
			t.Fatalf("got %s", shown(result))
		}
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		want := `^attempt 1 of 5\|slow_down: attempt 2 of 5 in 4\.\d s\|attempt 2 of 5\|attempt 2 of 5, for 5 s now$`
		if got := strings.Join(c.progress, "|"); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("told %s, want %s", got, want)
		}
		for i, step := range c.steps {
			if step != float64(i+1) {
				t.Errorf("steps %v", c.steps)
			}
		}
	})
}

func TestNobodyIsToldWhoDidNotAsk(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		h.upstream.Script(servertest.Respond(503, ""), servertest.Respond(200, `{}`))
		c := h.connect(t, w)
		c.call(t, "read", `{}`)
		synctest.Wait()
		if len(c.progress) > 0 {
			t.Errorf("told %q", c.progress)
		}
	})
}

func TestACallThatTheClientGivesUpIsCancelled(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		gone := make(chan struct{})
		h.upstream.Script(func(w http.ResponseWriter, r *http.Request) {
			servertest.Hang(w, r)
			close(gone)
		})
		c := h.connect(t, w)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if _, err := c.try(ctx, "read", `{}`); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		<-gone
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("the tool was left alone after %v", took)
		}
		h.upstream.Script(servertest.Respond(200, `{"ok":true}`))
		if result := c.call(t, "read", `{}`); result.IsError {
			t.Errorf("and the session with it: %s", shown(result))
		}
	})
}

func TestOneCallIdIsOneCall(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		h.upstream.Script(servertest.Respond(200, `{"ok":1}`), servertest.Respond(200, `{"ok":2}`))
		c := h.connect(t, w)
		for range 2 {
			if got := said(t, c.call(t, "write", `{"amount":1}`, mcp.MetaCallID, "c1")); got != `{"ok":1}` {
				t.Errorf("got %s", got)
			}
		}
		_, err := c.try(t.Context(), "write", `{"amount":2}`, mcp.MetaCallID, "c1")
		var fault *jsonrpc.Error
		if !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams || !strings.Contains(string(fault.Data), `"reason":"CALL_ID_REUSED"`) {
			t.Errorf("another call under the same id: %v %s", err, data(fault))
		}
	})
}

func data(fault *jsonrpc.Error) string {
	if fault == nil {
		return ""
	}
	return string(fault.Data)
}

func TestMetadataOfTheWrongKindIsRefused(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		c := h.connect(t, w)
		for _, meta := range [][2]any{
			{mcp.MetaRunID, 7}, {mcp.MetaRunID, ""}, {mcp.MetaRunID, strings.Repeat("r", 129)}, {mcp.MetaCallID, []string{"c"}},
			{mcp.MetaFresh, "true"}, {mcp.MetaWantAlternatives, 1}, {mcp.MetaStructured, map[string]any{}},
		} {
			_, err := c.try(t.Context(), "read", `{}`, meta[0], meta[1])
			var fault *jsonrpc.Error
			if !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams || !strings.Contains(string(fault.Data), `"reason":"META_INVALID"`) {
				t.Errorf("%v: %v %s", meta, err, data(fault))
			}
		}
	})
}

func TestRunsAreApart(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		h.upstream.Script(servertest.Respond(http.StatusConflict, `{"error":{"code":"taken"}}`))
		c, other := h.connect(t, w), h.connect(t, w, "X-Forwarded-For", "192.0.2.7")
		refused := func(c *client, meta ...any) bool {
			before := h.upstream.Count()
			c.call(t, "write", `{}`, meta...)
			return h.upstream.Count() == before
		}
		for _, step := range []struct {
			name string
			got  func() bool
			want bool
		}{
			{"the first", func() bool { return refused(c) }, false},
			{"the same again", func() bool { return refused(c) }, true},
			{"in a run of its own", func() bool { return refused(c, mcp.MetaRunID, "r1") }, false},
			{"there again", func() bool { return refused(c, mcp.MetaRunID, "r1") }, true},
			{"there from elsewhere", func() bool { return refused(other, mcp.MetaRunID, "r1") }, true},
			{"from elsewhere", func() bool { return refused(other) }, false},
			{"after a person acted", func() bool { return refused(c, mcp.MetaFresh, true) }, false},
		} {
			if got := step.got(); got != step.want {
				t.Errorf("%s: refused without the tool: %v", step.name, got)
			}
		}
	})
}

func TestTheRunOfASessionEndsWithIt(t *testing.T) {
	for _, w := range ways[1:] {
		t.Run(w.name, func(t *testing.T) {
			bubbleOf(t, catalogue, func(t *testing.T, h *house) {
				h.upstream.Script(servertest.Respond(http.StatusConflict, `{"error":{"code":"taken"}}`))
				c := h.connect(t, w)
				run, _ := c.call(t, "write", `{}`).Meta[mcp.MetaRunID].(string)
				known := func() uint64 {
					got, err := h.gateway.Client.GetRun(t.Context(), &toolgatev1.GetRunRequest{RunId: run})
					if err != nil {
						t.Fatal(err)
					}
					return got.GetRun().GetCalls()
				}
				if known() != 1 {
					t.Errorf("the run %q has %d calls", run, known())
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if known() != 0 {
					t.Errorf("the run %q outlives its session", run)
				}
			})
		})
	}
}

func TestARunMayBeNamedInAHeader(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		for _, w := range ways[:3] {
			c := h.connect(t, w, mcp.HeaderRunID, "nightly")
			if got := c.call(t, "read", `{}`).Meta[mcp.MetaRunID]; got != "nightly" {
				t.Errorf("%s: the run is %v", w.name, got)
			}
		}
	})
}
