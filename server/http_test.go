package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// atHTTP opens the HTTP door of a test's gateway and makes a client of it.
func atHTTP(t *testing.T) (open servertest.Option, client *http.Client, listener *pipetest.Listener) {
	t.Helper()
	listener = pipetest.Listen()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	return func(c *server.Config) { c.HTTP.Listener = listener }, &http.Client{Transport: transport}, listener
}

func post(client *http.Client, path, body string, headers ...string) (status int, header http.Header, text string) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://gateway.test"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	return send(client, req, headers...)
}

func get(client *http.Client, url string, headers ...string) (status int, header http.Header, text string) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err.Error()
	}
	return send(client, req, headers...)
}

func send(client *http.Client, req *http.Request, headers ...string) (status int, header http.Header, text string) {
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, err.Error()
	}
	return resp.StatusCode, resp.Header, string(all)
}

func TestTheHTTPDoorSpeaksBothVersionsWithAndWithoutTLS(t *testing.T) {
	identity, roots := certificate(t)
	for _, c := range []struct {
		name, scheme, proto string
		tls                 bool
	}{
		{"HTTP/1.1", "http", "HTTP/1.1", false}, {"HTTP/2 of those who know", "http", "HTTP/2.0", false},
		{"HTTP/1.1 over TLS", "https", "HTTP/1.1", true}, {"HTTP/2 over TLS", "https", "HTTP/2.0", true},
	} {
		upstream := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, lifecycleCatalogue, upstream), func(config *server.Config) {
			config.HTTP.Listen, config.Listener, config.Listen = "127.0.0.1:0", nil, "127.0.0.1:0"
			if c.tls {
				config.TLS = &tls.Config{Certificates: []tls.Certificate{identity}, MinVersion: tls.VersionTLS12}
			}
		})
		transport := &http.Transport{Protocols: &http.Protocols{}, TLSClientConfig: &tls.Config{RootCAs: roots}}
		transport.Protocols.SetHTTP1(c.proto == "HTTP/1.1")
		transport.Protocols.SetHTTP2(c.proto == "HTTP/2.0")
		transport.Protocols.SetUnencryptedHTTP2(c.proto == "HTTP/2.0")
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get(c.scheme + "://" + g.Server.HTTPAddr() + "/v1/tools")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Proto != c.proto {
			t.Errorf("%s: %d over %s", c.name, resp.StatusCode, resp.Proto)
		}
	}
}

// certificate makes one of 127.0.0.1, and who trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "gateway"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// drained is a gateway that is told to stop while calls are in flight.
func drained(t *testing.T, took time.Duration, limit time.Duration) (answers chan string, ended <-chan error, client *http.Client) {
	t.Helper()
	upstream := servertest.NewUpstream(t, servertest.After(took, servertest.Respond(200, `{"late":true}`)))
	open, client, _ := atHTTP(t)
	config := server.Config{Catalog: servertest.Load(t, lifecycleCatalogue, upstream), Listener: pipetest.Listen(), DrainTimeout: limit}
	open(&config)
	s, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	answers = make(chan string, 2)
	for _, accept := range []string{"application/json", "text/event-stream"} {
		go func() {
			status, _, text := post(client, "/v1/tools/find:call", `{"run_id":"`+accept+`"}`, "Accept", accept)
			answers <- fmt.Sprint(status, " ", text)
		}()
	}
	synctest.Wait()
	stop()
	synctest.Wait()
	return answers, done, client
}

func TestADrainOfTheHTTPDoorLetsWhatIsInFlightFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers, ended, client := drained(t, 5*time.Second, 30*time.Second)
		if status, _, text := post(client, "/v1/tools/find:call", `{"run_id":"r"}`); status != 0 {
			t.Errorf("a gateway that stops takes a request: %d %s", status, text)
		}
		for range 2 {
			if got := <-answers; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"late":true`) {
				t.Errorf("got %s", got)
			}
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestADrainOfTheHTTPDoorEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		answers, ended, _ := drained(t, time.Hour, 3*time.Second)
		if err := <-ended; err != nil || time.Since(begun) != 3*time.Second {
			t.Errorf("ended after %s: %v", time.Since(begun), err)
		}
		<-answers
		<-answers
	})
}

// Who sends a byte now and then holds a connection only so long, and no call.
func TestASlowPeerIsNotWaitedForWithoutEnd(t *testing.T) {
	for _, c := range []struct {
		name, sent, want string
		after            time.Duration
	}{
		{"no whole head", "POST /v1/tools/find:call HTTP/1.1\r\nHost: x\r\n", "", 10 * time.Second},
		{"no whole body", "POST /v1/tools/find:call HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 ", time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			open, _, listener := atHTTP(t)
			servertest.Start(t, servertest.Load(t, lifecycleCatalogue, servertest.NewUpstream(t)), open)
			conn, err := listener.DialContext(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			begun := time.Now()
			if _, err := io.WriteString(conn, c.sent); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			if took := time.Since(begun); took != c.after || !strings.HasPrefix(line, c.want) || (c.want == "") != (line == "") {
				t.Errorf("%s: %q after %s", c.name, line, took)
			}
		})
	}
}

func TestALongCallOutlastsThePatienceWithSlowPeers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, client, _ := atHTTP(t)
		text := strings.ReplaceAll(lifecycleCatalogue, "description: Finds.", "description: Finds.\n    policy: {max_attempts: 1, attempt_timeout: 10m, call_deadline: 20m}")
		upstream := servertest.NewUpstream(t, servertest.After(4*time.Minute, servertest.Respond(200, `{}`)))
		servertest.Start(t, servertest.Load(t, text, upstream), open)
		if status, _, text := post(client, "/v1/tools/find:call", `{"run_id":"r"}`, "Toolgate-Timeout", "20m"); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	})
}

var errSecret = errors.New("what a caller sent")

func TestMetricsAreForKnownCallersAndHealthForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, client, _ := atHTTP(t)
		g := servertest.Start(t, servertest.Load(t, lifecycleCatalogue, servertest.NewUpstream(t)), open, func(c *server.Config) {
			c.Identity = func(ctx context.Context) (string, error) {
				md, _ := metadata.FromIncomingContext(ctx)
				switch shown := md.Get("authorization"); {
				case len(shown) == 0:
					return "", interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing, "who are you?")
				case shown[0] == "Bearer panic":
					panic(errSecret)
				}
				return "ann", nil
			}
		})
		for _, path := range []string{"/metrics", "/v1/tools", "/v1/report"} {
			status, header, text := get(client, "http://x"+path)
			if status != http.StatusUnauthorized || header.Get("WWW-Authenticate") == "" || !strings.Contains(text, interceptors.ReasonCredentialMissing) {
				t.Errorf("%s: %d %v %s", path, status, header, text)
			}
			if status, _, _ := get(client, "http://x"+path, "Authorization", "Bearer ann"); status != http.StatusOK {
				t.Errorf("%s: %d", path, status)
			}
		}
		large := `{"run_id":"r","arguments_json":"` + strings.Repeat("x", 1<<20) + `"}`
		if status, _, text := post(client, "/v1/tools/find:call", large); status != http.StatusUnauthorized {
			t.Errorf("a stranger's large body: %d %s", status, text)
		}
		if status, _, text := post(client, "/v1/tools/find:call", large, "Authorization", "Bearer ann"); status != http.StatusBadRequest || !strings.Contains(text, "arguments_too_large") {
			t.Errorf("a caller's large body: %d %s", status, text)
		}
		for _, path := range []string{"/healthz", "/livez", "/readyz", "/openapi.json"} {
			if status, _, text := get(client, "http://x"+path); status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		if status, _, _ := get(client, "http://x/metrics", "Authorization", "Bearer panic"); status != 0 {
			t.Errorf("a panic answers %d", status)
		}
		if log := g.Log(); strings.Contains(log, errSecret.Error()) || !strings.Contains(log, "panic in an rpc") {
			t.Errorf("the log of a panic: %s", log)
		}
	})
}

func TestAnHTTPDoorBeyondLoopbackNeedsCallersThatAreKnown(t *testing.T) {
	tools := servertest.Load(t, lifecycleCatalogue, nil)
	for address, want := range map[string]bool{"0.0.0.0:0": false, ":0": false, "192.0.2.1:0": false, "127.0.0.1:0": true, "[::1]:0": true, "localhost:0": true, "nonsense": false} {
		s, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: address}})
		if (err == nil) != want && !strings.Contains(fmt.Sprint(err), "assign requested address") {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			stopAtOnce(t, s)
		}
	}
	for _, change := range []func(*server.Config){
		func(c *server.Config) { c.AllowAnonymous = true },
		func(c *server.Config) { c.Identity = func(context.Context) (string, error) { return "ann", nil } },
	} {
		config := server.Config{Catalog: tools, Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "0.0.0.0:0"}}
		change(&config)
		s, err := server.New(config)
		if err != nil {
			t.Error(err)
			continue
		}
		stopAtOnce(t, s)
	}
}

func stopAtOnce(t *testing.T, s *server.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
}

// Metrics and the stream of calls stand open on loopback, too.
func TestPagesThatNobodyInvitedCantReadTheAdminAddress(t *testing.T) {
	g := servertest.Start(t, servertest.Load(t, lifecycleCatalogue, servertest.NewUpstream(t)), func(c *server.Config) { c.AdminListen = "127.0.0.1:0" })
	for _, path := range []string{"/metrics", "/calls", "/healthz"} {
		for _, host := range []string{"rebound.example", "rebound.example:7441"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.Server.AdminAddr()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = host
			if status, _, text := send(http.DefaultClient, req); status != http.StatusForbidden {
				t.Errorf("%s by the name of %s: %d %.100s", path, host, status, text)
			}
		}
		if status, _, _ := get(http.DefaultClient, "http://"+g.Server.AdminAddr()+path, "Origin", "https://evil.example"); status != http.StatusForbidden {
			t.Errorf("%s for a page: %d", path, status)
		}
	}
	if status, _, text := get(http.DefaultClient, "http://"+g.Server.AdminAddr()+"/metrics"); status != http.StatusOK {
		t.Errorf("%d %.100s", status, text)
	}
}

// On loopback anybody may call, so a page in a browser must not: neither by its own
// name for this machine nor from elsewhere.
func TestPagesThatNobodyInvitedCantCall(t *testing.T) {
	g := servertest.Start(t, servertest.Load(t, lifecycleCatalogue, servertest.NewUpstream(t)), func(c *server.Config) {
		c.HTTP = server.HTTP{Listen: "127.0.0.1:0", Origins: []string{"https://app.example"}, Hosts: []string{"gateway.test"}}
	})
	at := "http://" + g.Server.HTTPAddr()
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200},
		{"localhost:7442", "", 200},
		{"GATEWAY.test", "", 200},
		{"rebound.example", "", 403},
		{"rebound.example:7442", "", 403},
		{"127.0.0.1.example", "", 403},
		{"", "https://app.example", 200},
		{"", "https://app.example.evil", 403},
		{"", "http://127.0.0.1:7442", 403},
		{"", "null", 403},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/v1/tools", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		status, header, text := send(http.DefaultClient, req)
		if status != c.want || (header.Get("Access-Control-Allow-Origin") != "") != (c.want == 200 && c.origin != "") {
			t.Errorf("%+v: %d %v %.200s", c, status, header, text)
		}
	}
}
