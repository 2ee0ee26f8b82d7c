package diagnose

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

func TestJSONKeepsDigitsAndOrder(t *testing.T) {
	const text = `{"b":1.50,"a":[1e400,-0,true,null,"x\u00e9\n\"\ud83d\ude00"],"c":{}}`
	n, whole := parseJSON(text)
	if got := string(n.appendJSON(nil)); !whole || got != `{"b":1.50,"a":[1e400,-0,true,null,"xé\n\"😀"],"c":{}}` {
		t.Errorf("got %s", got)
	}
}

func TestCutJSONGivesWhatCame(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":"tex`:           `{"a":1,"b":"tex"}`,
		`{"a":{"b":[1,2`:            `{"a":{"b":[1,2]}}`,
		`{"a":1,"b`:                 `{"a":1}`,
		`{"a":1,`:                   `{"a":1}`,
		`{"a":1,"b":tru`:            `{"a":1}`,
		`[{"code":"x"},{"code":"y"`: `[{"code":"x"},{"code":"y"}]`,
		`{"a":01}`:                  `{}`,
	} {
		n, whole := parseJSON(text)
		if got := string(n.appendJSON(nil)); whole || got != want {
			t.Errorf("%s: got %s (whole %v), want %s", text, got, whole, want)
		}
	}
}

func TestDeepAndLongTreesAreBounded(t *testing.T) {
	parseJSON(strings.Repeat("[", 1<<20))
	parseJSON("[" + strings.Repeat("1,", 1<<20) + "1]")
	parseXML(strings.Repeat("<a>", 1<<18))
}

func TestXMLIsReadLikeJSON(t *testing.T) {
	n := parseXML(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "boom">]><!-- c -->
<s:Error xmlns:s="urn:x" kind="k"><s:Code>A&amp;B &#x41; &e;</s:Code><Item>1</Item><Item>2</Item><Empty/><Text lang="en">hi</Text><![CDATA[raw]]></s:Error>`)
	const want = `{"Error":{"@kind":"k","Code":"A&B A &e;","Item":"1","Item":"2","Empty":"","Text":{"@lang":"en","#text":"hi"},"#text":"raw"}}`
	if got := string(n.appendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPlacesFindWhatTheyName(t *testing.T) {
	root, _ := parseJSON(`{"error":{"code":"x","inner":"{\"deep\":7}"},"list":[{"id":1},{"id":2,"ok":null}],"a/b":3,"tree":{"0":{"name":{"_errors":[{"m":"bad"}]}}}}`)
	r := &reading{reply: &interceptors.Reply{}, root: root, status: 418}
	for where, want := range map[string]string{
		"/error/code": "x", "/error/inner/deep": "7", "/list/1/id": "2", "/list/*/id": "1", "/a~1b": "3", "/list/*/ok": "",
		"/nothing": "", "status": "418", "/tree/**/m": "bad", "header:nope": "",
	} {
		p, err := parsePlace(where)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.first(r).str(); got != want {
			t.Errorf("%s: got %q, want %q", where, got, want)
		}
	}
	p, _ := parsePlace("/tree/**/_errors/*")
	found := p.find(root)
	if len(found) != 1 || strings.Join(found[0].deep, ".") != "0.name" {
		t.Errorf("the way through ** is %v", found)
	}
}

func FuzzTrees(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}]}`)
	f.Add(`<a b="c"><d>e</d></a>`)
	f.Add("{\"a\":\"\\ud800\\")
	f.Fuzz(func(t *testing.T, text string) {
		if n, whole := parseJSON(text); n != nil {
			once := string(n.appendJSON(nil))
			again, _ := parseJSON(once)
			if twice := string(again.appendJSON(nil)); whole && len(text) < 4096 && once != twice {
				t.Errorf("written twice: %s, then %s", once, twice)
			}
		}
		parseXML(text)
		parseForm(text)
		scanPage(text)
		unwrapText(text)
		decodeText([]byte(text), "text/plain; charset=utf-16")
	})
}
