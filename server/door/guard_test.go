package door_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"toolgate.dev/toolgate/server/door"
)

func TestAGuardKnowsItsHostsAndItsPages(t *testing.T) {
	everybody := door.Guard{Origins: []string{"*"}, Hosts: []string{"*"}}
	loopback := door.OnLoopback("127.0.0.1:7442")
	elsewhere := door.OnLoopback("0.0.0.0:7442")
	for _, c := range []struct {
		name         string
		guard        door.Guard
		host, origin string
		want         int
	}{
		{"nothing is asked for", door.Guard{}, "any.example", "", 200},
		{"no page is invited", door.Guard{}, "any.example", "https://any.example", 403},
		{"all are invited", everybody, "any.example", "https://any.example", 200},
		{"a page without an origin of its own", everybody, "any.example", "null", 200},
		{"loopback by name", loopback, "localhost", "", 200},
		{"loopback with a dot", loopback, "localhost.:80", "", 200},
		{"loopback by number", loopback, "127.0.0.1:7442", "", 200},
		{"loopback by the longer number", loopback, "[::1]:7442", "", 200},
		{"loopback by the longer number alone", loopback, "[::1]", "", 200},
		{"an address behind which it stands", loopback, "192.0.2.7:80", "", 200},
		{"a name of another machine", elsewhere, "gateway.example", "", 200},
		{"a name that looks like an address", loopback, "127.0.0.1.evil.example", "", 403},
		{"a name that leads here", loopback, "evil.example:7442", "", 403},
		{"a name that looks like it", loopback, "localhost.evil.example", "", 403},
		{"no name", loopback, "", "", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		c.guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d", c.name, w.Code)
		}
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); (allowed == c.origin && allowed != "") != (c.want == 200 && c.origin != "") {
			t.Errorf("%s: pages of %q may read it", c.name, allowed)
		}
	}
}

func TestOnlyAPageThatAsksIsAnsweredInThePlaceOfTheHandler(t *testing.T) {
	asked := 0
	guarded := door.Guard{Origins: []string{"https://app.example"}}.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	for _, c := range []struct {
		origin, method string
		want           int
	}{{"https://app.example", "POST", 0}, {"https://app.example", "", 1}, {"", "POST", 1}, {"https://evil.example", "POST", 0}} {
		asked = 0
		r := httptest.NewRequest(http.MethodOptions, "/", nil)
		r.Header.Set("Origin", c.origin)
		if c.origin == "" {
			r.Header.Del("Origin")
		}
		if c.method != "" {
			r.Header.Set("Access-Control-Request-Method", c.method)
			r.Header.Set("Access-Control-Request-Private-Network", "true")
		}
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		if private := w.Header().Get("Access-Control-Allow-Private-Network"); (private != "") != (w.Code == http.StatusNoContent) {
			t.Errorf("%+v: %d %v", c, w.Code, w.Header())
		}
		if asked != c.want || w.Header().Get("Vary") != "Origin" {
			t.Errorf("%+v: the handler was asked %d times; %v", c, asked, w.Header())
		}
	}
}
