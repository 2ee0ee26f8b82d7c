package mcpbackend_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgate.dev/toolgate/server/backend/backendtest"
)

// The test binary is also the program that the tests start: a server with vices on
// its standard streams.
const (
	playVariable = "MCPBACKEND_PLAY"
	hitsVariable = "MCPBACKEND_HITS"
)

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) != "" {
		playStdio(os.Getenv(playVariable), os.Getenv(hitsVariable))
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // tests end so
}

// request is a message that came.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// play is what a server does with calls, whatever they come over.
type play struct {
	hit  func()
	send func(text string)             // beside the answer
	drop func()                        // goes away
	done func(request) <-chan struct{} // closed when the caller is gone
}

const (
	password  = "hunter2-swordfish"
	traceback = "Traceback (most recent call last):\n  File \"/srv/app/db.py\", line 42, in connect\n    conn = psycopg.connect(\"postgresql://app:" + password + "@db.internal:5432/crm\")\nValueError: customer_id must be a positive number"
)

func result(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text)
}

func failed(text string) string {
	return fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%s}]}`, quoted(text))
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// answer is the result, or the error, of a message; empty: there is none.
func (p *play) answer(r request) string {
	switch r.Method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"play","version":"1"}}`
	case "tools/list":
		return `"result":` + listPage(r.Params.Cursor)
	case "tools/call":
		p.hit()
		return p.call(r)
	}
	return `"error":{"code":-32601,"message":"method not found"}`
}

// listPage lists in two pages, with a schema that is none and a name twice.
func listPage(cursor string) string {
	if cursor == "" {
		return `{"nextCursor":"two","tools":[{"name":"echo","description":"Says it again.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"number"}}}},` +
			`{"name":"broken","inputSchema":{"type":"object","properties":{"a":{"type":"strnig"}}}}]}`
	}
	list := `{"tools":[{"name":"echo","description":"Again.","inputSchema":{"type":"object"}},{"name":"bad/name","inputSchema":{}},{"name":"","inputSchema":{}}`
	for _, name := range []string{"hangs", "drops", "floods", "traceback", "fault", "garbage", "late", "html", "busy", "image", "refuses", "works"} {
		list += `,{"name":"` + name + `","inputSchema":{"type":"object"}}`
	}
	return list + `]}`
}

func (p *play) call(r request) string {
	switch r.Params.Name {
	case "echo", "broken":
		return `"result":{"structuredContent":` + string(r.Params.Arguments) + `,"content":[{"type":"text","text":` + quoted(string(r.Params.Arguments)) + `}]}`
	case "hangs":
		<-p.done(r)
		return ""
	case "drops":
		p.drop()
		return ""
	case "floods":
		return `"result":` + result(strings.Repeat("x", backendtest.FloodBytes))
	case "traceback":
		return `"result":` + failed(traceback)
	case "fault":
		return `"error":{"code":-32603,"message":"connect postgresql://app:` + password + `@db.internal:5432/crm failed"}`
	case "garbage":
		p.send("Listening on port 3000\n")
		p.send("{\"half\n")
		p.send(`{"jsonrpc":"2.0","id":99,"method":"sampling/createMessage","params":{}}` + "\n")
		p.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n")
		return `"result":` + result("after all")
	case "image":
		return `"result":{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"hologram","depth":3},{"type":"resource_link","uri":"file:///a","name":"a"}]}`
	case "refuses":
		return `"result":` + failed(`Error executing tool refuses: 429 Too Many Requests`)
	case "late":
		<-p.done(r)
		return `"result":` + result("too late")
	case "works":
		for _, step := range []string{`"progress":3,"total":10,"message":"reading with password=` + password + `"`, `"progress":4`} { // the second comes too soon
			p.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(r.Params.Meta.Token) + `,` + step + `}}` + "\n")
		}
		return `"result":` + result("done")
	}
	return `"error":{"code":-32602,"message":"Unknown tool: ` + r.Params.Name + `"}`
}

// playStdio serves on the standard streams until they end. how changes what the
// server is like as a whole.
func playStdio(how, hits string) {
	fmt.Fprintln(os.Stderr, "the password is password="+password)
	switch how {
	case "dead":
		os.Exit(3) //nolint:forbidigo // a program of its own
	case "deaf":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "parent":
		child := exec.Command("sleep", "300")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		_ = child.Start()
		fmt.Fprintln(os.Stderr, "the child is", child.Process.Pid, "now")
	}
	if words := os.Getenv("SAY"); words != "" {
		fmt.Fprintln(os.Stderr, words)
	}
	out := &lockedWriter{to: os.Stdout}
	calls := &running{calls: map[string]chan struct{}{}}
	p := &play{
		hit:  func() { hitOver(hits) },
		send: func(text string) { out.write(text) },
		drop: func() { os.Exit(1) }, //nolint:forbidigo // a program of its own
		done: calls.of,
	}
	in := bufio.NewReader(os.Stdin)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if json.Unmarshal(text, &r) != nil {
			continue
		}
		if r.Method == "notifications/cancelled" {
			hitOver(hits + "?cancelled=1")
			calls.cancel(string(r.Params.RequestID))
		}
		if r.ID == nil || r.Method == "" || how == "old" && r.Method == "server/discover" {
			continue
		}
		go func() {
			if body := p.answer(r); body != "" {
				out.write(`{` + body + `,"jsonrpc":"2.0","id":` + string(r.ID) + "}\n")
			}
		}()
	}
}

// running are calls that can be cancelled.
type running struct {
	mu    sync.Mutex // guards calls
	calls map[string]chan struct{}
}

func (c *running) of(r request) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[string(r.ID)] = make(chan struct{})
	return c.calls[string(r.ID)]
}

func (c *running) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.calls[id]; call != nil {
		close(call)
		delete(c.calls, id)
	}
}

func hitOver(url string) {
	if url == "" {
		return
	}
	resp, err := http.Get(url)
	if err == nil {
		_ = resp.Body.Close()
	}
}

type lockedWriter struct {
	mu sync.Mutex // guards to
	to io.Writer
}

func (w *lockedWriter) write(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = io.WriteString(w.to, text)
}

// playHTTP serves over streamable HTTP.
type playHTTP struct {
	hit func()

	mu       sync.Mutex // guards the rest
	pending  string     // id of a call
	sessions map[string]bool
	opened   int
	busy     int      // answers 503 so often
	came     []string // methods
}

func (h *playHTTP) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		h.note(req.Method)
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	}
	text, _ := io.ReadAll(req.Body)
	var r request
	_ = json.Unmarshal(text, &r)
	h.note(r.Method)
	if r.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", h.open())
	} else if !h.knows(req.Header.Get("Mcp-Session-Id")) {
		http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`, http.StatusNotFound)
		return
	}
	if r.ID == nil || r.Method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if r.Params.Name == "busy" && h.isBusy() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "upstream connect error", http.StatusServiceUnavailable)
		return
	}
	h.answer(w, req, r)
}

func (h *playHTTP) answer(w http.ResponseWriter, req *http.Request, r request) {
	events := r.Params.Name == "garbage" || r.Params.Name == "drops" || r.Params.Name == "works"
	p := &play{
		hit: h.hit,
		send: func(text string) {
			if strings.HasPrefix(text, `{"jsonrpc"`) {
				_, _ = io.WriteString(w, "event: message\ndata: "+text+"\n")
			}
		},
		drop: func() { panic(http.ErrAbortHandler) },
		done: func(request) <-chan struct{} { return req.Context().Done() },
	}
	switch r.Params.Name {
	case "html":
		h.hit()
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><title>Welcome</title></html>")
		return
	case "busy":
		r.Params.Name = "echo"
	}
	if events {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	body := p.answer(r)
	if body == "" {
		return
	}
	body = `{` + body + `,"jsonrpc":"2.0","id":` + string(r.ID) + `}`
	if events {
		body = "id: 1\ndata: " + body + "\n\n"
	}
	_, _ = io.WriteString(w, body)
}

func (h *playHTTP) note(method string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.came = append(h.came, method)
}

func (h *playHTTP) open() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions == nil {
		h.sessions = map[string]bool{}
	}
	h.opened++
	id := fmt.Sprint("s", h.opened)
	h.sessions[id] = true
	return id
}

func (h *playHTTP) knows(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// forget has every session expire.
func (h *playHTTP) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.sessions)
}

func (h *playHTTP) isBusy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy--
	return h.busy >= 0
}

func (h *playHTTP) count(method string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, came := range h.came {
		if came == method {
			n++
		}
	}
	return n
}

// eventually waits for what another goroutine or process does soon.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("never: " + what)
		}
	}
}

// hits counts requests.
func hits(n *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			n.Add(1)
		}
	})
}
