package mcpclients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples"
)

// moods are the tools that the examples don't have.
const moods = `
  - name: flaky
    upstream: moods
    http: {method: GET, url: /flaky}
    input_schema: {type: object}
  - name: down
    upstream: moods
    http: {method: GET, url: /down}
    input_schema: {type: object}
  - name: hang
    upstream: moods
    http: {method: GET, url: /hang}
    input_schema: {type: object}
  - name: hung
    upstream: moods
    http: {method: GET, url: /hung}
    input_schema: {type: object}
`

// upstream is moody: flaky fails every other time, down asks for five minutes, and
// hang is left when its caller leaves, which hung tells.
type upstream struct {
	mu    sync.Mutex // guards calls
	calls int
	left  chan struct{}
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/flaky":
		u.mu.Lock()
		u.calls++
		fails := u.calls%2 == 1
		u.mu.Unlock()
		if fails {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	case "/down":
		w.Header().Set("Retry-After", "300")
		w.WriteHeader(http.StatusTooManyRequests)
	case "/hang":
		<-r.Context().Done()
		u.left <- struct{}{}
	case "/hung":
		w.Header().Set("Content-Type", "application/json")
		select {
		case <-u.left:
			_, _ = io.WriteString(w, `{"left":true}`)
		case <-time.After(5 * time.Second):
			_, _ = io.WriteString(w, `{"left":false}`)
		}
	}
}

// catalogue is that of the examples and the moody tools, before back ends of the
// test's own.
func catalogue(t *testing.T) string {
	t.Helper()
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	moody := httptest.NewServer(&upstream{left: make(chan struct{}, 16)})
	t.Cleanup(func() {
		moody.CloseClientConnections()
		moody.Close()
		_ = backends.Close()
	})
	text := strings.Replace(backends.Catalog(), "upstreams:\n", "upstreams:\n  moods: {url: "+moody.URL+"}\n", 1)
	return text + moods
}
