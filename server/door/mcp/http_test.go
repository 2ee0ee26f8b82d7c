package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/servertest"
)

// send sends one message as it is written.
func (h *house) send(t *testing.T, method, message string, headers ...string) (int, http.Header, string) {
	t.Helper()
	status, header, body, err := h.trySend(method, message, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return status, header, body
}

func (h *house) trySend(method, message string, headers ...string) (int, http.Header, string, error) {
	web := h.web()
	defer web.Transport.(headed).CloseIdleConnections()
	r, err := http.NewRequest(method, "http://gateway.test/mcp", strings.NewReader(message))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := web.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(body), err
}

// post sends a message outside of any session, as an old client without one may.
func (h *house) post(t *testing.T, message string) string {
	t.Helper()
	status, _, body := h.send(t, http.MethodPost, message)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	return event(t, body)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// initialize opens a session by hand.
func (h *house) initialize(t *testing.T, headers ...string) (session string) {
	t.Helper()
	status, header, body := h.send(t, http.MethodPost, hello, headers...)
	if status != http.StatusOK || header.Get("Mcp-Session-Id") == "" {
		t.Fatalf("%d %s", status, body)
	}
	return header.Get("Mcp-Session-Id")
}

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

func (h *house) alive(t *testing.T, session string, headers ...string) int {
	t.Helper()
	status, _, _ := h.send(t, http.MethodPost, ping, append(headers, "Mcp-Session-Id", session)...)
	return status
}

func TestWebPagesThatNobodyInvitedAreKeptOut(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		if status, _, body := h.send(t, http.MethodPost, hello, "Origin", "https://evil.example"); status != http.StatusForbidden {
			t.Errorf("%d %s", status, body)
		}
	})
}

func TestWhatIsNoMessageIsSaidToBeNone(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		deep := strings.Repeat("[", 2000)
		for name, c := range map[string]struct {
			message string
			status  int
		}{
			"no JSON":                     {`{"jsonrpc":`, 400},
			"nothing":                     {``, 400},
			"deep outside of arguments":   {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + deep, 400},
			"deep beside its arguments":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","x":` + deep + strings.Repeat("]", 2000) + `,"params":{"arguments":{}}}`, 400},
			"deep and cut":                {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":` + deep, 400},
			"larger than anything may be": {`{"x":"` + strings.Repeat("x", 33<<20) + `"}`, 413},
		} {
			if status, _, body := h.send(t, http.MethodPost, c.message); status != c.status || len(body) > 400 {
				t.Errorf("%s: %d %.400s", name, status, body)
			}
		}
	})
}

func TestArgumentsThatNoToolTakesAreTheModelsToMend(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		for name, c := range map[string]struct{ arguments, code string }{
			"nesting":        {strings.Repeat(`{"id":`, 5000) + "1" + strings.Repeat("}", 5000), ""},
			"deeper nesting": {strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), ""},
			"ten megabytes":  {`{"id":"` + strings.Repeat("x", 10<<20) + `"}`, "arguments_too_large"},
			"a list":         {`[1]`, "invalid_arguments"},
			"a string":       {`"text"`, "invalid_arguments"},
			"doubled keys":   {`{"id":"a","id":"b"}`, ""},
			"a number":       {`{"n":"x"}`, "invalid_arguments"},
		} {
			got := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":`+c.arguments+
				`,"_meta":{"dev.toolgate/run_id":"`+name+`"}}}`)
			if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, `\"class\":\"invalid_request\"`) || !strings.Contains(got, c.code) || len(got) > 12<<10 {
				t.Errorf("%s: %.1000s", name, got)
			}
		}
		if h.upstream.Count() > 0 {
			t.Errorf("%d of them reached the tool", h.upstream.Count())
		}
	})
}

func TestASessionIsItsPrincipals(t *testing.T) {
	identity := func(config *server.Config) {
		config.Identity = func(ctx context.Context) (string, error) {
			md, _ := metadata.FromIncomingContext(ctx)
			if key := md.Get("x-api-key"); len(key) == 1 && strings.HasPrefix(key[0], "key-") {
				return key[0][4:], nil
			}
			return "", interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing, "a credential is required")
		}
	}
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		for _, w := range ways[:3] {
			_, err := sdk.NewClient(&sdk.Implementation{Name: "stranger"}, nil).Connect(t.Context(),
				&sdk.StreamableClientTransport{Endpoint: "http://gateway.test/mcp", HTTPClient: h.web(), MaxRetries: -1}, &sdk.ClientSessionOptions{ProtocolVersion: w.version})
			if err == nil {
				t.Errorf("%s: a stranger was let in", w.name)
			}
			if result := h.connect(t, w, "X-Api-Key", "key-ann").call(t, "read", `{}`); result.IsError {
				t.Errorf("%s: %s", w.name, shown(result))
			}
		}
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			status, header, body := h.send(t, method, hello)
			if status != http.StatusUnauthorized || header.Get("WWW-Authenticate") == "" || !strings.Contains(body, "CREDENTIAL_MISSING") {
				t.Errorf("a stranger: %d %v %s", status, header, body)
			}
		}
		session := h.initialize(t, "X-Api-Key", "key-ann")
		if status, _, _ := h.send(t, http.MethodDelete, "", "X-Api-Key", "key-bob", "Mcp-Session-Id", session); status < 400 {
			t.Errorf("another ended it: %d", status)
		}
		if status := h.alive(t, session, "X-Api-Key", "key-bob"); status < 400 {
			t.Errorf("another used it: %d", status)
		}
		if status := h.alive(t, session, "X-Api-Key", "key-ann"); status != 200 {
			t.Errorf("its own: %d", status)
		}
	}, identity)
}

func TestIdleSessionsEndAndGiveWay(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		served := mcp.New(h.gateway.Server.House(), mcp.WithSessions(2, time.Minute))
		h.listener = open(t, served)
		first := h.initialize(t)
		time.Sleep(50 * time.Second)
		if h.alive(t, first) != 200 {
			t.Error("it ended before its time")
		}
		time.Sleep(50 * time.Second)
		second := h.initialize(t)
		if h.alive(t, first) != 200 {
			t.Error("it ended though it was used")
		}
		time.Sleep(time.Second)
		if h.alive(t, first) != 200 {
			t.Error("it ended though it was used")
		}
		third := h.initialize(t) // the second has been idle longest
		synctest.Wait()
		if served.Sessions() != 2 {
			t.Errorf("%d sessions are open", served.Sessions())
		}
		if a, b, c := h.alive(t, first), h.alive(t, second), h.alive(t, third); a != 200 || b != 404 || c != 200 {
			t.Errorf("of two places: %d %d %d", a, b, c)
		}
		time.Sleep(time.Minute + time.Second)
		if a, c := h.alive(t, first), h.alive(t, third); a != 404 || c != 404 {
			t.Errorf("nobody used them: %d %d", a, c)
		}
	})
}

func TestSessionsInUseGiveNoWay(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.listener = open(t, mcp.New(h.gateway.Server.House(), mcp.WithSessions(1, time.Minute)))
		h.connect(t, ways[1]) // has a stream open
		synctest.Wait()
		time.Sleep(time.Hour)
		status, header, body := h.send(t, http.MethodPost, hello)
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "10" || !strings.Contains(body, "SESSIONS_FULL") {
			t.Errorf("%d %v %s", status, header, body)
		}
	})
}

func TestWhoDeletesASessionDoesNotWaitForItsCalls(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.upstream.Script(servertest.Hang)
		session := h.initialize(t)
		go func() {
			_, _, _, _ = h.trySend(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`, "Mcp-Session-Id", session)
		}()
		synctest.Wait()
		start := time.Now()
		status, _, _ := h.send(t, http.MethodDelete, "", "Mcp-Session-Id", session)
		if took := time.Since(start); status != http.StatusNoContent || took > time.Second {
			t.Errorf("%d after %v", status, took)
		}
		synctest.Wait()
	})
}

func TestClosingLetsCallsFinishAndEndsStreams(t *testing.T) {
	for _, w := range ways[:3] {
		t.Run(w.name, func(t *testing.T) { bubbleOf(t, catalogue, closing(w)) })
	}
}

func closing(w way) func(*testing.T, *house) {
	return func(t *testing.T, h *house) {
		h.upstream.Script(servertest.After(3*time.Second, servertest.Respond(200, `{"ok":true}`)))
		c := h.connect(t, w)
		answered := make(chan error, 1)
		go func() {
			result, err := c.try(context.Background(), "read", `{}`)
			if err == nil && result.IsError {
				err = errors.New(shown(result))
			}
			answered <- err
		}()
		synctest.Wait()
		start := time.Now()
		h.gateway.Server.MCP().Close()
		if took := time.Since(start); took < 2*time.Second || took > 5*time.Second {
			t.Errorf("closed after %v", took)
		}
		if err := <-answered; err != nil {
			t.Errorf("the call was lost: %v", err)
		}
		if status, _, body := h.send(t, http.MethodPost, hello); status != http.StatusServiceUnavailable || !strings.Contains(body, "DRAINING") {
			t.Errorf("another session: %d %s", status, body)
		}
	}
}

func TestTheTraceOfARequestIsItsOwn(t *testing.T) {
	seen := map[string][]string{}
	identity := func(config *server.Config) {
		config.Identity = func(ctx context.Context) (string, error) {
			md, _ := metadata.FromIncomingContext(ctx)
			if trace := md.Get("traceparent"); len(trace) > 0 {
				seen[trace[0]] = trace
			}
			return interceptors.Anonymous, nil
		}
	}
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"_meta":{"traceparent":"`+trace+`"}}}`)
		if len(seen[trace]) != 1 {
			t.Errorf("seen %v", seen)
		}
	}, identity)
}

func TestASealOfAStrangerIsAnOrdinaryString(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		got := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":"AAAAAAAAAAAAAAAAAAAAAAAAAA{}"}}`)
		if !strings.Contains(got, "invalid_arguments") || h.upstream.Count() > 0 {
			t.Errorf("got %s", got)
		}
	})
}

func TestResultsSayWhatTheNewestVersionWants(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		for method, params := range map[string]string{
			"tools/list": `{}`, "tools/call": `{"name":"read","arguments":{}}`, "server/discover": `{}`,
		} {
			meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
			message := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + strings.Replace(params, "{", "{"+meta+",", 1) + `}`
			message = strings.Replace(message, ",}", "}", 1)
			status, _, body := h.send(t, http.MethodPost, message,
				"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", "read")
			if status != http.StatusOK || !strings.Contains(body, `"resultType":"complete"`) {
				t.Errorf("%s: %d %s", method, status, body)
			}
		}
	})
}

func TestStreamsWithoutSessionsAreBounded(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.listener = open(t, mcp.New(h.gateway.Server.House(), mcp.WithSessions(1, time.Minute)))
		h.connect(t, ways[0]) // listens
		synctest.Wait()
		const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`
		status, _, body := h.send(t, http.MethodPost, listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
		if status != http.StatusServiceUnavailable || !strings.Contains(body, "SESSIONS_FULL") {
			t.Errorf("%d %s", status, body)
		}
	})
}
