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
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run(method, func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
				pool := httpbackend.NewPool()
				t.Cleanup(pool.Close)
				return newBackend(t, pool, httpbackend.Spec{
					MaxResultBytes: backendtest.MaxResultBytes, Open: true,
					Call: &catalogv1.HttpCall{Method: method, Url: address(t, behaviour, upstream) + "/call"},
				})
			})
		})
	}
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

// address starts a server that behaves so.
func address(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) string {
	if behaviour == backendtest.Absent {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
		return "http://" + listener.Addr().String()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	t.Cleanup(server.Close)
	return server.URL
}
