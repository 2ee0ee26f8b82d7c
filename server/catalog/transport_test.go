package catalog_test

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

// served starts a secure server, and writes its certificate beside a catalogue.
func served(t *testing.T) (server *httptest.Server, folder string) {
	t.Helper()
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	t.Cleanup(server.Close)
	folder = t.TempDir()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(folder, "ca.pem"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server, folder
}

func parse(t *testing.T, folder, yaml string, options ...catalog.Option) *catalog.Catalog {
	t.Helper()
	tools, err := catalog.Parse(filepath.Join(folder, "c.yaml"), []byte(yaml), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	return tools
}

func ask(t *testing.T, tools *catalog.Catalog, name string) *interceptors.Reply {
	t.Helper()
	return lookup(t, tools, name).Backend.Attempt(t.Context(), &interceptors.Call{Tool: &interceptors.Tool{}})
}

// What a host's connections are is said for the host or for the upstream, and the
// files are found beside the catalogue.
func TestConnectionsAreMadeAsTheFileSays(t *testing.T) {
	server, folder := served(t)
	tools := parse(t, folder, `
http:
  127.0.0.1: {tls: {ca_file: ca.pem}}
upstreams:
  named: {url: "`+server.URL+`", http: {tls: {server_name: example.com}}}
  stranger: {url: "`+server.URL+`", http: {tls: {server_name: example.org}}}
tools:
  - {name: by_host, http: {method: GET, url: "`+server.URL+`/"}}
  - {name: by_upstream, upstream: named, http: {method: GET, url: /}}
  - {name: by_stranger, upstream: stranger, http: {method: GET, url: /}}
`)
	for _, name := range []string{"by_host", "by_upstream"} {
		if reply := ask(t, tools, name); reply.Status != 200 {
			t.Errorf("%s: %v %s", name, reply.Failure, reply.Cause)
		}
	}
	if reply := ask(t, tools, "by_stranger"); reply.Failure != interceptors.FailureTLSCertificate {
		t.Errorf("a server of another name: %v %d", reply.Failure, reply.Status)
	}
}

func TestAProxyIsTakenAsAWholeFromTheNearestPlace(t *testing.T) {
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		seen = append(seen, r.URL.Host+" "+user+":"+password)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("PROXY_PASSWORD", "swordfish")
	direct := catalog.WithDial(func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasSuffix(address, ".test:80") {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	})
	tools := parse(t, t.TempDir(), `
http:
  "*": {proxy: {url: "`+proxy.URL+`", user: all, password: {from: "env:PROXY_PASSWORD"}}, max_age: 1m}
  "*.inside.test": {proxy: {url: direct}}
  "a.inside.test": {proxy: {url: "`+proxy.URL+`"}}
  "a.inside.test:81": {proxy: {url: "`+proxy.URL+`", user: port, password: {from: "env:PROXY_PASSWORD"}}}
upstreams:
  own: {url: "http://own.test", http: {proxy: {url: "`+proxy.URL+`", user: own, password: {from: "env:PROXY_PASSWORD"}}}}
tools:
  - {name: outside, http: {method: GET, url: "http://crm.test/"}}
  - {name: inside, http: {method: GET, url: "http://b.inside.test/"}}
  - {name: exact, http: {method: GET, url: "http://A.inside.test/"}}
  - {name: port, http: {method: GET, url: "http://a.inside.test:81/"}}
  - {name: own, upstream: own, http: {method: GET, url: /}}
`, direct)
	for name, want := range map[string]string{
		"outside": "crm.test all:swordfish", "inside": "", "exact": "a.inside.test :", "port": "a.inside.test:81 port:swordfish", "own": "own.test own:swordfish",
	} {
		seen = nil
		reply := ask(t, tools, name)
		if got := strings.Join(seen, " "); got != want || (want == "") != (reply.Failure == interceptors.FailureRefused) {
			t.Errorf("%s: the proxy saw %q, want %q (%v %s)", name, got, want, reply.Failure, reply.Cause)
		}
	}
	if secrets := lookup(t, tools, "own").Diagnosis.Secrets; !strings.Contains(strings.Join(secrets, " "), "swordfish") {
		t.Error("the proxy's password is not among the secrets to be removed")
	}
}

func TestFaultsOfConnectionsAreToldAtTheirPlace(t *testing.T) {
	t.Setenv("PROXY_PASSWORD", "swordfish")
	const yaml = `http:
  "a b": {max_age: 1m}
  "*.x.test": {idle_timeout: 2h, proxy: {url: "ftp://x"}}
upstreams:
  u:
    url: https://crm.example.com
    http:
      tls:
        ca_file: gone.pem
        cert_file: cert.pem
        min_version: tls11
      max_connections: 0
      http2: sometimes
      proxy: {url: direct, user: me, password: {from: "swordfish"}}
tools:
  - {name: a, upstream: u, http: {method: GET, url: /}}
`
	var got []string
	for _, p := range problemsOf(t, yaml) {
		got = append(got, p.Path)
	}
	want := []string{
		"http.a b", "http.*.x.test.idle_timeout", "http.*.x.test.proxy.url",
		"upstreams.u.http.tls.ca_file", "upstreams.u.http.tls.cert_file", "upstreams.u.http.tls.min_version",
		"upstreams.u.http.max_connections", "upstreams.u.http.http2", "upstreams.u.http.proxy.user", "upstreams.u.http.proxy.password.from",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, p := range problemsOf(t, yaml) {
		if strings.Contains(p.String(), "swordfish") {
			t.Errorf("a secret is told: %s", p)
		}
	}
	if alone := problemsOf(t, `
upstreams: {u: {url: "https://crm.example.com", http: {tls: {ca_file: gone.pem}}}}
tools: [{name: a, upstream: u, http: {method: GET, url: /}}]
`, catalog.Alone()); len(alone) > 0 {
		t.Errorf("files are looked for where only the text is read: %v", alone)
	}
}

// A change of a host's connections is a change of its tools and of no other, and
// the place of the file is none.
func TestTheVersionOfAToolKnowsItsConnections(t *testing.T) {
	t.Setenv("PROXY_PASSWORD", "swordfish")
	version := func(folder, age, name string) string {
		tools := parse(t, folder, `
http: {crm.test: {max_age: `+age+`, proxy: {url: "http://proxy.test", user: a, password: {from: "env:PROXY_PASSWORD"}}}}
tools:
  - {name: crm, http: {method: GET, url: "http://crm.test/"}}
  - {name: bank, http: {method: GET, url: "http://bank.test/"}}
`)
		return lookup(t, tools, name).Version
	}
	here, there := t.TempDir(), t.TempDir()
	if version(here, "1m", "crm") == version(here, "2m", "crm") {
		t.Error("a change of its connections does not change the tool")
	}
	if version(here, "1m", "bank") != version(here, "2m", "bank") {
		t.Error("a change of another host's connections changes the tool")
	}
	if version(here, "1m", "crm") != version(there, "1m", "crm") {
		t.Error("the same catalogue in another folder has other tools")
	}
	before := version(here, "1m", "crm")
	t.Setenv("PROXY_PASSWORD", "another")
	if version(here, "1m", "crm") == before {
		t.Error("another password does not change the tool")
	}
}
