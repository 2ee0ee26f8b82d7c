package httpbackend_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func attempt(t testing.TB, backend interceptors.Backend, arguments string) *interceptors.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return backend.Attempt(ctx, backendtest.NewCall(arguments))
}

func serve(t testing.TB, handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func pooled(t testing.TB, options ...httpbackend.PoolOption) *httpbackend.Pool {
	pool := httpbackend.NewPool(options...)
	t.Cleanup(pool.Close)
	return pool
}

func entry(method, url string) httpbackend.Spec {
	return httpbackend.Spec{Open: true, Call: &catalogv1.HttpCall{Method: method, Url: url}}
}

// oneAnswer serves raw connections: the first request of each connection is
// answered and the connection kept; at the second the connection is reset after
// the request was read.
func oneAnswer(t *testing.T) (url string, requests *atomic.Int64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	requests = &atomic.Int64{}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				reader := bufio.NewReader(conn)
				for first := true; ; first = false {
					req, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					requests.Add(1)
					if !first {
						return
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), requests
}

func TestADyingConnectionSendsNothingTwice(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPost, http.MethodPut} {
		url, requests := oneAnswer(t)
		spec := entry(method, url)
		spec.IdempotencyKey = &catalogv1.IdempotencyKey{}
		backend := newBackend(t, pooled(t), spec)
		call := backendtest.NewCall(`{"a":1}`)
		call.IdempotencyKey = "k" // net/http takes this header as leave to replay
		if reply := backend.Attempt(t.Context(), call); reply.Failure != interceptors.FailureNone {
			t.Fatalf("%s: failure %v (%s)", method, reply.Failure, reply.Cause)
		}
		reply := backend.Attempt(t.Context(), call)
		if reply.Failure != interceptors.FailureReset || !reply.Sent {
			t.Errorf("%s: failure %v (%s), sent %v; want a reset", method, reply.Failure, reply.Cause, reply.Sent)
		}
		if got := requests.Load(); got != 2 {
			t.Errorf("%s: %d requests arrived of 2 attempts", method, got)
		}
	}
}

func TestConnectionsAreKeptAndSharedByTheToolsOfAnUpstream(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush() // chunked: the end must be read to keep the connection
		_, _ = io.WriteString(w, `{"ok":true}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	pool := pooled(t)
	first, second := newBackend(t, pool, entry("GET", server.URL+"/a")), newBackend(t, pool, entry("POST", server.URL+"/b"))
	for range 10 {
		wantStatus(t, attempt(t, first, `{}`), 200)
		wantStatus(t, attempt(t, second, `{}`), 200)
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections were opened, want 1", opened.Load())
	}
}

func wantStatus(t testing.TB, reply *interceptors.Reply, status int) {
	t.Helper()
	if reply.Failure != interceptors.FailureNone || reply.Status != status {
		t.Errorf("failure %v (%s), status %d; want %d", reply.Failure, reply.Cause, reply.Status, status)
	}
}

func TestARedirectIsFollowedOnTheSameHostAlone(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	here := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hops := map[string]string{"/here": "/there?x=1", "/away": other + "/x", "/loop": "/loop", "/none": "", "/user": "http://u:p@" + r.Host + "/there"}
		location, known := hops[r.URL.Path]
		if !known {
			_, _ = fmt.Fprintf(w, "%s %s", r.URL, r.Header.Get("X-Key"))
			return
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	})
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/here", 200, "/there?x=1 s3cret"}, {"GET", "/away", 302, ""}, {"GET", "/loop", 302, ""}, {"GET", "/none", 302, ""},
		{"GET", "/user", 302, ""}, {"POST", "/here", 302, ""}, {"DELETE", "/here", 302, ""}, {"HEAD", "/here", 200, ""},
	} {
		spec := entry(c.method, here+c.path)
		spec.SecretHeaders = map[string]string{"X-Key": "s3cret"}
		reply := attempt(t, newBackend(t, pooled(t), spec), `{}`)
		wantStatus(t, reply, c.status)
		if string(reply.Body) != c.body {
			t.Errorf("%s %s: got %q", c.method, c.path, reply.Body)
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("another host was asked %d times", elsewhere.Load())
	}
}

func TestABodyThatNeverEndsRunsIntoTheDeadline(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	reply := newBackend(t, pooled(t), entry("GET", url)).Attempt(ctx, backendtest.NewCall(`{}`))
	if reply.Failure != interceptors.FailureTimeout || !reply.Sent {
		t.Errorf("failure %v (%s), sent %v", reply.Failure, reply.Cause, reply.Sent)
	}
}

func TestWhatFailsBeforeAByteLeavesIsNotSent(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = nil
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	lookup := func(failure net.DNSError) httpbackend.PoolOption {
		return httpbackend.WithDial(func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &failure}
		})
	}
	late := httpbackend.WithDial(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	})
	for name, c := range map[string]struct {
		url    string
		option httpbackend.PoolOption
		want   interceptors.TransportFailure
	}{
		"an unknown name":         {"http://nowhere.invalid", lookup(net.DNSError{IsNotFound: true}), interceptors.FailureDNSNotFound},
		"a resolver that is down": {"http://nowhere.invalid", lookup(net.DNSError{IsTemporary: true}), interceptors.FailureDNSTemporary},
		"nobody picks up":         {"http://nowhere.invalid", late, interceptors.FailureRefused},
		"an unknown authority":    {secure.URL, nil, interceptors.FailureTLSCertificate},
		"another name":            {strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), trusting(secure), interceptors.FailureTLSCertificate},
		"a handshake cut short":   {"https://" + listener.Addr().String(), nil, interceptors.FailureTLSHandshake},
		"no TLS over there":       {strings.Replace(plain, "http:", "https:", 1), nil, interceptors.FailureTLSHandshake},
	} {
		var options []httpbackend.PoolOption
		if c.option != nil {
			options = append(options, c.option)
		}
		reply := attempt(t, newBackend(t, pooled(t, options...), entry("POST", c.url+"/x")), `{}`)
		if reply.Failure != c.want || reply.Sent {
			t.Errorf("%s: failure %v (%s), sent %v; want %v", name, reply.Failure, reply.Cause, reply.Sent, c.want)
		}
	}
}

func trusting(server *httptest.Server) httpbackend.PoolOption {
	return httpbackend.WithTransport(func(transport *http.Transport) {
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	})
}

func TestTLSAndHTTP2AreSpokenAndSentIsTold(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client go
			if r.URL.Path == "/hang" {
				<-r.Context().Done()
			}
			_, _ = io.WriteString(w, r.Proto)
		}))
		server.EnableHTTP2 = http2
		server.StartTLS()
		t.Cleanup(server.Close)
		pool := pooled(t, trusting(server), httpbackend.WithVersion("1.2.3"))
		reply := attempt(t, newBackend(t, pool, entry("POST", server.URL+"/x")), `{"a":1}`)
		want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[http2]
		if wantStatus(t, reply, 200); string(reply.Body) != want {
			t.Errorf("spoke %s, want %s", reply.Body, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		hung := newBackend(t, pool, entry("POST", server.URL+"/hang")).Attempt(ctx, backendtest.NewCall(`{}`))
		if hung.Failure != interceptors.FailureTimeout || !hung.Sent {
			t.Errorf("%s: failure %v (%s), sent %v", want, hung.Failure, hung.Cause, hung.Sent)
		}
	}
}

func TestGarbageInPlaceOfAnAnswerIsAFailureAfterSending(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "SSH-2.0-whatever\r\n\r\n")
		_ = conn.Close()
	}()
	reply := attempt(t, newBackend(t, pooled(t), entry("GET", "http://"+listener.Addr().String())), `{}`)
	if reply.Failure != interceptors.FailureOther || !reply.Sent {
		t.Errorf("failure %v (%s), sent %v", reply.Failure, reply.Cause, reply.Sent)
	}
}

func TestAnIdentityIsShown(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.UserAgent()) })
	reply := attempt(t, newBackend(t, pooled(t, httpbackend.WithVersion("1.2.3")), entry("GET", url)), `{}`)
	if string(reply.Body) != "toolgate/1.2.3" {
		t.Errorf("got %q", reply.Body)
	}
}

func BenchmarkAttempt(b *testing.B) {
	url := serve(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true,"id":"abc"}`)
	})
	backend := newBackend(b, pooled(b), entry("POST", url+"/x"))
	call := backendtest.NewCall(`{"amount":150.00,"to":"x"}`)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if reply := backend.Attempt(ctx, call); reply.Failure != interceptors.FailureNone {
			b.Fatal(reply.Cause)
		}
	}
}

func BenchmarkAttemptWithPathAndQuery(b *testing.B) {
	url := serve(b, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) })
	backend := newBackend(b, pooled(b), entry("GET", url+"/customers/{id}/charges"))
	call := backendtest.NewCall(`{"id":"c_1","limit":10,"created":{"gte":1}}`)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if reply := backend.Attempt(ctx, call); reply.Failure != interceptors.FailureNone {
			b.Fatal(reply.Cause)
		}
	}
}
