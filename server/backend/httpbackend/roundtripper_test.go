package httpbackend_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func TestARoundTripperAnswersAndFollowsNoRedirect(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/there" {
			t.Error("a redirect was followed")
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Location", "/there")
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = w.Write(body)
	})
	over := pooled(t).RoundTripper("test", httpbackend.Transport{})
	defer over.Release()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/here", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := over.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "hello" || resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("%d %q %v", resp.StatusCode, body, err)
	}
	_, _ = resp.Body.Close(), resp.Body.Close()
}

func TestARoundTripperTellsWhetherBytesLeft(t *testing.T) {
	dropping := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for url, want := range map[string]httpbackend.SendError{
		dropping:             {Kind: interceptors.FailureReset, Sent: true},
		"http://127.0.0.1:1": {Kind: interceptors.FailureRefused},
	} {
		over := pooled(t).RoundTripper("test", httpbackend.Transport{})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = over.RoundTrip(req)
		if failure, ok := errors.AsType[*httpbackend.SendError](err); !ok || failure.Kind != want.Kind || failure.Sent != want.Sent {
			t.Errorf("%s: %+v, want %+v", url, err, want)
		}
	}
}
