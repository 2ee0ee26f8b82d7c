package arguments

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func faultOf(t testing.TB, schema, text string) *toolgatev1.ToolError {
	t.Helper()
	checked := mustCompile(t, schema).Check(text)
	if checked.Fault == nil {
		t.Fatalf("%s passes", text)
	}
	return checked.Fault
}

func TestEveryFaultIsToldAtOnceInTheOrderOfTheText(t *testing.T) {
	e := faultOf(t, `{"type":"object","properties":{"b":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":100},"to":{"type":"string"}},"required":["to"],"additionalProperties":false},
		"a":{"type":"array","items":{"enum":["open","paid","void"]}},"when":{"type":"string","format":"date"},"skip":{"type":"integer"}},"required":["b"]}`,
		`{"a":["pai"],"b":{"limit":"500","limt":5},"when":"03/04/2026","skip":null}`)
	want := []*toolgatev1.Violation{
		{Field: "a[0]", ValueJson: `"pai"`, Problem: "is not one of the accepted values", Accepted: []string{"paid", "open", "void"}},
		{Field: "b.to", Problem: "is required", Format: "string"},
		{Field: "b.limit", ValueJson: `"500"`, Problem: "is too large; it may be left out", Format: "integer", Range: "1 to 100"},
		{Field: "b.limt", ValueJson: "5", Problem: "is no member of this object", Accepted: []string{"limit", "to"}},
		{Field: "when", ValueJson: `"03/04/2026"`, Problem: "may mean 2026-03-04 or 2026-04-03; it may be left out", Format: "YYYY-MM-DD"},
	}
	if len(e.GetViolations()) != len(want) {
		t.Fatalf("%v", e)
	}
	for i, v := range e.GetViolations() {
		if !proto.Equal(v, want[i]) {
			t.Errorf("got  %v\nwant %v", v, want[i])
		}
	}
	if e.GetMessage() != "5 arguments are wrong: a[0], b.to, b.limit, b.limt, when" || e.GetCode() != interceptors.CodeInvalidArguments {
		t.Errorf("%v", e)
	}
}

func TestTheNearestNameIsSuggestedAndNeverTaken(t *testing.T) {
	const schema = `{"type":"object","properties":{"limit":{"type":"integer"},"cursor":{"type":"string"},"location":{"type":"object","properties":{"lat":{"type":"number"}}}},"additionalProperties":false}`
	for name, want := range map[string]string{"limt": "limit", "Limit": "limit", "LIMIT": "limit", "lat": "location.lat", "curser": "cursor", "zzz": "", "c": ""} {
		got, _ := Explain([]byte(schema), `{"`+name+`":5}`)
		if got.Outcome != "reject" || got.Errors[0].Suggest != want {
			t.Errorf("%s: %+v, want %q", name, got.Errors, want)
		}
	}
	got, _ := Explain([]byte(schema), `{"limt":5,"limit":6}`)
	if got.Errors[0].Suggest != "" {
		t.Errorf("a name that is taken is suggested: %+v", got.Errors)
	}
}

// A value is described, never shown, under any name that a secret goes by.
func TestSecretsGoByManyNames(t *testing.T) {
	for _, name := range []string{"psk", "api_key", "apiKey", "access_token", "client_secret", "Authorization", "MCP_API_KEY", "privateKey"} {
		for _, value := range []string{`{"a":"CANARY"}`, `["CANARY"]`, `{"value":{"deep":"CANARY"}}`} {
			if said := faultOf(t, `{"type":"object","properties":{"`+name+`":{"type":"string"}}}`, `{"`+name+`":`+value+`}`).String(); strings.Contains(said, "CANARY") {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}

func TestASecretIsNeverShown(t *testing.T) {
	const schema = `{"type":"object","properties":{"password":{"type":"string"},"cfg":{"type":"integer"},"list":{"type":"array","items":{"type":"object","properties":{"password":{"type":"integer"}}}},
		"date_password":{"type":"string","format":"date"},"box":{"type":"object","properties":{"password":{"type":"integer"}}},"n":{"type":"integer"}},"additionalProperties":false}`
	for _, text := range []string{
		`{"password":{"a":"CANARY"}}`,
		`{"password":["CANARY"]}`,
		`{"cfg":{"password":"CANARY"}}`,
		`{"cfg":[{"x":{"password":"CANARY"}}]}`,
		`{"cfg":"{\"password\":\"CANARY\"}"}`,
		`{"list":[{"password":"CANARY"}]}`,
		`{"box":{"password":"CANARY"}}`,
		`{"box":"{\"password\":\"CANARY\"}"}`,
		`{"other_password":"CANARY"}`,
		`{"date_password":"03/04/2026","password":["03/04/2026","2026-03-04"]}`,
	} {
		said := faultOf(t, schema, text).String()
		if strings.Contains(said, "CANARY") || strings.Contains(said, "03-04") {
			t.Errorf("%s: %s", text, said)
		}
	}
	for _, text := range []string{
		`{"box":{"password":"4242"},"n":1}`,
		`{"box":"{\"password\":4242}","n":"1"}`,
		`"{\"box\":{\"password\":4242}}"`,
		`{"list":"[{\"password\":\"4242\"}]"}`,
	} {
		checked := mustCompile(t, schema).Check(text)
		if checked.Fault != nil || len(checked.Coercions) == 0 {
			t.Fatalf("%s: %v", text, checked.Fault)
		}
		for _, c := range checked.Coercions {
			if strings.Contains(c.String(), "4242") {
				t.Errorf("%s: %v", text, c)
			}
		}
	}
}

func TestManyFaultsStayWithinTheirBounds(t *testing.T) {
	var properties, members []string
	for i := range 40 {
		properties = append(properties, fmt.Sprintf(`"a_rather_long_property_name_number_%d":{"enum":[%s]}`, i, strings.Repeat(`"some long accepted value %d",`, 30)+`"x"`))
		properties[i] = strings.ReplaceAll(properties[i], "%d", fmt.Sprint(i))
		for j := range 30 {
			properties[i] = strings.Replace(properties[i], fmt.Sprintf(`value %d"`, i), fmt.Sprintf(`value %d-%d"`, i, j), 1)
		}
		members = append(members, fmt.Sprintf(`"a_rather_long_property_name_number_%d":"%s"`, i, strings.Repeat("v", 200)))
	}
	e := faultOf(t, `{"type":"object","properties":{`+strings.Join(properties, ",")+`}}`, `{`+strings.Join(members, ",")+`}`)
	lawsOfFaults(t, e, "")
	if !e.GetViolationsTruncated() || len(e.GetViolations()) < 3 || !e.GetViolations()[0].GetAcceptedTruncated() {
		t.Errorf("%d violations, %v", len(e.GetViolations()), e.GetViolations()[0])
	}
}

func TestALongPathNamesTheInnermostPlaceThatFits(t *testing.T) {
	root := tree(`{"alpha":[{"b.c":{"a very long name that no field of an error has room for, since it is so long":1}}]}`)
	for want, path := range map[string][]string{
		"":                    nil,
		"alpha[0]":            {"alpha", "0"},
		`alpha[0]["b.c"]`:     {"alpha", "0", "b.c"},
		`alpha[0]["b.c"].new`: {"alpha", "0", "b.c", "new"},
	} {
		if got := fieldOf(root, path); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	long := []string{"alpha", "0", "b.c", "a very long name that no field of an error has room for, since it is so long"}
	if got := fieldOf(root, long); got != `alpha[0]["b.c"]` {
		t.Errorf("%s", got)
	}
}

func TestMalformedJSONSaysWhereAndWhatWasExpected(t *testing.T) {
	e := faultOf(t, `{"type":"object"}`, "{\n  \"a\": 'x'\n}")
	want := "is not JSON: line 2, column 8 (byte 9): found ''', expected a string in double quotes"
	if e.GetCode() != interceptors.CodeMalformedJSON || len(e.GetViolations()) != 1 || e.GetViolations()[0].GetProblem() != want || e.GetMessage() != "the call "+want {
		t.Errorf("%v", e)
	}
}

func TestKeysGivenTwiceAreNamed(t *testing.T) {
	e := faultOf(t, `{"type":"object"}`, `{"a":{"b":1,"c":[{"d":1,"d":2}],"b":2},"\u0061":3}`)
	var fields []string
	for _, v := range e.GetViolations() {
		fields = append(fields, v.GetField())
	}
	if got := strings.Join(fields, " "); got != "a.c[0].d a.b a" || e.GetCode() != interceptors.CodeInvalidArguments {
		t.Errorf("%s: %v", got, e)
	}
}

func TestAnExampleOfAValidCallIsGivenWhereThereIsOne(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"examples":[{"a":"no"},{"a":7}]}`:                         `for example {"a":7}`,
		`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"example":{"a":12345678901234567890}}`:                    `for example {"a":12345678901234567890}`,
		`{"type":"object","properties":{"a":{"type":"integer","default":10},"b":{"enum":["x"]}},"required":["a","b"]}`:                     `for example {"a":10,"b":"x"}`,
		`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`:                                                         ``,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"examples":[{"a":"` + strings.Repeat("long ", 40) + `"}]}`: ``,
	} {
		if got := faultOf(t, schema, `{"a":{}}`).GetNote(); got != want {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
}

func TestWhatIsAcceptedIsSaidInAFewWords(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"integer","minimum":1,"maximum":100}`:                                       "integer, 1 to 100",
		`{"type":"number","exclusiveMinimum":0,"maximum":500.00}`:                            "number, more than 0, at most 500",
		`{"type":"integer","multipleOf":5}`:                                                  "integer, a multiple of 5",
		`{"type":["boolean","null"]}`:                                                        "true or false or null",
		`{"type":"array","items":{"type":"string"}}`:                                         "JSON array of strings",
		`{"type":"array","items":{"type":"string","format":"date"}}`:                         "JSON array of items, each YYYY-MM-DD",
		`{"type":"array","items":{"enum":["a","b"]}}`:                                        "JSON array of any of: a, b",
		`{"type":"object","properties":{"lat":{},"lon":{}},"required":["lat","lon"]}`:        "object with lat, lon",
		`{"type":"object"}`:                                                                  "object",
		`{"type":"integer","examples":[5]}`:                                                  "integer, for example 5",
		`{"anyOf":[{"type":"integer","minimum":0},{"enum":["auto"]}]}`:                       "integer at least 0 or auto",
		`{"anyOf":[{"enum":["a"]},{"const":"b"}]}`:                                           "one of: a, b",
		`{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"items":false}`: "JSON array of 2 items in their order",
		`{"$ref":"#/$defs/d","$defs":{}}`:                                                    "YYYY-MM-DD",
		`{"type":"integer","maximum":1e40}`:                                                  "integer, at most 1e+40",
	} {
		got, err := Explain([]byte(`{"type":"object","properties":{"x":`+schema+`},"$defs":{"d":{"type":"string","format":"date"}}}`), `{"x":{"no":"é"}}`)
		if strings.Contains(schema, `"object"`) {
			got, err = Explain([]byte(optionalX(schema)), `{"x":5.5}`)
		}
		if err != nil || len(got.Errors) != 1 || got.Errors[0].Accepted != want {
			t.Errorf("%s: %+v %v, want %s", schema, got.Errors, err, want)
		}
	}
}
