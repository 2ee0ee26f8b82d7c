package httpbackend_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/servertest"
)

func TestHTTP2IsSpokenAsTheCatalogueSays(t *testing.T) {
	ours := newAuthority(t, "ours")
	ca := put(t, inFolder(t, "ca.pem")[0], ours.pem)
	secure := newSecureServer(t, ours, "127.0.0.1", func(s *httptest.Server) { s.EnableHTTP2 = true })
	for mode, want := range map[httpbackend.HTTP2]string{
		httpbackend.HTTP2Auto: "nobody HTTP/2.0", httpbackend.HTTP2Never: "nobody HTTP/1.1", httpbackend.HTTP2Always: "nobody HTTP/2.0",
	} {
		settings := httpbackend.Transport{TLS: backend.TLS{CAFile: ca}, HTTP2: mode}
		wantBody(t, attempt(t, newBackend(t, pooled(t), over(secure.URL, settings)), `{}`), want)
	}
	plain := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	plain.Config.Protocols = &http.Protocols{}
	plain.Config.Protocols.SetHTTP1(true)
	plain.Config.Protocols.SetUnencryptedHTTP2(true)
	plain.Start()
	t.Cleanup(plain.Close)
	for mode, want := range map[httpbackend.HTTP2]string{
		httpbackend.HTTP2Auto: "HTTP/1.1", httpbackend.HTTP2Never: "HTTP/1.1", httpbackend.HTTP2Always: "HTTP/2.0",
	} {
		wantBody(t, attempt(t, newBackend(t, pooled(t), over(plain.URL, httpbackend.Transport{HTTP2: mode})), `{}`), want)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	var open, most atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			most.Store(max(most.Load(), open.Add(1)))
		case http.StateClosed:
			open.Add(-1)
		case http.StateActive, http.StateIdle, http.StateHijacked:
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	backend := newBackend(t, pooled(t), over(server.URL, httpbackend.Transport{MaxConnections: 2}))
	var calls sync.WaitGroup
	for range 40 {
		calls.Go(func() { wantBody(t, attempt(t, backend, `{}`), "{}") })
	}
	calls.Wait()
	if most.Load() > 2 {
		t.Errorf("%d connections were open at once, want at most 2", most.Load())
	}
}

// dialling is an upstream whose address may change.
type dialling struct {
	mu   sync.Mutex // guards the rest
	to   *servertest.Upstream
	made int
}

func (d *dialling) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	return d.to.Dial(ctx, network, address)
}

func (d *dialling) move(to *servertest.Upstream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
}

func TestAnUnusedConnectionIsClosedAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialling{to: servertest.NewUpstream(t)}
		backend := newBackend(t, pooled(t, httpbackend.WithDial(d.dial)), over("http://crm.test/", httpbackend.Transport{IdleTimeout: 10 * time.Second}))
		for _, wait := range []time.Duration{0, 9 * time.Second, 9 * time.Second, 11 * time.Second} {
			time.Sleep(wait)
			wantStatus(t, backend.Attempt(t.Context(), backendtest.NewCall(`{}`)), 200)
		}
		if d.made != 2 {
			t.Errorf("%d connections were made, want 2", d.made)
		}
	})
}

// Callers that never let a connection rest are taken to a new address all the
// same, and none of their calls fails for it.
func TestABusyConnectionIsGivenUpAtItsAge(t *testing.T) {
	for name, http2 := range map[string]httpbackend.HTTP2{"HTTP/1.1": httpbackend.HTTP2Never, "HTTP/2": httpbackend.HTTP2Always} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				former, latter := servertest.NewUpstream(t, busy), servertest.NewUpstream(t, busy)
				d := &dialling{to: former}
				backend := newBackend(t, pooled(t, httpbackend.WithDial(d.dial)),
					over("http://crm.test/", httpbackend.Transport{HTTP2: http2, MaxAge: time.Minute}))
				start := time.Now()
				var callers sync.WaitGroup
				for range 8 {
					callers.Go(func() {
						for time.Since(start) < 3*time.Minute {
							wantStatus(t, backend.Attempt(t.Context(), backendtest.NewCall(`{}`)), 200)
						}
					})
				}
				time.Sleep(30 * time.Second)
				d.move(latter)
				callers.Wait()
				last := former.Requests()[former.Count()-1].At.Sub(start)
				if last > 30*time.Second+time.Minute+time.Second || latter.Count() == 0 {
					t.Errorf("the former address was asked %v long, the latter %d times", last, latter.Count())
				}
				if d.made > 8*4*2 {
					t.Errorf("%d connections were made for 8 callers in three minutes", d.made)
				}
			})
		})
	}
}

func busy(w http.ResponseWriter, r *http.Request) {
	servertest.After(500*time.Millisecond, servertest.Respond(200, "{}"))(w, r)
}

// Connections that are given up all the time lose no call, and double none.
func TestNoCallIsLostWhenConnectionsAreGivenUp(t *testing.T) {
	for name, http2 := range map[string]httpbackend.HTTP2{"HTTP/1.1": httpbackend.HTTP2Never, "HTTP/2": httpbackend.HTTP2Always} {
		t.Run(name, func(t *testing.T) {
			var came atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				came.Add(1)
				_, _ = io.WriteString(w, "{}")
			}))
			server.Config.Protocols = &http.Protocols{}
			server.Config.Protocols.SetHTTP1(true)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			t.Cleanup(server.Close)
			spec := over(server.URL, httpbackend.Transport{HTTP2: http2, MaxAge: 200 * time.Microsecond})
			spec.Call.Method = http.MethodPost
			backend := newBackend(t, pooled(t), spec)
			const callers, each = 8, 60
			var calls sync.WaitGroup
			for range callers {
				calls.Go(func() {
					for range each {
						wantBody(t, attempt(t, backend, `{"a":1}`), "{}")
					}
				})
			}
			calls.Wait()
			if came.Load() != callers*each {
				t.Errorf("%d requests came of %d calls", came.Load(), callers*each)
			}
		})
	}
}

func TestAConnectionThatIsNotMadeInTimeSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := httpbackend.WithDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
		})
		backend := newBackend(t, pooled(t, never), over("http://crm.test/", httpbackend.Transport{ConnectTimeout: 2 * time.Second}))
		start := time.Now()
		reply := backend.Attempt(t.Context(), backendtest.NewCall(`{}`))
		if wantFailure(t, reply, interceptors.FailureRefused); time.Since(start) != 2*time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
	})
}

func TestAHandshakeThatIsNotMadeInTimeSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := httpbackend.WithDial(func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			return here, nil
		})
		backend := newBackend(t, pooled(t, silent), over("https://crm.test/", httpbackend.Transport{TLSTimeout: 3 * time.Second}))
		start := time.Now()
		reply := backend.Attempt(t.Context(), backendtest.NewCall(`{}`))
		if wantFailure(t, reply, interceptors.FailureTLSHandshake); time.Since(start) != 3*time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
	})
}

func TestToolsShareConnectionsWhereTheirSettingsAreTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialling{to: servertest.NewUpstream(t)}
		pool := pooled(t, httpbackend.WithDial(d.dial))
		for _, transport := range []httpbackend.Transport{{}, {MaxConnections: 2048}, {MaxConnections: 4}, {MaxConnections: 4}} {
			wantStatus(t, newBackend(t, pool, over("http://crm.test/", transport)).Attempt(t.Context(), backendtest.NewCall(`{}`)), 200)
		}
		if d.made != 2 {
			t.Errorf("%d connections were made, want 2", d.made)
		}
	})
}

func TestWhatIsWrongWithATransportIsNamed(t *testing.T) {
	ours, files := newAuthority(t, "ours"), inFolder(t, "ca.pem", "cert.pem", "key.pem", "other.pem", "none.pem")
	cert, key := ours.issue(t, "a")
	_, other := ours.issue(t, "b")
	put(t, files[0], ours.pem)
	put(t, files[1], cert)
	put(t, files[2], key)
	put(t, files[3], other)
	put(t, files[4], []byte("nothing"))
	proxy := func(url string) httpbackend.Transport {
		return httpbackend.Transport{Proxy: backend.Proxy{Mode: backend.ProxyURL, URL: url}}
	}
	trust := func(tls backend.TLS) httpbackend.Transport { return httpbackend.Transport{TLS: tls} }
	for name, c := range map[string]struct {
		transport httpbackend.Transport
		path      string // of the fault; empty: there is none
	}{
		"nothing is said":          {httpbackend.Transport{}, ""},
		"all files are there":      {trust(backend.TLS{CAFile: files[0], CertFile: files[1], KeyFile: files[2]}), ""},
		"no authority in the file": {trust(backend.TLS{CAFile: files[4]}), "tls.ca_file"},
		"no file":                  {trust(backend.TLS{CAFile: files[4] + "x"}), "tls.ca_file"},
		"no key":                   {trust(backend.TLS{CertFile: files[1]}), "tls.cert_file"},
		"no certificate":           {trust(backend.TLS{KeyFile: files[2]}), "tls.key_file"},
		"another's key":            {trust(backend.TLS{CertFile: files[1], KeyFile: files[3]}), "tls.cert_file"},
		"a proxy":                  {proxy("http://proxy.test:3128"), ""},
		"a SOCKS proxy":            {proxy("socks5://proxy.test:1080"), ""},
		"no proxy's scheme":        {proxy("ftp://proxy.test"), "proxy.url"},
		"no scheme":                {proxy("proxy.test:3128"), "proxy.url"},
		"no URL":                   {proxy("http://[::1"), "proxy.url"},
		"user-info":                {proxy("http://me:s3cret@proxy.test"), "proxy.url"},
	} {
		faults := append(httpbackend.CheckTransport(c.transport), httpbackend.CheckTransportFiles(c.transport)...)
		if (len(faults) == 0) != (c.path == "") || len(faults) > 0 && faults[0].Path != c.path {
			t.Errorf("%s: found %v, want %q", name, faults, c.path)
		}
	}
}
