package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// Door serves MCP. Make it with New; it is safe for concurrent use.
type Door struct {
	house    door.House
	settings settings
	server   *sdk.Server
	sessions *sessions
	posts    owed         // requests over HTTP that will be answered
	listens  atomic.Int64 // streams without a session
	closing  atomic.Bool
	seal     string // see tame

	stateful, stateless http.Handler
}

// New makes the door to a house.
func New(house door.House, options ...Option) *Door {
	d := &Door{house: house, settings: defaults(), seal: rand.Text()}
	for _, option := range options {
		option(&d.settings)
	}
	d.sessions = newSessions(d.settings.maxSessions, d.settings.idle, d.endRun)
	d.server = sdk.NewServer(&sdk.Implementation{Name: "toolgate", Title: "toolgate", Version: d.settings.version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		Logger:       slog.New(slog.DiscardHandler), // the observe room logs calls; nothing else is worth a line
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { *c = cacheable() },
	})
	d.server.AddReceivingMiddleware(d.methods)
	d.ToolsChanged()
	d.stateful = d.handler(&sdk.StreamableHTTPOptions{})
	d.stateless = d.handler(&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return d
}

// handler is the SDK's, handed our caller the way it hands on its own bearers.
func (d *Door) handler(options *sdk.StreamableHTTPOptions) http.Handler {
	options.DisableLocalhostProtection = true // door.Guard's, which knows the names that are ours
	options.MaxRequestBodyBytes = -1          // read before, with its bound
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return d.server }, options)
	return auth.RequireBearerToken(tokenOf, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(handler)
}

// ToolsChanged tells every client that the list of tools is another now: after
// the catalogue, or what a principal may use, has changed.
func (d *Door) ToolsChanged() {
	d.server.AddTool(&sdk.Tool{Name: standIn, InputSchema: json.RawMessage(anyObject)}, d.callTool)
}

// Sessions is how many sessions over HTTP are open, and how many streams that need
// none.
func (d *Door) Sessions() int { return d.sessions.count() + int(d.listens.Load()) }

// Close ends every session over HTTP, for a listener that takes no more connections:
// requests in flight are answered, then the streams end. It returns when that is
// done. No session or stream is opened any more.
func (d *Door) Close() {
	d.closing.Store(true)
	<-d.posts.settled() // the SDK would keep their answers back
	var ending sync.WaitGroup
	for session := range d.server.Sessions() {
		ending.Go(func() { _ = session.Close() })
	}
	ending.Wait()
	d.sessions.wait()
}

func (d *Door) endRun(caller context.Context, run string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(caller), endTimeout)
	defer cancel()
	// Whoever may not end it any more leaves it to be forgotten.
	_, _ = d.house.EndRun(ctx, &toolgatev1.EndRunRequest{RunId: run})
}
