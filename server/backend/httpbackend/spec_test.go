package httpbackend

import (
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend"
)

func TestATemplateThatCouldLeadElsewhereIsRefused(t *testing.T) {
	base := parsed(t, "https://api.example.com/v1")
	for template, want := range map[string]string{
		"https://{host}/x": "host", "{scheme}://x/y": "scheme", "https://api.{region}.example.com/": "host", "https://u:p@x.org/": "user",
		"/a/{b": "not closed", "/a/b}": "not open", "/a/{}": "no name", "/a/{+b}": "operator", "/a{?b}": "operator", "/a/{b*}": "b*", "/a/{b:3}": "b:3",
		"/a?{b}=1": "name of a query", "/a#x": "fragment", "ftp://x/y": "neither", "a/b": "neither", "": "neither", "/a/../b": "dot segment",
		"/a/%2e%2e/b": "dot segment", "/a%zz": "percent", "https://": "no host", "https:///x": "no host", "/a\\b": "may not stand", "https://a b/": "no host",
		"/a/{x y}": "x y",
	} {
		_, err := parseTemplate(base, template)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want something about %q", template, err, want)
		}
	}
	if _, err := parseTemplate(nil, "/a"); err == nil {
		t.Error("a path without an upstream was accepted")
	}
}

func TestEveryFaultOfAnEntryIsFound(t *testing.T) {
	spec := Spec{
		Base: parsed(t, "https://api.example.com"), Arguments: []string{"id", "mode", "request_id"},
		Headers: map[string]string{"bad name": "x"}, SecretHeaders: map[string]string{"X-Key": "a\nb"}, SecretQuery: map[string]string{"mode": "s", "fixed": "t"},
		IdempotencyKey: &catalogv1.IdempotencyKey{In: inQuery, Name: "request_id"},
		Call: &catalogv1.HttpCall{
			Method: "FETCH", Url: "/a/{idd}?fixed=1", Headers: map[string]string{"Host": "evil", "X-Ok": "1"},
			Arguments: map[string]*catalogv1.Placement{
				"idd": {In: inQuery}, "nope": {In: inQuery}, "id": {}, "mode": {In: inHeader, Name: "Authorization"}, "request_id": {In: inHeader, Name: "x-ok"},
			},
		},
	}
	_, err := New(NewPool(), spec)
	faults, ok := err.(backend.Faults)
	if !ok {
		t.Fatalf("got %T %v", err, err)
	}
	var places []string
	for _, f := range faults {
		places = append(places, f.Path)
		if strings.Contains(f.Message+f.Accepted, "a\nb") {
			t.Error("a secret's value stands in the fault")
		}
	}
	want := "http.method bad name http.headers.Host http.secret_headers.X-Key http.secret_query.fixed http.url http.arguments.id.in http.arguments.idd " +
		"http.arguments.mode http.arguments.nope http.arguments.request_id"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, text := range []string{`"FETCH" is no method; accepted: GET`, "{idd} is no argument of the tool; accepted: id, mode, request_id"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the text lacks %q:\n%v", text, err)
		}
	}
}

func TestAnIdempotencyKeySharesItsPlaceWithNobody(t *testing.T) {
	for name, spec := range map[string]Spec{
		"a placed argument": {Call: &catalogv1.HttpCall{Method: "POST", Url: "/x", Arguments: map[string]*catalogv1.Placement{"a": {In: inHeader, Name: "idempotency-key"}}}},
		"a fixed header":    {Call: &catalogv1.HttpCall{Method: "POST", Url: "/x", Headers: map[string]string{"Idempotency-Key": "1"}}},
		"a member of the body": {
			Call: &catalogv1.HttpCall{Method: "POST", Url: "/x"}, IdempotencyKey: &catalogv1.IdempotencyKey{In: inBody, Name: "a"},
		},
	} {
		spec.Base, spec.Arguments = parsed(t, "https://api.example.com"), []string{"a"}
		if spec.IdempotencyKey == nil {
			spec.IdempotencyKey = &catalogv1.IdempotencyKey{}
		}
		if _, err := New(NewPool(), spec); err == nil || !strings.Contains(err.Error(), "idempotency_key.name") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestADeclaredArgumentDoesNotTakeASecretsPlace(t *testing.T) {
	_, err := New(NewPool(), Spec{
		Base: parsed(t, "https://api.example.com"), Arguments: []string{"API_key"}, SecretQuery: map[string]string{"api_key": "s"},
		Call: &catalogv1.HttpCall{Method: "GET", Url: "/x"},
	})
	if err == nil || !strings.Contains(err.Error(), "http.arguments.API_key") {
		t.Errorf("got %v", err)
	}
}

func TestTheHostIsTold(t *testing.T) {
	backend, err := New(NewPool(), Spec{Call: &catalogv1.HttpCall{Method: "GET", Url: "https://API.example.com:8443/x"}})
	if err != nil || backend.Host() != "api.example.com" {
		t.Errorf("got %v, %v", backend, err)
	}
}
