package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/server/door"
)

// caller is who sent one HTTP request. The SDK hands handlers the context of the
// request that opened the session, so each request's own travels in its token.
type caller struct {
	ctx       context.Context //nolint:containedctx // it is handed on through the SDK
	principal string
	run       string // HeaderRunID
	origin    string // what tells one connection from another
}

func (d *Door) callerOf(r *http.Request) (*caller, error) {
	ctx := door.Caller(r)
	principal, err := d.settings.identify(ctx)
	if err != nil {
		return nil, err
	}
	return &caller{
		ctx: ctx, principal: principal, run: r.Header.Get(HeaderRunID),
		origin: strings.Join(append(r.Header.Values("X-Forwarded-For"), r.RemoteAddr), " "),
	}, nil
}

type callerKey struct{}

// tokenExtra is where the caller lies in the token.
const tokenExtra = "caller"

// asBearer has the SDK take the request's caller for the bearer of a token: it
// keeps a session to the user who opened it.
func (c *caller) asBearer(r *http.Request) *http.Request {
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	r.Header = r.Header.Clone()
	r.Header.Set("Authorization", "Bearer known")
	return r
}

func tokenOf(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: c.principal, Extra: map[string]any{tokenExtra: c}}, nil
}

// callerFrom is who sent a request; nil: whoever holds standard input.
func callerFrom(extra *sdk.RequestExtra) *caller {
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	c, _ := extra.TokenInfo.Extra[tokenExtra].(*caller)
	return c
}

// within is the context of one rpc of the house: what the request's own context
// knows, and ctx's end. The session's end is an end, too.
func (d *Door) within(ctx context.Context, req sdk.Request) (joined context.Context, done func()) {
	md, from := metadata.MD{}, context.Background()
	if caller := callerFrom(req.GetExtra()); caller != nil {
		from = context.WithoutCancel(caller.ctx)
		if known, ok := metadata.FromIncomingContext(from); ok {
			md = known.Copy()
		}
	}
	if meta := metaOf(req); meta != nil {
		md = withTrace(md, meta)
	}
	joined, cancel := context.WithCancel(metadata.NewIncomingContext(from, md))
	stops := []func() bool{context.AfterFunc(ctx, cancel)}
	if p := pipeFrom(ctx); p != nil {
		stops = append(stops, context.AfterFunc(p.ctx, cancel))
	}
	if session, ok := req.GetSession().(*sdk.ServerSession); ok {
		stops = append(stops, d.sessions.onCut(session.ID(), cancel))
	}
	return joined, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// metaOf is a request's _meta. Its params may be a nil pointer in an interface.
func metaOf(req sdk.Request) map[string]any {
	switch req := req.(type) {
	case *sdk.CallToolRequest:
		if req.Params != nil {
			return req.Params.Meta
		}
	case *sdk.ListToolsRequest:
		if req.Params != nil {
			return req.Params.Meta
		}
	}
	return nil
}

// runName makes a run's id of what tells it from others. A session's own id opens
// the session, and has no business in logs.
func runName(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "mcp-" + hex.EncodeToString(sum[:12])
}
