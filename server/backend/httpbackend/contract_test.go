package httpbackend_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func TestTheContractOfABackEndIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		start  func(*httptest.Server)
	}{
		"GET":             {http.MethodGet, (*httptest.Server).Start},
		"POST":            {http.MethodPost, (*httptest.Server).Start},
		"POST over TLS":   {http.MethodPost, (*httptest.Server).StartTLS},
		"GET over HTTP/2": {http.MethodGet, http2},
		"PUT over HTTP/2": {http.MethodPut, http2},
	} {
		t.Run(name, func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
				url, options := address(t, behaviour, upstream, c.start)
				return newBackend(t, pooled(t, options...), httpbackend.Spec{
					MaxResultBytes: backendtest.MaxResultBytes, Open: true,
					Call: &catalogv1.HttpCall{Method: c.method, Url: url + "/call"},
				})
			})
		})
	}
}

func http2(server *httptest.Server) {
	server.EnableHTTP2 = true
	server.StartTLS()
}

func newBackend(t testing.TB, pool *httpbackend.Pool, spec httpbackend.Spec) *httpbackend.Backend {
	t.Helper()
	if spec.Upstream == "" {
		spec.Upstream = "test"
	}
	if spec.MaxResultBytes == 0 {
		spec.MaxResultBytes = 1 << 20
	}
	backend, err := httpbackend.New(pool, spec)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// address starts a server that behaves so, and tells how to trust it.
func address(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream, start func(*httptest.Server)) (string, []httpbackend.PoolOption) {
	if behaviour == backendtest.Absent {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
		return "http://" + listener.Addr().String(), nil
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		upstream.Hit()
		switch behaviour {
		case backendtest.Hangs:
			<-r.Context().Done()
		case backendtest.Drops:
			panic(http.ErrAbortHandler)
		case backendtest.Floods:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"rows":%q}`, bytes.Repeat([]byte("x"), backendtest.FloodBytes))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"ok":true}`)
		}
	}))
	start(server)
	t.Cleanup(server.Close)
	if server.Certificate() == nil {
		return server.URL, nil
	}
	return server.URL, []httpbackend.PoolOption{trusting(server)}
}
