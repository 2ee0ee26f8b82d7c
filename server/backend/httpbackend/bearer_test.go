package httpbackend_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// wallet hands out tokens in turn.
type wallet struct {
	tokens  []string
	failed  *interceptors.Reply
	renewed []string
}

func (w *wallet) Token(context.Context) (string, *interceptors.Reply) {
	if w.failed != nil {
		return "", w.failed
	}
	return w.tokens[0], nil
}

func (w *wallet) Renew(_ context.Context, refused string) (string, *interceptors.Reply) {
	w.renewed = append(w.renewed, refused)
	w.tokens = w.tokens[1:]
	if len(w.tokens) == 0 {
		return "", nil
	}
	return w.tokens[0], nil
}

// guarded accepts one token, and remembers what it was shown and told.
type guarded struct {
	accepts string
	mu      sync.Mutex
	shown   []string
	bodies  []string
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.mu.Lock()
	g.shown, g.bodies = append(g.shown, r.Header.Get("Authorization")), append(g.bodies, string(body))
	g.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+g.accepts {
		w.WriteHeader(http.StatusUnauthorized)
	}
	_, _ = io.WriteString(w, `you are `+r.Header.Get("Authorization"))
}

func TestARefusedTokenIsRenewedOnceAndTheRequestSentOnceMore(t *testing.T) {
	for name, c := range map[string]struct {
		tokens  []string
		status  int
		shown   []string
		renewed int
	}{
		"good":             {[]string{"new"}, 200, []string{"Bearer new"}, 0},
		"old":              {[]string{"old", "new"}, 200, []string{"Bearer old", "Bearer new"}, 1},
		"two that are old": {[]string{"old", "older", "new"}, 401, []string{"Bearer old", "Bearer older"}, 1},
		"no other":         {[]string{"old"}, 401, []string{"Bearer old"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			up, held := &guarded{accepts: "new"}, &wallet{tokens: c.tokens}
			server := httptest.NewServer(up)
			defer server.Close()
			backend := newBackend(t, pooled(t), httpbackend.Spec{
				Open: true, Bearer: held, Call: &catalogv1.HttpCall{Method: "POST", Url: server.URL},
			})
			reply := attempt(t, backend, `{"amount":12.50}`)
			if reply.Failure != interceptors.FailureNone || reply.Status != c.status || !slices.Equal(up.shown, c.shown) || len(held.renewed) != c.renewed {
				t.Errorf("%d after %q and %d renewals (%s)", reply.Status, up.shown, len(held.renewed), reply.Cause)
			}
			for _, body := range up.bodies {
				if body != `{"amount":12.50}` {
					t.Errorf("sent %q", body)
				}
			}
			if got := string(reply.Body); got != "you are Bearer REDACTED" {
				t.Errorf("the token comes back: %s", got)
			}
		})
	}
}

func TestWithoutATokenNothingIsSent(t *testing.T) {
	up := &guarded{}
	server := httptest.NewServer(up)
	defer server.Close()
	failed := &interceptors.Reply{Failure: interceptors.FailureRefused}
	backend := newBackend(t, pooled(t), httpbackend.Spec{Bearer: &wallet{failed: failed}, Call: &catalogv1.HttpCall{Method: "GET", Url: server.URL}})
	if reply := attempt(t, backend, `{}`); reply != failed || len(up.shown) != 0 {
		t.Errorf("%+v after %d requests", reply, len(up.shown))
	}
}

func TestNoArgumentStandsInTheTokensPlace(t *testing.T) {
	_, err := httpbackend.New(pooled(t), httpbackend.Spec{
		Upstream: "u", Bearer: &wallet{}, Arguments: []string{"who"},
		Call: &catalogv1.HttpCall{Method: "GET", Url: "https://u.test/", Arguments: map[string]*catalogv1.Placement{
			"who": {In: catalogv1.Location_LOCATION_HEADER, Name: "authorization"},
		}},
	})
	if err == nil {
		t.Error("an argument may name the caller")
	}
}
