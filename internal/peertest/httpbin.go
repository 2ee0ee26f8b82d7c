package peertest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mccutchen/go-httpbin/v2/httpbin"
)

// HTTPBin is a running go-httpbin.
type HTTPBin struct {
	// URL is its base, without a trailing slash.
	URL string

	mu    sync.Mutex
	paths []string // of the requests that came; guarded by mu
}

// StartHTTPBin serves go-httpbin in this process until the test ends. /env
// shows nothing of the machine.
func StartHTTPBin(t testing.TB) *HTTPBin {
	t.Helper()
	bin := &HTTPBin{}
	handler := httpbin.New(httpbin.WithMaxBodySize(8<<20), httpbin.WithMaxDuration(time.Minute))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bin.mu.Lock()
		bin.paths = append(bin.paths, r.URL.Path)
		bin.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // whoever gave up on a slow answer is not waited for
		server.Close()
	})
	bin.URL = server.URL
	return bin
}

// Requests counts the requests that came for a path so far, redirected ones
// included.
func (b *HTTPBin) Requests(path string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, seen := range b.paths {
		if seen == path {
			n++
		}
	}
	return n
}
