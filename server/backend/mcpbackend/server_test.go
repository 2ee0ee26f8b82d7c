package mcpbackend_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func newBackend(server *mcpbackend.Server, tool, schema string) *mcpbackend.Backend {
	return mcpbackend.New(server, mcpbackend.Call{Tool: tool, InputSchema: schema, MaxResultBytes: backendtest.MaxResultBytes})
}

func ask(t *testing.T, server *mcpbackend.Server, tool string) *interceptors.Reply {
	t.Helper()
	return newBackend(server, tool, "").Attempt(t.Context(), backendtest.NewCall(`{}`))
}

func wantFailure(t *testing.T, reply *interceptors.Reply, kind interceptors.TransportFailure, sent bool) {
	t.Helper()
	if reply.Failure != kind || reply.Sent != sent {
		t.Errorf("failure %v, sent %v (%s); want %v, %v", reply.Failure, reply.Sent, reply.Cause, kind, sent)
	}
}

func TestAProgramThatDiesIsStartedAgainAndDisturbsNobody(t *testing.T) {
	pool := pooled(t)
	dying, other := pool.Server(program("play", "")), pool.Server(program("play", "http://127.0.0.1:1"))
	wantFailure(t, ask(t, dying, "drops"), interceptors.FailureReset, true)
	if reply := ask(t, dying, "echo"); reply.Failure != interceptors.FailureNone { // else it is there again
		wantFailure(t, reply, interceptors.FailureRefused, false)
	}
	if reply := ask(t, other, "echo"); reply.Result == nil {
		t.Errorf("the other one: %+v", reply)
	}
	eventually(t, "it is there again", func() bool { return ask(t, dying, "echo").Result != nil })
}

func TestAServerThatCannotBeHadRefusesAndIsNotSent(t *testing.T) {
	for how, spec := range map[string]mcpbackend.Spec{
		"it is not there":       {Upstream: "test", Program: &mcpbackend.Program{Command: "/nowhere/there"}},
		"it ends at once":       program("dead", ""),
		"it says nothing":       program("deaf", ""),
		"nobody listens":        overHTTP(t, "http://"+nobody(t)),
		"it is no MCP server":   overHTTP(t, serveHTTP(t, http.NotFoundHandler())),
		"it listens, and hangs": overHTTP(t, serveHTTP(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }))),
	} {
		t.Run(how, func(t *testing.T) {
			spec.StartTimeout = 300 * time.Millisecond
			server := pooled(t).Server(spec)
			if tools, known := server.Tools(t.Context()); known {
				t.Errorf("it lists %v", tools)
			}
			wantFailure(t, ask(t, server, "echo"), interceptors.FailureRefused, false)
		})
	}
}

func TestAServerThatDoesNotAnswerWhatItDoesNotKnowIsGreetedTheOldWay(t *testing.T) {
	play := &playHTTP{hit: func() {}}
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if bytes.Contains(text, []byte("server/discover")) {
			<-r.Context().Done()
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		play.ServeHTTP(w, r)
	}))
	var servers []*mcpbackend.Server
	for _, spec := range []mcpbackend.Spec{program("old", ""), overHTTP(t, url)} {
		spec.StartTimeout = 6 * time.Second
		servers = append(servers, pooled(t).Server(spec))
	}
	for _, server := range servers {
		if reply := ask(t, server, "echo"); reply.Result == nil {
			t.Errorf("%+v", reply)
		}
	}
}

func TestWhoIsNotLetInIsToldSo(t *testing.T) {
	server := pooled(t).Server(overHTTP(t, serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"invalid_token"}`, http.StatusUnauthorized)
	}))))
	if reply := ask(t, server, "echo"); reply.Status != http.StatusUnauthorized || reply.Sent || !strings.Contains(string(reply.Body), "invalid_token") {
		t.Errorf("%+v", reply)
	}
}

func TestACallThatIsGivenUpIsCancelledAndLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	var cancelled atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" {
			cancelled.Add(1)
		}
	}))
	web := &playHTTP{hit: func() {}}
	slow := httptest.NewServer(web)
	pool := mcpbackend.NewPool()
	for _, spec := range []mcpbackend.Spec{program("play", server.URL), overHTTP(t, slow.URL)} {
		known := pool.Server(spec)
		known.Tools(t.Context())
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
				defer stop()
				wantFailure(t, newBackend(known, "hangs", "").Attempt(ctx, backendtest.NewCall(`{}`)), interceptors.FailureTimeout, true)
			})
		}
		calls.Wait()
	}
	eventually(t, "the program is told", func() bool { return cancelled.Load() == 8 })
	eventually(t, "the server is told", func() bool { return web.count("notifications/cancelled") == 8 })
	pool.Close()
	slow.Close()
	server.Close()
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before+4 })
}

func TestWhatAProgramSaysGoesToTheLogWithoutSecrets(t *testing.T) {
	log := &lockedBuffer{}
	spec := program("play", "")
	spec.Secrets = []string{"its own secret"}
	spec.Program.Environment = append(spec.Program.Environment, "SAY=its own secret is its own secret")
	server := pooled(t, mcpbackend.WithLogger(slog.New(slog.NewJSONHandler(log, nil)))).Server(spec)
	ask(t, server, "garbage")
	eventually(t, "its words are logged", func() bool { return strings.Contains(log.String(), "Listening on port 3000") })
	text := log.String()
	if !strings.Contains(text, `"upstream":"test"`) || !strings.Contains(text, "the password is") || strings.Contains(text, password) || strings.Contains(text, "its own secret") {
		t.Errorf("the log is %s", text)
	}
}

func TestAServerThatComesUpIsFollowed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	pool := pooled(t)
	var changes atomic.Int64
	pool.OnChanged(func() { changes.Add(1) })
	server := pool.Server(overHTTP(t, "http://"+address))
	if _, known := server.Tools(t.Context()); known {
		t.Fatal("it lists before it is there")
	}
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Skip("the port was taken")
	}
	up := &http.Server{Handler: &playHTTP{hit: func() {}}, ReadHeaderTimeout: time.Second}
	go func() { _ = up.Serve(listener) }()
	t.Cleanup(func() { _ = up.Close() })
	eventually(t, "the change is told", func() bool { return changes.Load() == 1 })
	if tools, known := server.Tools(t.Context()); !known || len(tools) == 0 {
		t.Errorf("it lists %v", tools)
	}
}

func TestAStreamThatBreaksOffIsGoneOnWith(t *testing.T) {
	play := &playHTTP{hit: func() {}}
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "e1":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":"+play.pending+",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"at last\"}]}}\n\n")
		case bytes.Contains(text, []byte(`"resumes"`)):
			_, after, _ := bytes.Cut(text, []byte(`"id":`))
			id, _, _ := bytes.Cut(after, []byte(","))
			play.pending = string(id)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: e1\nretry: 1\ndata: \n\n")
		default:
			r.Body = io.NopCloser(bytes.NewReader(text))
			play.ServeHTTP(w, r)
		}
	}))
	server := pooled(t).Server(overHTTP(t, url))
	if reply := ask(t, server, "resumes"); reply.Result == nil || reply.Result.GetContent()[0].GetText().GetText() != "at last" {
		t.Errorf("%+v", reply)
	}
}

func TestServersThatNobodyUsesAnyMoreAreEnded(t *testing.T) {
	pool := pooled(t)
	kept, gone := pool.Server(program("play", "")), pool.Server(program("play", "http://127.0.0.1:1"))
	kept.Tools(t.Context())
	gone.Tools(t.Context())
	if pool.Server(program("play", "")) != kept {
		t.Error("the same server is two")
	}
	pool.Retain([]*mcpbackend.Server{kept})
	eventually(t, "it is refused", func() bool { return ask(t, gone, "echo").Failure == interceptors.FailureRefused })
	if reply := ask(t, kept, "echo"); reply.Result == nil {
		t.Errorf("%+v", reply)
	}
}

type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
