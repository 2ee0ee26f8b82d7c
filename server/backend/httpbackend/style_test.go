package httpbackend

import (
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

func TestListsAndObjectsAreWrittenInTheirStyle(t *testing.T) {
	const (
		repeat = catalogv1.Style_STYLE_REPEAT
		comma  = catalogv1.Style_STYLE_COMMA
		space  = catalogv1.Style_STYLE_SPACE
		pipe   = catalogv1.Style_STYLE_PIPE
		spread = catalogv1.Style_STYLE_SPREAD
		asJSON = catalogv1.Style_STYLE_JSON
	)
	for _, c := range []struct {
		style             catalogv1.Style
		value             string
		inQuery, inFormed string
	}{
		{repeat, `[1.50,"a b"]`, "v=1.50&v=a%20b", "v=1.50&v=a%20b"},
		{repeat, `[{"a":1}]`, "v=%7B%22a%22%3A1%7D", "v=%7B%22a%22%3A1%7D"},
		{repeat, `"one"`, "v=one", "v=one"},
		{comma, `[1,2,"x,y"]`, "v=1%2C2%2Cx%2Cy", "v=1%2C2%2Cx%2Cy"},
		{comma, `{"a":1,"b":true}`, "v=a%2C1%2Cb%2Ctrue", "v=a%2C1%2Cb%2Ctrue"},
		{comma, `7`, "v=7", "v=7"},
		{comma, `[]`, "", ""},
		{space, `["a","b"]`, "v=a%20b", "v=a%20b"},
		{pipe, `["a","b"]`, "v=a%7Cb", "v=a%7Cb"},
		{spread, `{"a":1,"b":[2,3],"c":null}`, "a=1&b=2%2C3", "a=1&b=2%2C3"},
		{spread, `"one"`, "v=one", "v=one"},
		{asJSON, `{ "a": [1.50, null] }`, "v=%7B%22a%22%3A%5B1.50%2Cnull%5D%7D", "v=%7B%22a%22%3A%5B1.50%2Cnull%5D%7D"},
		{asJSON, `"a"`, "v=%22a%22", "v=%22a%22"},
		{asJSON, `null`, "", "v="},
	} {
		for where, want := range map[catalogv1.Location]string{inQuery: c.inQuery, inBody: c.inFormed} {
			p := planned(t, Spec{Call: &catalogv1.HttpCall{
				Method: "POST", Url: "https://x.example.com/", Body: catalogv1.BodyEncoding_BODY_ENCODING_FORM,
				Arguments: map[string]*catalogv1.Placement{"v": {In: where, Style: c.style}},
			}})
			req, err := p.build(t.Context(), &flight{}, callWith(`{"v":`+c.value+`}`))
			if err != nil {
				t.Fatalf("%v %s: %s", c.style, c.value, err.problem)
			}
			got := req.URL.RawQuery
			if where == inBody {
				got = bodyOf(t, req)
			}
			if got != want {
				t.Errorf("%v in %v: %s became %s, want %s", c.style, where, c.value, got, want)
			}
		}
	}
}

func TestAStyleThatDoesNotFitTheValueIsRefusedByName(t *testing.T) {
	p := planned(t, Spec{
		Call: &catalogv1.HttpCall{
			Method: "GET", Url: "https://x.example.com/", Arguments: map[string]*catalogv1.Placement{
				"list": {In: inQuery, Style: catalogv1.Style_STYLE_COMMA}, "filter": {In: inQuery, Style: catalogv1.Style_STYLE_SPREAD},
				"long": {In: inQuery, Style: catalogv1.Style_STYLE_REPEAT},
			},
		},
		SecretQuery: map[string]string{"api_key": "secret"},
	})
	for arguments, argument := range map[string]string{
		`{"list":[[1]]}`:                                          "list",
		`{"list":{"a":{}}}`:                                       "list",
		`{"filter":{"a":{"b":1}}}`:                                "filter",
		`{"filter":{"api_key":"x"}}`:                              "filter",
		`{"filter":{"API_KEY":"x"}}`:                              "filter",
		`{"long":["` + strings.Repeat("x", maxQueryBytes) + `"]}`: "long",
	} {
		_, err := p.build(t.Context(), &flight{}, callWith(arguments))
		if err == nil || err.argument != argument {
			t.Errorf("%.40s: %+v", arguments, err)
		}
	}
}

func TestAnArgumentCanBeTheWholeBody(t *testing.T) {
	for name, c := range map[string]struct {
		call            *catalogv1.HttpCall
		arguments       string
		body, kind, url string
	}{
		"a list": {
			&catalogv1.HttpCall{Method: "PUT", Url: "https://x.example.com/{id}", BodyArgument: "items", Arguments: map[string]*catalogv1.Placement{"dry": {In: inQuery}}},
			`{"id":7,"items":[1.50, {"a":null}],"dry":true}`, `[1.50, {"a":null}]`, "application/json", "https://x.example.com/7?dry=true",
		},
		"of a delete": {
			&catalogv1.HttpCall{Method: "DELETE", Url: "https://x.example.com/", BodyArgument: "b"},
			`{"b":{"x":1},"q":2}`, `{"x":1}`, "application/json", "https://x.example.com/?q=2",
		},
		"text": {
			&catalogv1.HttpCall{Method: "POST", Url: "https://x.example.com/", BodyArgument: "b", Body: catalogv1.BodyEncoding_BODY_ENCODING_TEXT},
			`{"b":"# A\n\"b\""}`, "# A\n\"b\"", "text/plain; charset=utf-8", "https://x.example.com/",
		},
		"none": {
			&catalogv1.HttpCall{Method: "POST", Url: "https://x.example.com/", BodyArgument: "b", Headers: map[string]string{"Content-Type": "text/x"}, Body: catalogv1.BodyEncoding_BODY_ENCODING_TEXT},
			`{}`, "", "text/x", "https://x.example.com/",
		},
	} {
		req, err := planned(t, Spec{Call: c.call}).build(t.Context(), &flight{}, callWith(c.arguments))
		if err != nil {
			t.Fatalf("%s: %s", name, err.problem)
		}
		if got := bodyOf(t, req); got != c.body || req.Header.Get("Content-Type") != c.kind || req.URL.String() != c.url {
			t.Errorf("%s: %s %s %s", name, req.URL, req.Header.Get("Content-Type"), got)
		}
	}
}

func TestWhatABodyCanNotBeIsRefusedAtLoad(t *testing.T) {
	const url = "https://x.example.com/{id}"
	for name, c := range map[string]struct {
		call *catalogv1.HttpCall
		path string
	}{
		"text of several arguments": {&catalogv1.HttpCall{Method: "POST", Url: url, Body: catalogv1.BodyEncoding_BODY_ENCODING_TEXT}, "http.body"},
		"a form as a whole":         {&catalogv1.HttpCall{Method: "POST", Url: url, Body: catalogv1.BodyEncoding_BODY_ENCODING_FORM, BodyArgument: "b"}, "http.body_argument"},
		"an unknown argument":       {&catalogv1.HttpCall{Method: "POST", Url: url, BodyArgument: "c"}, "http.body_argument"},
		"an argument of the path":   {&catalogv1.HttpCall{Method: "POST", Url: url, BodyArgument: "id"}, "http.body_argument"},
		"two":                       {&catalogv1.HttpCall{Method: "POST", Url: url, BodyArgument: "b", Arguments: map[string]*catalogv1.Placement{"d": {In: inBody}}}, "http.arguments.d"},
		"a style in JSON":           {&catalogv1.HttpCall{Method: "POST", Url: url, Arguments: map[string]*catalogv1.Placement{"d": {In: inBody, Style: catalogv1.Style_STYLE_COMMA}}}, "http.arguments.d.style"},
		"a style in a header":       {&catalogv1.HttpCall{Method: "POST", Url: url, Arguments: map[string]*catalogv1.Placement{"d": {In: inHeader, Style: catalogv1.Style_STYLE_COMMA}}}, "http.arguments.d.style"},
		"a body of HEAD":            {&catalogv1.HttpCall{Method: "HEAD", Url: url, BodyArgument: "b"}, "http.arguments"},
	} {
		var faults collector
		newPlan(Spec{Call: c.call, Arguments: []string{"id", "b", "d"}}, &faults)
		if len(faults.found) != 1 || faults.found[0].Path != c.path {
			t.Errorf("%s: %+v", name, faults.found)
		}
	}
}
