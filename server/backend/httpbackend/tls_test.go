package httpbackend_test

import (
	"crypto/tls"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func over(url string, transport httpbackend.Transport) httpbackend.Spec {
	spec := entry("GET", url)
	spec.Transport = transport
	return spec
}

func wantFailure(t *testing.T, reply *interceptors.Reply, want interceptors.TransportFailure) {
	t.Helper()
	if reply.Failure != want || reply.Sent {
		t.Errorf("failure %v (%s), sent %v, want %v", reply.Failure, reply.Cause, reply.Sent, want)
	}
}

func wantBody(t *testing.T, reply *interceptors.Reply, body string) {
	t.Helper()
	if reply.Failure != interceptors.FailureNone || string(reply.Body) != body {
		t.Errorf("failure %v (%s), body %q, want %q", reply.Failure, reply.Cause, reply.Body, body)
	}
}

func TestOnlyTheOwnAuthorityIsTrusted(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	files := inFolder(t, "ours.pem", "theirs.pem")
	put(t, files[0], ours.pem)
	put(t, files[1], theirs.pem)
	server := newSecureServer(t, ours, "127.0.0.1", nil)
	for name, c := range map[string]struct {
		tls     backend.TLS
		trusted bool
	}{
		"the system's":     {backend.TLS{}, false},
		"the right one":    {backend.TLS{CAFile: files[0]}, true},
		"another":          {backend.TLS{CAFile: files[1]}, false},
		"one that is gone": {backend.TLS{CAFile: files[0] + ".gone"}, false},
		"another name":     {backend.TLS{CAFile: files[0], ServerName: "crm.internal"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			reply := attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: c.tls})), `{}`)
			if !c.trusted {
				wantFailure(t, reply, interceptors.FailureTLSCertificate)
				return
			}
			wantBody(t, reply, "nobody HTTP/1.1")
		})
	}
}

func TestAServerIsKnownByTheNameOfItsCertificate(t *testing.T) {
	ours := newAuthority(t, "ours")
	ca := put(t, inFolder(t, "ca.pem")[0], ours.pem)
	server := newSecureServer(t, ours, "crm.internal", nil)
	wantFailure(t, attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: backend.TLS{CAFile: ca}})), `{}`), interceptors.FailureTLSCertificate)
	named := backend.TLS{CAFile: ca, ServerName: "crm.internal"}
	wantBody(t, attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: named})), `{}`), "nobody HTTP/1.1")
}

func TestAnOldProtocolIsRefusedWhereANewerOneIsWanted(t *testing.T) {
	ours := newAuthority(t, "ours")
	ca := put(t, inFolder(t, "ca.pem")[0], ours.pem)
	server := newSecureServer(t, ours, "127.0.0.1", func(s *httptest.Server) { s.TLS.MaxVersion = tls.VersionTLS12 })
	wantBody(t, attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: backend.TLS{CAFile: ca}})), `{}`), "nobody HTTP/1.1")
	newer := backend.TLS{CAFile: ca, TLS13: true}
	wantFailure(t, attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: newer})), `{}`), interceptors.FailureTLSHandshake)
}

// Certificates are changed under a running gateway: those of the client, of the
// server, and of who signs them. Nobody starts anything anew.
func TestCertificatesRotateWithoutARestart(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		first, second := newAuthority(t, "first"), newAuthority(t, "second")
		files := inFolder(t, "ca.pem", "cert.pem", "key.pem")
		server := newSecureServer(t, first, "127.0.0.1", func(s *httptest.Server) { s.EnableHTTP2 = http2 })
		server.ask(first)
		write := func(from *authority, name string) {
			cert, key := from.issue(t, name)
			put(t, files[0], from.pem)
			put(t, files[1], cert)
			put(t, files[2], key)
		}
		write(first, "client-1")
		var stale atomic.Int32
		pool := pooled(t)
		pool.OnStaleFiles(func(upstream string, err error) {
			if upstream != "test" || err == nil {
				t.Errorf("told of %s: %v", upstream, err)
			}
			stale.Add(1)
		})
		backend := newBackend(t, pool, over(server.URL, httpbackend.Transport{TLS: backend.TLS{CAFile: files[0], CertFile: files[1], KeyFile: files[2]}}))
		proto := map[bool]string{false: " HTTP/1.1", true: " HTTP/2.0"}[http2]
		wantBody(t, attempt(t, backend, `{}`), "client-1"+proto)

		write(first, "client-2")
		pool.Close() // the next call connects anew
		wantBody(t, attempt(t, backend, `{}`), "client-2"+proto)

		write(second, "client-3")
		server.ask(second)
		server.use(t, second, "127.0.0.1")
		pool.Close() // the next call connects anew
		wantBody(t, attempt(t, backend, `{}`), "client-3"+proto)

		// Somebody is in the middle of writing them.
		put(t, files[1], []byte("-----BEGIN"))
		for range 3 {
			pool.Close() // the next call connects anew
			wantBody(t, attempt(t, backend, `{}`), "client-3"+proto)
		}
		if all := pool.Files(); stale.Load() != 1 || len(all) != 1 || !all[0].Stale {
			t.Errorf("told %d times of files that can't be read, want once; %v", stale.Load(), all)
		}
		write(second, "client-4")
		pool.Close() // the next call connects anew
		wantBody(t, attempt(t, backend, `{}`), "client-4"+proto)
		if all := pool.Files(); len(all) != 1 || all[0].Upstream != "test" || all[0].Stale || time.Until(all[0].Expires) > time.Hour || time.Until(all[0].Expires) < time.Minute {
			t.Errorf("in force are %v", all)
		}
	}
}

func TestAnUpstreamThatAsksForACertificateGetsOne(t *testing.T) {
	ours := newAuthority(t, "ours")
	files := inFolder(t, "ca.pem", "cert.pem", "key.pem")
	put(t, files[0], ours.pem)
	server := newSecureServer(t, ours, "127.0.0.1", nil)
	server.ask(ours)
	reply := attempt(t, newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{TLS: backend.TLS{CAFile: files[0]}})), `{}`)
	if reply.Failure != interceptors.FailureTLSCertificate {
		t.Errorf("failure %v (%s)", reply.Failure, reply.Cause)
	}
}
