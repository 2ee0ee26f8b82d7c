package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// system is an upstream that wants a token, and the endpoint that gives it.
type system struct {
	t *testing.T

	mu     sync.Mutex // guards the rest
	valid  string
	issued int
	broken bool
	asked  int
	shown  []string
}

func (s *system) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/token" {
		s.asked++
		_, secret, _ := r.BasicAuth()
		if s.broken || secret != "sword%2Ffish" || !strings.Contains(string(body), "grant_type=client_credentials") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"no sword/fish"}`)
			return
		}
		s.issued++
		s.valid = fmt.Sprintf("token-%d-of-the-gateway", s.issued)
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"bearer","expires_in":3600}`, s.valid)
		return
	}
	s.shown = append(s.shown, r.Header.Get("Authorization"))
	if r.Header.Get("Authorization") != "Bearer "+s.valid {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"message":"the token %s has expired"}`, r.Header.Get("Authorization"))
		return
	}
	_, _ = fmt.Fprintf(w, `{"sent":%q}`, body)
}

func tokenGateway(t *testing.T) (*servertest.Gateway, *system) {
	t.Helper()
	t.Setenv("CRM_SECRET", "sword/fish")
	s := &system{t: t}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return servertest.Start(t, servertest.Load(t, fmt.Sprintf(`
upstreams:
  crm:
    url: %[1]s
    client_credentials: {token_url: %[1]s/token, client_id: gateway, client_secret: {from: "env:CRM_SECRET"}, scopes: [write]}
tools:
  - {name: pay, description: Pays., upstream: crm, http: {method: POST, url: /pay}, input_schema: {type: object}}
  - {name: see, description: Sees., upstream: crm, http: {method: GET, url: /see}, input_schema: {type: object}}
`, web.URL), nil)), s
}

func TestAnUpstreamIsShownATokenThatIsFetchedOnce(t *testing.T) {
	g, s := tokenGateway(t)
	for i := range 3 {
		if resp := g.Call(t, "r", "pay", fmt.Sprintf(`{"n":%d}`, i)); resp.GetError() != nil || resp.GetResult().GetAttempts() != 1 {
			t.Fatalf("got %v", resp)
		}
	}
	if s.issued != 1 {
		t.Errorf("%d tokens for three calls", s.issued)
	}
}

// A token that the upstream no longer takes is the gateway's own matter: another is
// fetched, and the call is none the worse for it.
func TestATokenThatIsTakenBackIsRenewedWithinTheAttempt(t *testing.T) {
	t.Setenv("CRM_SECRET", "s")
	const yaml = `
upstreams:
  crm:
    url: http://127.0.0.1:9
    client_credentials: {token_url: "http://127.0.0.1:9/token", client_id: gateway, client_secret: {from: "env:CRM_SECRET"}}
tools: [{name: pay, description: Pays., upstream: crm, http: {method: POST, url: /pay}, input_schema: {type: object}}]`
	bubble(t, yaml, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		issued, valid := 0, "t1"
		up.Script(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/token":
				issued++
				_, _ = fmt.Fprintf(w, `{"access_token":"t%d","expires_in":86400}`, issued)
			case r.Header.Get("Authorization") != "Bearer "+valid:
				w.WriteHeader(http.StatusUnauthorized)
			default:
				_, _ = io.WriteString(w, "{}")
			}
		})
		call := func(n int) *toolgatev1.CallToolResponse { return g.Call(t, "r", "pay", fmt.Sprintf(`{"n":%d}`, n)) }
		call(1)
		time.Sleep(time.Minute)
		valid = "t2"
		if resp := call(2); resp.GetResult().GetAttempts() != 1 || issued != 2 {
			t.Errorf("got %v after %d tokens", resp, issued)
		}
		wantRequests(t, up, 5) // two tokens, one call, one in vain and once more
		valid = "none"
		wantError(t, call(3), terminal, "") // this token is new: it is not what is wrong
		wantRequests(t, up, 6)
		time.Sleep(time.Minute)
		wantError(t, call(4), terminal, "")
		wantRequests(t, up, 9) // one renewal, one resend, and no more
	})
}

// A client that is not accepted is the operator's to mend: the model is told so once,
// and nothing of it.
func TestCredentialsThatAreNotAcceptedEndTheCall(t *testing.T) {
	g, s := tokenGateway(t)
	s.broken = true
	for range 3 {
		e := wantError(t, g.Call(t, "r", "pay", `{}`, servertest.Fresh), terminal, "internal")
		if e.GetMaybeExecuted() || !strings.Contains(e.GetMessage(), "operator") || strings.Contains(e.String(), "sword") {
			t.Errorf("got %v", e)
		}
	}
	if len(s.shown) != 0 || s.asked != 2 {
		t.Errorf("%d requests for tokens, %d to the tool", s.asked, len(s.shown))
	}
	if log := g.Log(); !strings.Contains(log, "the token endpoint answered 401 invalid_client") || strings.Contains(log, "sword") {
		t.Errorf("the operator is told %s", log)
	}
}

func TestCredentialsOfAnUpstreamAreCheckedWhenTheyAreLoaded(t *testing.T) {
	load := func(upstream string) error {
		_, err := catalog.Parse("c.yaml", []byte("upstreams:\n  crm: "+upstream+"\ntools: [{name: a, description: A, upstream: crm, http: {method: GET, url: /a}}]"),
			catalog.WithSecrets(func(string) (string, error) { return "s", nil }))
		return err
	}
	const secret = `client_secret: {from: "env:X"}`
	for upstream, want := range map[string]string{
		`{url: "https://crm.test", client_credentials: {token_url: "http://login.test/t", client_id: a, ` + secret + `}}`:                               "would travel where anyone",
		`{url: "https://crm.test", client_credentials: {client_id: a, ` + secret + `}}`:                                                                 "where is the token endpoint",
		`{url: "https://crm.test", client_credentials: {token_url: "https://u@login.test/t", client_id: a, ` + secret + `}}`:                            "has a user",
		`{url: "https://crm.test", client_credentials: {token_url: "https://login.test/t", ` + secret + `}}`:                                            "the client has no id",
		`{url: "https://crm.test", client_credentials: {token_url: "https://login.test/t", client_id: a}}`:                                              "the client has no secret",
		`{url: "https://crm.test", headers: {authorization: x}, client_credentials: {token_url: "https://login.test/t", client_id: a, ` + secret + `}}`: "Authorization header",
		`{url: "https://crm.test", client_credentials: {token_url: "https://169.254.169.254/t", client_id: a, ` + secret + `}}`:                         "not made to unless it is listed",
		`{url: "http://169.254.169.254/latest"}`:                                      "not made to unless it is listed",
		`{url: "http://[fe80::1]/"}`:                                                  "not made to unless it is listed",
		`{url: "http://127.0.0.1/", allow_addresses: [public]}`:                       "not made to unless it is listed",
		`{url: "https://crm.test", allow_addresses: [10.0.0.0/8, localhost]}`:         `"localhost" is neither`,
		`{url: "http://169.254.169.254/", allow_addresses: [169.254.169.254]}`:        "",
		`{url: "https://crm.test", allow_addresses: [public, 10.0.0.0/8, "fd00::1"]}`: "",
	} {
		err := load(upstream)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", upstream, err, want)
		}
	}
}
