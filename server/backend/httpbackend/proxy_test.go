package httpbackend_test

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// proxy forwards plain requests and connects for the others, wherever they want
// to go, to one address.
type proxy struct {
	*httptest.Server

	to     string // host:port
	status int    // of every answer; 0: it does what it is asked to

	mu   sync.Mutex
	seen []string // of each request: method, target, credentials
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{to: to}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	credentials, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Proxy-Authorization"), "Basic "))
	p.seen = append(p.seen, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(credentials)))
	p.mu.Unlock()
	switch {
	case p.status != 0:
		w.WriteHeader(p.status)
	case r.Method == http.MethodConnect:
		p.connect(w)
	default:
		request, _ := http.NewRequestWithContext(r.Context(), r.Method, "http://"+p.to+r.URL.RequestURI(), r.Body)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}
}

func (p *proxy) connect(w http.ResponseWriter) {
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

func through(p *proxy, user, password string) httpbackend.Transport {
	return httpbackend.Transport{Proxy: backend.Proxy{Mode: backend.ProxyURL, URL: p.URL, User: user, Password: password}}
}

func TestACallTakesItsProxy(t *testing.T) {
	up := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	p := newProxy(t, strings.TrimPrefix(up, "http://"))
	wantBody(t, attempt(t, newBackend(t, pooled(t), over("http://crm.test/a?b=c", through(p, "", ""))), `{}`), "here")
	wantBody(t, attempt(t, newBackend(t, pooled(t), over("http://crm.test/a", through(p, "me", "s3cret"))), `{}`), "here")
	if want := []string{"GET http://crm.test/a?b=c", "GET http://crm.test/a me:s3cret"}; !slices.Equal(p.requests(), want) {
		t.Errorf("the proxy saw %q, want %q", p.requests(), want)
	}
}

func TestASecureCallGoesThroughItsProxyUnread(t *testing.T) {
	ours := newAuthority(t, "ours")
	ca := put(t, inFolder(t, "ca.pem")[0], ours.pem)
	for _, http2 := range []bool{false, true} {
		up := newSecureServer(t, ours, "crm.test", func(s *httptest.Server) { s.EnableHTTP2 = http2 })
		p := newProxy(t, up.Listener.Addr().String())
		settings := through(p, "me", "s3cret")
		settings.TLS.CAFile = ca
		backend := newBackend(t, pooled(t), over("https://crm.test/a", settings))
		for range 2 {
			wantBody(t, attempt(t, backend, `{}`), map[bool]string{false: "nobody HTTP/1.1", true: "nobody HTTP/2.0"}[http2])
		}
		if want := []string{"CONNECT crm.test:443 me:s3cret"}; !slices.Equal(p.requests(), want) {
			t.Errorf("the proxy saw %q, want %q", p.requests(), want)
		}
	}
}

func TestAProxyThatDoesNotConnectSendsNothing(t *testing.T) {
	p := newProxy(t, "127.0.0.1:1") // nobody is there
	for status, want := range map[int]interceptors.TransportFailure{
		0: interceptors.FailureRefused, 503: interceptors.FailureRefused, 407: interceptors.FailureRequest, 403: interceptors.FailureRequest,
	} {
		p.status = status
		spec := over("https://crm.test/a", through(p, "", ""))
		spec.Call.Method = "POST"
		wantFailure(t, attempt(t, newBackend(t, pooled(t), spec), `{"a":1}`), want)
	}
	gone := through(p, "", "")
	p.Close()
	wantFailure(t, attempt(t, newBackend(t, pooled(t), over("https://crm.test/a", gone)), `{}`), interceptors.FailureRefused)
	wantFailure(t, attempt(t, newBackend(t, pooled(t), over("http://crm.test/a", gone)), `{}`), interceptors.FailureRefused)
}

func TestTheProxyOfTheEnvironmentIsTakenUnlessTheCatalogueSaysOtherwise(t *testing.T) {
	up := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	direct := httpbackend.WithDial(func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "crm.test") || strings.HasPrefix(address, "inside.test") {
			address = strings.TrimPrefix(up, "http://")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	})
	everybody, other := newProxy(t, strings.TrimPrefix(up, "http://")), newProxy(t, strings.TrimPrefix(up, "http://"))
	t.Setenv("HTTP_PROXY", everybody.URL)
	t.Setenv("http_proxy", "")
	t.Setenv("NO_PROXY", "inside.test")
	for _, c := range []struct {
		url       string
		transport httpbackend.Transport
		by        *proxy
	}{
		{"http://crm.test/a", httpbackend.Transport{}, everybody},
		{"http://inside.test/a", httpbackend.Transport{}, nil},
		{"http://crm.test/a", httpbackend.Transport{Proxy: backend.Proxy{Mode: backend.ProxyNone}}, nil},
		{"http://crm.test/a", through(other, "", ""), other},
		{"http://inside.test/a", through(other, "", ""), other},
	} {
		before := map[*proxy]int{everybody: len(everybody.requests()), other: len(other.requests())}
		wantBody(t, attempt(t, newBackend(t, pooled(t, direct), over(c.url, c.transport)), `{}`), "here")
		for p, n := range before {
			if took := len(p.requests()) - n; took != map[bool]int{true: 1}[p == c.by] {
				t.Errorf("%s with %+v: a proxy saw %d requests", c.url, c.transport.Proxy, took)
			}
		}
	}
}
