package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

func TestKeysAreFetchedFromTheIssuerAndFromNobodyElse(t *testing.T) {
	token, file := tokenOf(t, map[string]any{"iss": "i", "aud": "a", "sub": "bob", "exp": time.Now().Add(time.Hour).Unix()})
	keys, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	show := func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(keys)
	}
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/keys", http.StatusFound)
			return
		}
		show(w, r)
	}))
	defer issuer.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler(issuer.URL+"/keys", http.StatusFound))
	defer elsewhere.Close()
	for address, want := range map[string]codes.Code{
		issuer.URL + "/keys": codes.OK, issuer.URL + "/moved": codes.OK, elsewhere.URL: codes.Unavailable, "http://127.0.0.1:1/": codes.Unavailable,
		"https://169.254.169.254/keys": codes.Unavailable,
	} {
		g := servertest.Start(t, servertest.Load(t, capCatalogue, nil), with(accessTo(t, `
roles: {desk: {tools: [lookup]}}
issuers: {corp: {issuer: i, audiences: [a], jwks_url: %q, roles: [desk]}}`, address)))
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
		_, err := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
		if status.Code(err) != want || want == codes.Unavailable && retryOf(err) <= 0 {
			t.Errorf("%s: %v, again in %s", address, err, retryOf(err))
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d fetches", asked.Load())
	}
}
