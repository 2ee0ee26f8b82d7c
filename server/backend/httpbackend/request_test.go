package httpbackend

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	inQuery  = catalogv1.Location_LOCATION_QUERY
	inHeader = catalogv1.Location_LOCATION_HEADER
	inBody   = catalogv1.Location_LOCATION_BODY
)

func parsed(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func planned(t testing.TB, spec Spec) *plan {
	t.Helper()
	var faults collector
	spec.userAgent = "toolgate/test"
	spec.Open = spec.Arguments == nil
	p := newPlan(spec, &faults)
	if len(faults.found) > 0 {
		t.Fatal(faults.found)
	}
	return p
}

func callWith(arguments string) *interceptors.Call {
	return &interceptors.Call{Arguments: interceptors.Checked{JSON: []byte(arguments)}}
}

func bodyOf(t testing.TB, req *http.Request) string {
	t.Helper()
	if req.Body == nil {
		return ""
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestArgumentsGoWhereTheyBelongDigitForDigit(t *testing.T) {
	base := parsed(t, "https://api.example.com/v1/")
	for name, c := range map[string]struct {
		call      *catalogv1.HttpCall
		arguments string
		url, body string
	}{
		"a get": {
			&catalogv1.HttpCall{Method: "GET", Url: "/customers"},
			`{"limit":10,"email":"a+b@x.org","created":{"gte":1.50},"tags":["a b","c"],"none":null,"empty":[],"ok":true}`,
			"https://api.example.com/v1/customers?limit=10&email=a%2Bb%40x.org&created%5Bgte%5D=1.50&tags=a%20b&tags=c&ok=true", "",
		},
		"lists in a query": {
			&catalogv1.HttpCall{Method: "GET", Url: "/x", Arguments: map[string]*catalogv1.Placement{"ids": {In: inQuery, Name: "ids[]"}}},
			`{"ids":[1,2],"sort":[{"by":"a"},{"by":"b"}]}`,
			"https://api.example.com/v1/x?ids%5B%5D=1&ids%5B%5D=2&sort%5B0%5D%5Bby%5D=a&sort%5B1%5D%5Bby%5D=b", "",
		},
		"a path": {
			&catalogv1.HttpCall{Method: "GET", Url: "/customers/{id}/x"}, `{"id":"a/b?c#d é","more":12345678901234567890}`,
			"https://api.example.com/v1/customers/a%2Fb%3Fc%23d%20%C3%A9/x?more=12345678901234567890", "",
		},
		"a list in a path": {
			&catalogv1.HttpCall{Method: "GET", Url: "/items/{ids}"}, `{"ids":[1,2.50,"x,y"]}`,
			"https://api.example.com/v1/items/1%2C2.50%2Cx%2Cy", "",
		},
		"a query in the template": {
			&catalogv1.HttpCall{Method: "GET", Url: "/find?q={q}&exact=1&page={page}", Query: map[string]string{"v": "2&3"}}, `{"q":"a&b=c","size":3}`,
			"https://api.example.com/v1/find?q=a%26b%3Dc&exact=1&v=2%263&size=3", "",
		},
		"a post as it stands": {
			&catalogv1.HttpCall{Method: "POST", Url: "/payments"}, `{ "amount": 150.00, "big": 123456789012345678901 }`,
			"https://api.example.com/v1/payments", `{ "amount": 150.00, "big": 123456789012345678901 }`,
		},
		"a post without what moved": {
			&catalogv1.HttpCall{Method: "POST", Url: "/accounts/{account}/payments?dry={dry}", Arguments: map[string]*catalogv1.Placement{
				"trace": {In: inHeader, Name: "x-trace"}, "lang": {In: inQuery, Name: "hl"}, "to": {In: inBody, Name: "recipient"},
			}},
			`{"account":7,"amount": 1.0e2 ,"trace":"t1","to":{"id": 5},"lang":"de","dry":false}`,
			"https://api.example.com/v1/accounts/7/payments?dry=false&hl=de", `{"amount": 1.0e2,"recipient":{"id": 5}}`,
		},
		"a post of nothing": {
			&catalogv1.HttpCall{Method: "POST", Url: "/accounts/{id}/close"}, `{"id":1}`,
			"https://api.example.com/v1/accounts/1/close", `{}`,
		},
		"a post without arguments": {
			&catalogv1.HttpCall{Method: "POST", Url: "/close"}, ``, "https://api.example.com/v1/close", `{}`,
		},
		"a form": {
			&catalogv1.HttpCall{Method: "POST", Url: "/charges", Body: catalogv1.BodyEncoding_BODY_ENCODING_FORM},
			`{"amount":2000,"card":{"number":"4242","exp":[1,2]},"metadata":{"a b":"c&d"},"off":null,"list":[],"yes":true}`,
			"https://api.example.com/v1/charges",
			"amount=2000&card%5Bnumber%5D=4242&card%5Bexp%5D%5B0%5D=1&card%5Bexp%5D%5B1%5D=2&metadata%5Ba%20b%5D=c%26d&off=&list=&yes=true",
		},
		"a delete": {
			&catalogv1.HttpCall{Method: "DELETE", Url: "/customers/{id}"}, `{"id":"c_1","force":true}`,
			"https://api.example.com/v1/customers/c_1?force=true", "",
		},
		"a whole url": {
			&catalogv1.HttpCall{Method: "GET", Url: "http://Other.example:8080/a%20b/{x}?"}, `{"x":"y"}`,
			"http://other.example:8080/a%20b/y", "",
		},
		"a delete with a body": {
			&catalogv1.HttpCall{Method: "DELETE", Url: "/x", Arguments: map[string]*catalogv1.Placement{"ids": {In: inBody}}}, `{"ids":[1],"q":2}`,
			"https://api.example.com/v1/x?q=2", `{"ids":[1]}`,
		},
	} {
		req, refused := planned(t, Spec{Base: base, Call: c.call}).build(t.Context(), &flight{}, callWith(c.arguments))
		if refused != nil {
			t.Errorf("%s: refused: %+v", name, refused)
			continue
		}
		if got := req.URL.String(); got != c.url {
			t.Errorf("%s: url\n got %s\nwant %s", name, got, c.url)
		}
		if got := bodyOf(t, req); got != c.body || req.ContentLength != int64(len(got)) {
			t.Errorf("%s: body\n got %s (%d)\nwant %s", name, got, req.ContentLength, c.body)
		}
	}
}

func TestHeadersAreJoinedAndArgumentsAddNone(t *testing.T) {
	p := planned(t, Spec{
		Base: parsed(t, "https://api.example.com"), Headers: map[string]string{"x-team": "core", "accept": "text/csv"},
		SecretHeaders: map[string]string{"authorization": "Bearer s3cret"},
		Call: &catalogv1.HttpCall{
			Method: "POST", Url: "/x", Headers: map[string]string{"X-Team": "edge"}, Body: catalogv1.BodyEncoding_BODY_ENCODING_FORM,
			Arguments: map[string]*catalogv1.Placement{"region": {In: inHeader, Name: "x-region"}},
		},
	})
	req, refused := p.build(t.Context(), &flight{}, callWith(`{"region":["eu",1.50],"x-team":"evil"}`))
	if refused != nil {
		t.Fatal(refused)
	}
	for name, want := range map[string]string{
		"X-Team": "edge", "Accept": "text/csv", "Authorization": "Bearer s3cret", "X-Region": "eu,1.50",
		"User-Agent": "toolgate/test", "Content-Type": "application/x-www-form-urlencoded",
	} {
		if got := req.Header[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(p.header["X-Region"]) != 0 {
		t.Error("an argument's header stayed for the next call")
	}
}

func TestTheIdempotencyKeyGoesWhereItIsExpected(t *testing.T) {
	base := parsed(t, "https://api.example.com")
	form := catalogv1.BodyEncoding_BODY_ENCODING_FORM
	for name, c := range map[string]struct {
		key    *catalogv1.IdempotencyKey
		form   catalogv1.BodyEncoding
		header string
		query  string
		body   string
	}{
		"by default":    {&catalogv1.IdempotencyKey{}, 0, "k1", "", `{"a":1}`},
		"in the query":  {&catalogv1.IdempotencyKey{In: inQuery, Name: "request_id"}, 0, "", "request_id=k1", `{"a":1}`},
		"in the body":   {&catalogv1.IdempotencyKey{In: inBody, Name: "request_id"}, 0, "", "", `{"a":1,"request_id":"k1"}`},
		"in the form":   {&catalogv1.IdempotencyKey{In: inBody, Name: "request_id"}, form, "", "", `a=1&request_id=k1`},
		"under its own": {&catalogv1.IdempotencyKey{In: inHeader, Name: "idempotency-key"}, form, "k1", "", `a=1`},
	} {
		p := planned(t, Spec{Base: base, IdempotencyKey: c.key, Call: &catalogv1.HttpCall{Method: "POST", Url: "/x", Body: c.form}})
		call := callWith(`{"a":1}`)
		call.IdempotencyKey = "k1"
		req, refused := p.build(t.Context(), &flight{}, call)
		if refused != nil {
			t.Fatal(refused)
		}
		if got := req.Header.Get("Idempotency-Key"); got != c.header || req.URL.RawQuery != c.query || bodyOf(t, req) != c.body {
			t.Errorf("%s: header %q, query %q", name, got, req.URL.RawQuery)
		}
	}
}

func TestWhatCanNotBeSentIsRefusedByName(t *testing.T) {
	base := parsed(t, "https://api.example.com/v1")
	deep := strings.Repeat("[", 40) + "1" + strings.Repeat("]", 40)
	spec := Spec{
		Base: base, SecretQuery: map[string]string{"api_key": "s3cret"}, IdempotencyKey: &catalogv1.IdempotencyKey{In: inQuery, Name: "idem"},
		Call: &catalogv1.HttpCall{
			Method: "GET", Url: "/a/{id}?fixed=1", Query: map[string]string{"mode": "x"},
			Arguments: map[string]*catalogv1.Placement{"h": {In: inHeader}},
		},
	}
	for arguments, want := range map[string]string{
		`{}`: "id", `{"id":null}`: "id", `{"id":""}`: "id", `{"id":{}}`: "id", `{"id":[]}`: "id", `{"id":[[1]]}`: "id",
		`{"id":"."}`: "id", `{"id":".."}`: "id", `{"id":"../b"}`: "id", `{"id":"b/.."}`: "id", `{"id":"b/./c"}`: "id", `{"id":"b\\..\\c"}`: "id",
		`{"id":"%2e%2e"}`: "id", `{"id":"%2E%2E%2Fadmin"}`: "id", `{"id":"%252e%252e%252fadmin"}`: "id", `{"id":"..;x/admin"}`: "id",
		`{"id":"a\u0000b"}`: "id", `{"id":"a\nb"}`: "id",
		`{"id":1,"h":"a\r\nX-Evil: 1"}`: "h", `{"id":1,"h":{"a":1}}`: "h", `{"id":1,"h":"\u0000"}`: "h",
		`{"id":1,"api_key":"mine"}`: "api_key", `{"id":1,"API_KEY":"mine"}`: "API_KEY", `{"id":1,"api_key[]":"mine"}`: "api_key[]",
		`{"id":1,"mode":"y"}`: "mode", `{"id":1,"fixed":"y"}`: "fixed", `{"id":1,"idem":"y"}`: "idem",
		`{"id":1,"deep":` + deep + `}`: "deep", `{"id":1,"long":"` + strings.Repeat("x", 70000) + `"}`: "long",
	} {
		req, refused := planned(t, spec).build(t.Context(), &flight{}, callWith(arguments))
		if refused == nil {
			t.Errorf("%.60s was sent to %.100s", arguments, req.URL)
			continue
		}
		reply := refused.reply()
		if refused.argument != want || reply.Sent || reply.Failure != interceptors.FailureRequest ||
			reply.ToolError.GetViolations()[0].GetField() != want || strings.Contains(reply.Cause, "s3cret") {
			t.Errorf("%.60s: refused %q (%s)", arguments, refused.argument, reply.Cause)
		}
	}
}

func TestOrdinaryValuesArePassedEvenWithDots(t *testing.T) {
	p := planned(t, Spec{Base: parsed(t, "https://api.example.com"), Call: &catalogv1.HttpCall{Method: "GET", Url: "/files/{name}"}})
	for value, want := range map[string]string{
		"v1.2": "v1.2", "...": "...", "a..b": "a..b", "dir/file.txt": "dir%2Ffile.txt", ".hidden": ".hidden", "100%": "100%25", "~x-_": "~x-_", "a:b@c": "a%3Ab%40c",
	} {
		quoted, _ := json.Marshal(map[string]string{"name": value})
		req, refused := p.build(t.Context(), &flight{}, callWith(string(quoted)))
		if refused != nil || req.URL.EscapedPath() != "/files/"+want {
			t.Errorf("%q: got %v, refused %v", value, req, refused)
		}
	}
}

// FuzzNoArgumentLeavesItsPlace is the promise of doc.go.
func FuzzNoArgumentLeavesItsPlace(f *testing.F) {
	base := parsed(f, "https://api.example.com:8443/v1/tenants")
	p := planned(f, Spec{
		Base: base, SecretHeaders: map[string]string{"Authorization": "Bearer x"}, SecretQuery: map[string]string{"key": "s"},
		Call: &catalogv1.HttpCall{
			Method: "POST", Url: "/acme/{a}/items/x{b}.json?q={c}",
			Arguments: map[string]*catalogv1.Placement{"d": {In: inQuery}, "e": {In: inHeader, Name: "X-E"}},
		},
	})
	f.Add("1", "2", "3", "4", "5")
	f.Add("..", "%2e", "&key=1", "#", "a\r\nb: c")
	f.Add("@evil.example/", "//evil.example", "?", "=", "\x00")
	f.Add("..\\..", ";", "%", "\xff", "é")
	f.Fuzz(func(t *testing.T, a, b, c, d, e string) {
		arguments, err := json.Marshal(map[string]string{"a": a, "b": b, "c": c, "d": d, "e": e, "rest": a})
		if err != nil {
			t.Skip()
		}
		req, refused := p.build(t.Context(), &flight{}, callWith(string(arguments)))
		if refused != nil {
			return
		}
		seen, err := url.Parse(req.URL.String())
		if err != nil {
			t.Fatalf("no URL: %s", req.URL)
		}
		if seen.Scheme != "https" || seen.Host != "api.example.com:8443" || req.Host != seen.Host || seen.User != nil || seen.Fragment != "" {
			t.Fatalf("another place: %s", req.URL)
		}
		segments := strings.Split(seen.EscapedPath(), "/")
		if len(segments) != 7 || strings.Join(segments[:4], "/") != "/v1/tenants/acme" || segments[5] != "items" {
			t.Fatalf("another path: %s", req.URL)
		}
		if clean := seen.JoinPath().EscapedPath(); clean != seen.EscapedPath() {
			t.Fatalf("the path climbs: %s to %s", seen.EscapedPath(), clean)
		}
		query, err := url.ParseQuery(seen.RawQuery)
		if err != nil || len(query["key"]) != 1 || query.Get("key") != "s" || len(query) != 3 {
			t.Fatalf("another query: %s", seen.RawQuery)
		}
		if len(req.Header) != len(p.header)+1 || req.Header.Get("Authorization") != "Bearer x" {
			t.Fatalf("another header: %v", req.Header)
		}
		if !json.Valid([]byte(bodyOf(t, req))) {
			t.Fatal("the body is no JSON")
		}
	})
}

// FuzzArgumentsOfAnyShape never break the building of a request.
func FuzzArgumentsOfAnyShape(f *testing.F) {
	base := parsed(f, "https://api.example.com")
	var plans []*plan
	for _, call := range []*catalogv1.HttpCall{
		{Method: "GET", Url: "/x/{a}", Arguments: map[string]*catalogv1.Placement{"h": {In: inHeader}}},
		{Method: "POST", Url: "/x?a={a}", Body: catalogv1.BodyEncoding_BODY_ENCODING_FORM},
		{Method: "PUT", Url: "/x", Arguments: map[string]*catalogv1.Placement{"a": {In: inQuery}, "b": {In: inBody, Name: "c"}}},
	} {
		plans = append(plans, planned(f, Spec{Base: base, Call: call}))
	}
	f.Add([]byte(`{"a":1,"b":[{"c":null},[]],"h":true,"\u0061":2}`))
	f.Fuzz(func(t *testing.T, arguments []byte) {
		var object map[string]any
		if json.Unmarshal(arguments, &object) != nil {
			t.Skip()
		}
		for _, p := range plans {
			req, refused := p.build(t.Context(), &flight{}, callWith(string(arguments)))
			if refused != nil {
				continue
			}
			if req.URL.Host != "api.example.com" || !strings.HasPrefix(req.URL.Path, "/x") {
				t.Fatalf("another place: %s", req.URL)
			}
			if p.hasBody && !p.form && !json.Valid([]byte(bodyOf(t, req))) {
				t.Fatal("the body is no JSON")
			}
		}
	})
}
