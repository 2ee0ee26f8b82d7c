package mcpbackend

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
)

// bearing shows a token with every request, and sends one whose token is refused
// (401, so that nothing was run) once more with another.
type bearing struct {
	over   http.RoundTripper
	bearer backend.Bearer
	shown  atomic.Pointer[string]
}

// tokenless is a request that was not sent, since there is no token.
type tokenless struct{ failed *interceptors.Reply }

func (t *tokenless) Error() string { return t.failed.Cause }

// Failure tells it as a round tripper does.
func (t *tokenless) Failure() (kind interceptors.TransportFailure, sent bool) {
	return t.failed.Failure, false
}

// RoundTrip implements http.RoundTripper.
func (b *bearing) RoundTrip(req *http.Request) (*http.Response, error) {
	token, failed := b.bearer.Token(req.Context())
	if failed != nil {
		return nil, &tokenless{failed}
	}
	resp, err := b.send(req, token)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil && req.GetBody == nil {
		return resp, err
	}
	next, failed := b.bearer.Renew(req.Context(), token)
	if failed == nil && next == "" {
		return resp, nil
	}
	_ = resp.Body.Close() // the refusal has been heeded
	if failed != nil {
		return nil, &tokenless{failed}
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, &unsent{err}
		}
	}
	return b.send(again, next)
}

func (b *bearing) send(req *http.Request, token string) (*http.Response, error) {
	b.shown.Store(&token)
	sent := req.Clone(req.Context())
	sent.Header.Set("Authorization", "Bearer "+token)
	return b.over.RoundTrip(sent)
}

// hidden stands for a token that came back.
const hidden = "[secret]"

// hide takes the token out of what came back: it may not leave the gateway.
func (b *bearing) hide(reply *interceptors.Reply) *interceptors.Reply {
	shown := b.shown.Load()
	if shown == nil || *shown == "" {
		return reply
	}
	token := *shown
	reply.Body = bytes.ReplaceAll(reply.Body, []byte(token), []byte(hidden))
	if result := reply.Result; result != nil {
		result.StructuredJson = strings.ReplaceAll(result.GetStructuredJson(), token, hidden)
		for _, block := range result.GetContent() {
			if text := block.GetText(); text != nil {
				text.Text = strings.ReplaceAll(text.GetText(), token, hidden)
			}
			if resource := block.GetResource(); resource != nil {
				resource.Text = strings.ReplaceAll(resource.GetText(), token, hidden)
			}
		}
	}
	return reply
}
