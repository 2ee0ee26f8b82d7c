package methods

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// there encodes arguments of Everything and renders them again.
func there(t testing.TB, text string) string {
	t.Helper()
	m := shop(t, "Everything")
	encoded, err := m.Encode([]byte(text), "", "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	back, cut, err := m.Render(nil, encoded, 1<<20)
	if err != nil || cut || !json.Valid(back) {
		t.Fatalf("%s: %v, cut %v: %s", text, err, cut, back)
	}
	return string(back)
}

func TestValuesComeBackAsTheyWent(t *testing.T) {
	for _, c := range []struct{ text, want string }{ // one field each; want empty: the same
		{`"fixed":18446744073709551615`, ""},
		{`"signed":-9007199254740993`, ""},
		{`"signed":"-9007199254740993"`, `"signed":-9007199254740993`},
		{`"small":1.50e1`, `"small":15`},
		{`"many":[9223372036854775807,-9223372036854775808,"0",-0]`, `"many":[9223372036854775807,-9223372036854775808,0,0]`},
		{`"real":0.1`, ""},
		{`"real":1e300`, `"real":1e+300`},
		{`"real":"NaN"`, ""},
		{`"real":"-Infinity"`, ""},
		{`"single":0.1`, ""},
		{`"data":"AQI="`, ""},
		{`"data":"_-8"`, `"data":"/+8="`},
		{`"maybe":""`, ""},
		{`"by_number":{"10":{"total":1,"largest":2},"9":{"total":0,"largest":0}}`, `"by_number":{"9":{"total":0,"largest":0},"10":{"total":1,"largest":2}}`},
		{`"by_truth":{"true":"x","false":"y"}`, `"by_truth":{"false":"y","true":"x"}`},
		{`"span":"-1.5s"`, ""},
		{`"span":"0.000000001s"`, ""},
		{`"span":"90s"`, ""},
		{`"mask":"page_size,order.createdAt"`, `"mask":"page_size,order.created_at"`},
		{`"object":{"b":[1,null,{"c":true}],"a":"é\n"}`, `"object":{"a":"é\n","b":[1,null,{"c":true}]}`},
		{`"anything":null`, ""},
		{`"anything":12.5`, ""},
		{`"list":["a",1]`, ""},
		{`"boxed":9007199254740993`, ""},
		{`"text":""`, ""},
		{`"at":"2026-03-14T10:30:00.25+01:00"`, `"at":"2026-03-14T09:30:00.25Z"`},
		{`"status":"STATUS_PAID"`, ""},
		{`"status":2`, `"status":"STATUS_SENT"`},
		{`"status":77`, ""},
		{`"any":{"@type":"type.googleapis.com/shop.v1.Numbers","total":5,"largest":0}`, ""},
		{`"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"5s"}`, ""},
		{`"tree":{"name":"a","children":[{"name":"b","children":[],"label":"x"}],"count":0}`, ""},
		{`"byNumber":{}`, `"by_number":{}`},
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := there(t, "{"+c.text+"}"); !strings.Contains(got, want) {
			t.Errorf("%s came back in %s", c.text, got)
		}
	}
}

func TestWhatHasNoPresenceIsWrittenWhereItIsZero(t *testing.T) {
	const want = `{"yes":false,"small":0,"signed":0,"fixed":0,"sfixed":0,"single":0,"real":0,"data":"","must":"","many":[],"by_number":{},` +
		`"by_truth":{},"null":null,"status":"STATUS_UNSPECIFIED","word":"","names":[],"zero_or_more_than_five":0,"anything_at_all":0}`
	if got := there(t, `{"maybe":null}`); got != want {
		t.Errorf("got %s", got)
	}
}

func TestWhatARequestCantHoldIsNamed(t *testing.T) {
	for _, c := range []struct{ method, text, field, says string }{
		{"Everything", `{"small":2147483648}`, "small", "2147483647"},
		{"Everything", `{"small":1.5}`, "small", "2147483647"},
		{"Everything", `{"small":1e99}`, "small", "2147483647"},
		{"Everything", `{"fixed":-1}`, "fixed", "18446744073709551615"},
		{"Everything", `{"real":1e999}`, "real", "number"},
		{"Everything", `{"yes":"true"}`, "yes", "true, false"},
		{"Everything", `{"data":"***"}`, "data", "base64"},
		{"Everything", `{"many":[1,"x"]}`, "many[1]", "9223372036854775807"},
		{"Everything", `{"many":1}`, "many", "a list"},
		{"Everything", `{"by_number":{"x":{}}}`, "by_number.x", "int64"},
		{"Everything", `{"tree":{"children":[{"nam":"x"}]}}`, "tree.children[0].nam", "name, children"},
		{"Everything", `{"tree":{"count":1,"label":"x"}}`, "tree.label", "excludes count"},
		{"Everything", `{"at":"yesterday"}`, "at", "RFC 3339"},
		{"Everything", `{"span":"1h"}`, "span", "1.5s"},
		{"Everything", `{"span":"999999999999s"}`, "span", "1.5s"},
		{"Everything", `{"any":{"@type":"type.googleapis.com/no.Such"}}`, "any.@type", "no such message"},
		{"Everything", `{"any":{}}`, "any", "@type"},
		{"Everything", `{"status":"PAID"}`, "status", "STATUS_PAID"},
		{"Everything", `[]`, "", "an object"},
		{"PlaceOrder", `{"card":"x","cash":true}`, "cash", "excludes card"},
		{"Everything", `{"tree":` + strings.Repeat(`{"children":[`, 200) + strings.Repeat(`]}`, 200) + `}`, "", "too deeply"},
	} {
		_, err := shop(t, c.method).Encode([]byte(c.text), "", "")
		fault, ok := errors.AsType[*Fault](err)
		if !ok || c.field != "" && fault.Field != c.field || !strings.Contains(fault.Error(), c.says) {
			t.Errorf("%.80s: %v", c.text, err)
		}
	}
}

func TestAnIdempotencyKeyIsPutWhereTheArgumentsLeaveRoom(t *testing.T) {
	m := shop(t, "PlaceOrder")
	for text, want := range map[string]string{`{}`: "key", `{"request_id":"own"}`: "own"} {
		encoded, err := m.Encode([]byte(text), "request_id", "key")
		if err != nil || !strings.Contains(string(encoded), want) {
			t.Errorf("%s: %q, %v", text, encoded, err)
		}
	}
	if !m.TextField("request_id") || m.TextField("order") || m.TextField("none") {
		t.Error("which fields hold text is mistaken")
	}
}

func TestALargeAnswerIsCut(t *testing.T) {
	m := shop(t, "Everything")
	encoded, err := m.Encode([]byte(`{"names":["`+strings.Repeat(`x","`, 1000)+`x"]}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	text, cut, err := m.Render(nil, encoded, 300)
	if err != nil || !cut || len(text) > 400 {
		t.Errorf("%d bytes, cut %v, %v", len(text), cut, err)
	}
}

// Whatever is encoded renders to JSON, and that encodes to the same.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"small":1,"many":["5"],"tree":{"children":[{"label":"x"}]}}`, `{"object":{"a":[null]},"any":{"@type":"/shop.v1.Node","name":"x"}}`,
		`{"at":"0001-01-01T00:00:00Z","span":"-0.5s","mask":"aB"}`, `{"real":"NaN","data":"_-8","by_truth":{"true":""}}`,
	} {
		f.Add([]byte(seed))
	}
	m := shop(f, "Everything")
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		encoded, err := m.Encode(text, "", "")
		if err != nil {
			return
		}
		once, _, err := m.Render(nil, encoded, 1<<20)
		if err != nil || !json.Valid(once) {
			t.Fatalf("%s renders to %s: %v", text, once, err)
		}
		again, err := m.Encode(once, "", "")
		if err != nil {
			t.Fatalf("%s does not go back: %v", once, err)
		}
		twice, _, err := m.Render(nil, again, 1<<20)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s", once, twice)
		}
	})
}

// No answer of a stranger does more than fail.
func FuzzAnswer(f *testing.F) {
	m := shop(f, "Everything")
	seed, err := m.Encode([]byte(`{"any":{"@type":"/shop.v1.Node"},"at":"2026-01-01T00:00:00Z","by_number":{"1":{}}}`), "", "")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, answer []byte) {
		if text, cut, err := m.Render(nil, answer, 1<<16); err == nil && !cut && !json.Valid(text) {
			t.Errorf("%q renders to %s", answer, text)
		}
	})
}
