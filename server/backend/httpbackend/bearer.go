package httpbackend

import (
	"bytes"
	"context"
	"maps"
	"net/http"

	"toolgate.dev/toolgate/interceptors"
)

const authorization = "Authorization"

// reserveBearer keeps the token's place: no argument may stand in it.
func reserveBearer(secrets map[string]string) map[string]string {
	all := maps.Clone(secrets)
	if all == nil {
		all = map[string]string{}
	}
	all[authorization] = "Bearer"
	return all
}

// bearing makes an attempt that shows a token. Where that is refused (401) nothing was
// executed, and the request is sent once more with another: whether a token is still
// good is the gateway's own matter, and no failure of the tool.
func (b *Backend) bearing(ctx context.Context, call *interceptors.Call) *interceptors.Reply {
	token, failed := b.bearer.Token(ctx)
	if failed != nil {
		return failed
	}
	reply := b.once(ctx, call, token)
	if reply.Failure != interceptors.FailureNone || reply.Status != http.StatusUnauthorized {
		return reply
	}
	token, failed = b.bearer.Renew(ctx, token)
	switch {
	case failed != nil:
		return failed
	case token == "":
		return reply
	}
	return b.once(ctx, call, token)
}

// show puts the token into a request's headers, which others share.
func show(req *http.Request, token string) {
	if token == "" {
		return
	}
	req.Header = maps.Clone(req.Header)
	req.Header[authorization] = []string{"Bearer " + token}
}

// without takes the token out of what came back: it may not leave the gateway.
func without(reply *interceptors.Reply, token string) *interceptors.Reply {
	if token == "" || !bytes.Contains(reply.Body, []byte(token)) {
		return reply
	}
	reply.Body = bytes.ReplaceAll(reply.Body, []byte(token), []byte(hidden))
	return reply
}
