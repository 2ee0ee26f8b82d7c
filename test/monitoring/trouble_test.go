package monitoring

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

const troubled = `
upstreams:
  crm: {url: "http://crm.test"}
  down: {url: "http://down.test"}
  secure: {url: "https://secure.test", http: {tls: {cert_file: cert.pem, key_file: key.pem}, max_age: 1s}}
defaults: {max_attempts: 3, backoff: 10ms}
tools:
  - {name: list, upstream: crm, http: {method: GET, url: /fine}, input_schema: {type: object, properties: {since: {type: string, format: date}}}}
  - {name: flaky, upstream: crm, http: {method: GET, url: /flaky}, policy: {breaker_failures: 0}}
  - {name: down, upstream: down, http: {method: GET, url: /down}}
  - {name: limited, upstream: crm, http: {method: GET, url: /limited}, policy: {max_attempts: 1}}
  - {name: taken, upstream: crm, http: {method: POST, url: /taken}, effect: read}
  - {name: rejected, upstream: crm, http: {method: GET, url: /rejected}}
  - {name: unknown, upstream: crm, http: {method: POST, url: /hang}, policy: {attempt_timeout: 1s}}
  - {name: slow, upstream: crm, http: {method: GET, url: /slow}, policy: {max_in_flight_per_tool: 1, queue_timeout: 5s}}
  - {name: secure, upstream: secure, http: {method: GET, url: /}, policy: {max_attempts: 1}}
  - {name: checked_late, upstream: crm, http: {method: GET, url: /fine}}
  - {name: unvalidated, upstream: crm, http: {method: GET, url: /fine}, input_schema: {type: object, properties: {a: {type: nothing}}}}
  - name: ruled
    upstream: crm
    http: {method: GET, url: /rejected}
    errors: [{when: 'body.nowhere == 1', class: terminal, code: never}]
`

// upstream is where everything goes wrong that can.
func upstream(w http.ResponseWriter, r *http.Request) {
	steps := map[string]servertest.Step{
		"/fine":     servertest.After(20*time.Millisecond, servertest.Respond(200, `{"items":[1]}`)),
		"/flaky":    servertest.Respond(503, ""),
		"/down":     servertest.Respond(503, ""),
		"/limited":  servertest.Respond(429, "", "Retry-After", "40"),
		"/taken":    servertest.Respond(403, `{"code":"account_closed"}`),
		"/rejected": servertest.Respond(400, `{"message":"invalid date format","field":"since"}`),
		"/hang":     servertest.Hang,
		"/slow":     servertest.After(2*time.Second, servertest.Respond(200, "{}")),
	}
	steps[r.URL.Path](w, r)
}

// certificate writes one that ends tomorrow.
func certificate(t *testing.T, folder string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(24 * time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	own, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: own}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// trouble is a fleet to which everything happens. The second gateway serves another
// catalogue, takes one call at a time, and has lost its shared state.
func trouble(t *testing.T, folder string) {
	certificate(t, folder)
	up := servertest.NewUpstream(t, upstream)
	access, err := server.OpenAccess(write(t, folder, "access.yaml", allowed))
	if err != nil {
		t.Fatal(err)
	}
	one := start(t, "one:7441", folder, troubled, up, func(config *server.Config) {
		config.Permitted = func(_, tool string) bool {
			if tool == "checked_late" {
				time.Sleep(400 * time.Millisecond) // whoever decides is slow
			}
			return true
		}
	})
	two := start(t, "two:7441", folder, strings.Replace(troubled, "max_attempts: 3", "max_attempts: 2", 1), up, func(config *server.Config) {
		config.MaxInFlight, config.Access = 1, access
		config.Ledger = state{memory.New(), false, &atomic.Uint64{}}
	})
	two.misses = 30
	two.losesItsLog(t)
	while(t, []target{one, two}, func(n int) {
		run := fmt.Sprintf("run-%d", n)
		one.happens(t, run)
		all(func() { within(t, two, time.Minute, run, "slow", `{}`) }, func() { within(t, two, time.Minute, run, "slow", `{}`) })
		switch n {
		case 5:
			one.Server.Reload(one.Server.Catalog())
		case 10:
			refuse(t, one, folder)
			write(t, folder, "access.yaml", "anonymous: nothing")
			refuse(t, two, folder)
		case 15:
			if err := os.WriteFile(filepath.Join(folder, "cert.pem"), []byte("-----BEGIN"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// happens is what one gateway goes through, in about half a minute.
func (g target) happens(t *testing.T, run string) {
	t.Helper()
	g.Call(t, run, "list", `{"since":"03/14/2026"}`)
	g.Call(t, run, "list", `{"since":"2026-03-14"}`)
	for _, tool := range []string{"flaky", "down", "down", "limited", "limited", "ruled", "checked_late", "unvalidated", "secure", "no_such_tool"} {
		g.Call(t, run, tool, `{}`)
	}
	for call := range 5 { // the cap is 3
		g.Call(t, run, "rejected", fmt.Sprintf(`{"since":"%d"}`, call))
	}
	g.Call(t, run, "taken", `{}`)
	g.Call(t, run, "taken", `{}`) // from memory
	g.Call(t, run, "unknown", `{}`)
	slow := func() { within(t, g, time.Minute, run, "slow", `{}`) }
	all(slow, slow)
	g.leaves(t, run, "slow")
	_, _ = g.Try(t.Context(), "", "list", `{}`) // an rpc that is wrong itself

	// A run that got nothing out of its tools.
	g.Call(t, run+"-empty", "taken", `{}`)
	if _, err := g.Client.EndRun(t.Context(), &toolgatev1.EndRunRequest{RunId: run + "-empty"}); err != nil {
		t.Fatal(err)
	}
}

// allowed lets everybody do everything, at a rate that a fleet in trouble is above.
const allowed = `anonymous: {tools: ["*"], report: true, limits: {in_flight: 1}}
`

// write puts a file into the folder and returns where it is.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refuse has a gateway refuse a catalogue, and its access file if that is broken.
func refuse(t *testing.T, g target, folder string) {
	t.Helper()
	path := filepath.Join(folder, "watched.yaml")
	if err := os.WriteFile(path, []byte("tools: nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	hangups, done := make(chan os.Signal), make(chan struct{})
	go func() {
		defer close(done)
		g.Server.Watch(ctx, server.NewCatalogFile(path, "test"), -1, hangups)
	}()
	hangups <- os.Interrupt
	synctest.Wait()
	stop()
	<-done
}

// leaves makes a call whose caller does not wait for the answer.
func (g target) leaves(t *testing.T, run, tool string) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer time.AfterFunc(100*time.Millisecond, leave).Stop()
	_, _ = g.Try(ctx, run, tool, `{}`)
	leave()
	synctest.Wait() // its gateway has noticed
}
