package grpcbackend

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
)

// proxied serves a proxy that tunnels, or answers with a status.
func proxied(t *testing.T, status int) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		mu.Lock()
		seen = append(seen, r.Method+" "+r.Host+" "+user+" "+password)
		mu.Unlock()
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = to.Close() }()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = from.Close() }()
		_, _ = io.WriteString(from, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
		_, _ = io.Copy(from, to)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func TestAProxyIsGoneThrough(t *testing.T) {
	shop := serveShop(t, echo)
	url, asked := proxied(t, http.StatusOK)
	pool := pooled(t)
	b := backendFor(t, pool, "", "Everything", func(s *Spec) {
		s.Server = pool.Server("x", Transport{Address: shop.address, Proxy: backend.Proxy{Mode: backend.ProxyURL, URL: url, User: "us", Password: "pw"}})
	})
	if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone || reply.Status != 0 {
		t.Errorf("%+v", reply)
	}
	if got := asked(); !slices.Equal(got, []string{"CONNECT " + shop.address + " us pw"}) {
		t.Errorf("asked %v", got)
	}
	pool.Close()
}

func TestAProxyThatLetsNobodyThroughIsToldFromOneThatFindsNobody(t *testing.T) {
	for status, want := range map[int]interceptors.TransportFailure{
		http.StatusForbidden: interceptors.FailureRequest, http.StatusProxyAuthRequired: interceptors.FailureRequest,
		http.StatusBadGateway: interceptors.FailureRefused,
	} {
		url, _ := proxied(t, status)
		pool := pooled(t)
		b := backendFor(t, pool, "", "Everything", func(s *Spec) {
			s.Server = pool.Server("x", Transport{Address: "shop.test:1", Proxy: backend.Proxy{Mode: backend.ProxyURL, URL: url}})
		})
		if reply := attempt(t.Context(), b, `{}`); reply.Failure != want || reply.Sent {
			t.Errorf("%d: %v (%s), sent %v", status, reply.Failure, reply.Cause, reply.Sent)
		}
	}
}
