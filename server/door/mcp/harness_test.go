package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/door"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/servertest"
)

// way is one way to the door.
type way struct {
	name, version string
	stdio         bool
}

var ways = []way{
	{name: "streamable HTTP, without sessions", version: "2026-07-28"},
	{name: "streamable HTTP, in a session", version: "2025-11-25"},
	{name: "streamable HTTP, as in the beginning", version: "2024-11-05"},
	{name: "standard input, newest", version: "2026-07-28", stdio: true},
	{name: "standard input, older", version: "2025-06-18", stdio: true},
}

// house is a gateway, its upstream and its MCP door.
type house struct {
	gateway  *servertest.Gateway
	upstream *servertest.Upstream
	listener *pipetest.Listener
}

// bubble runs a story once for each way, in virtual time.
func bubble(t *testing.T, catalogue string, story func(t *testing.T, h *house, w way)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) { bubbleOf(t, catalogue, func(t *testing.T, h *house) { story(t, h, w) }) })
	}
}

func bubbleOf(t *testing.T, catalogue string, story func(t *testing.T, h *house), options ...servertest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t)
		h := &house{upstream: upstream, gateway: servertest.Start(t, servertest.Load(t, catalogue, upstream), options...)}
		h.listener = open(t, h.gateway.Server.MCP())
		story(t, h)
	})
}

// open serves a door over HTTP.
func open(t *testing.T, served *mcp.Door) *pipetest.Listener {
	t.Helper()
	listener := pipetest.Listen()
	web := &http.Server{Handler: door.Guard{}.Wrap(served)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(listener)
	}()
	t.Cleanup(func() {
		served.Close()
		_ = web.Close()
		<-done
		time.Sleep(time.Second) // net/http waits half of one with a connection that it gave up
	})
	return listener
}

// client is an agent's, of the official SDK.
type client struct {
	*sdk.ClientSession

	mu       sync.Mutex // guards the rest
	progress []string
	steps    []float64
	changes  int
}

func (h *house) web(headers ...string) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return h.listener.DialContext(ctx) }}
	return &http.Client{Transport: headed{transport, headers}}
}

type headed struct {
	*http.Transport

	headers []string
}

func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for i := 0; i+1 < len(h.headers); i += 2 {
		r.Header.Set(h.headers[i], h.headers[i+1])
	}
	return h.Transport.RoundTrip(r)
}

func (h *house) connect(t *testing.T, w way, headers ...string) *client {
	t.Helper()
	c := &client{}
	options := &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress, c.steps = append(c.progress, req.Params.Message), append(c.steps, req.Params.Progress)
		},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.changes++
		},
	}
	web := h.web(headers...)
	var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: "http://gateway.test/mcp", HTTPClient: web}
	if w.stdio {
		transport = pipes(t, h.gateway.Server)
	}
	var err error
	c.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, options).
		Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		web.Transport.(headed).CloseIdleConnections()
	})
	return c
}

// pipes runs the door over pipes, as a program would over its standard input.
func pipes(t *testing.T, served *server.Server) sdk.Transport {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- served.MCP().ServeStdio(context.Background(), ourIn, ourOut)
		_ = ourOut.Close()
	}()
	t.Cleanup(func() {
		_ = theirOut.Close()
		if err := <-done; err != nil {
			t.Errorf("stdio: %v", err)
		}
	})
	return &sdk.IOTransport{Reader: theirIn, Writer: theirOut}
}

// call makes one call; an error of the protocol fails the test.
func (c *client) call(t *testing.T, tool, arguments string, meta ...any) *sdk.CallToolResult {
	t.Helper()
	result, err := c.try(t.Context(), tool, arguments, meta...)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result
}

func (c *client) try(ctx context.Context, tool, arguments string, meta ...any) (*sdk.CallToolResult, error) {
	params := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), Meta: sdk.Meta{}}
	for i := 0; i+1 < len(meta); i += 2 {
		params.Meta[meta[i].(string)] = meta[i+1]
	}
	return c.CallTool(ctx, params)
}

// said is the one text of a result.
func said(t *testing.T, result *sdk.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d blocks: %s", len(result.Content), shown(result))
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("no text: %s", shown(result))
	}
	return text.Text
}

func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
