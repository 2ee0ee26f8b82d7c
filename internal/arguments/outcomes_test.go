package arguments

import (
	"strings"
	"testing"
)

// optionalX wraps a schema as the optional property x of a closed object.
func optionalX(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"additionalProperties":false}`
}

// Each line: a schema for x, what x is, and what becomes of it: "=" for passing
// untouched, "-" for a member that is dropped, "!" and pointers for a rejection,
// else the value that is sent.
func TestOneReadingOrNone(t *testing.T) {
	for schema, cases := range map[string][][2]string{
		`{"type":"integer","maximum":100}`: {
			{`"5"`, `5`}, {`" 12\n"`, `12`}, {`"5.0"`, `5`}, {`"1e2"`, `100`}, {`"-0"`, `-0`}, {`5.0`, `=`}, {`-0`, `=`}, {`""`, `-`}, {`null`, `-`},
			{`"500"`, `! /x`}, {`"+5"`, `! /x`}, {`"1e20"`, `! /x`}, {`"1_0"`, `! /x`}, {`"0x10"`, `! /x`}, {`"007"`, `! /x`}, {`"1,5"`, `! /x`},
			{`"٣"`, `! /x`}, {`"\u00a05"`, `! /x`}, {`true`, `! /x`}, {`[5]`, `! /x`}, {`"null"`, `! /x`}, {`" "`, `! /x`}, {`"five"`, `! /x`},
		},
		`{"type":"integer","multipleOf":5}`:                                          {{`"10"`, `10`}, {`-15`, `=`}, {`7`, `! /x`}, {`1e30`, `=`}},
		`{"type":"integer"}`:                                                         {{`"123456789012345678901234567890"`, `123456789012345678901234567890`}, {`"9007199254740992.0"`, `! /x`}},
		`{"type":"number"}`:                                                          {{`"19.90"`, `19.90`}, {`"1E5"`, `1E5`}, {`"1e400"`, `! /x`}, {`1e400`, `=`}, {`"NaN"`, `! /x`}, {`"$5"`, `! /x`}, {`"50%"`, `! /x`}},
		`{"type":"boolean"}`:                                                         {{`"TRUE"`, `true`}, {`" false "`, `false`}, {`1`, `! /x`}, {`"1"`, `! /x`}, {`"no"`, `! /x`}, {`"on"`, `! /x`}},
		`{"type":"string"}`:                                                          {{`-5`, `"-5"`}, {`0`, `"0"`}, {`1.0`, `! /x`}, {`1.5`, `! /x`}, {`-0`, `! /x`}, {`true`, `! /x`}, {`9007199254740992`, `! /x`}, {`["a"]`, `! /x`}, {`"00713"`, `=`}, {`"null"`, `=`}, {`"[1]"`, `=`}, {`" a "`, `=`}},
		`{"type":"string","minLength":1}`:                                            {{`""`, `-`}, {`" "`, `=`}},
		`{"type":"string","pattern":"^INV-[0-9]+$"}`:                                 {{`"INV-1\n"`, `"INV-1"`}, {`"inv-1"`, `! /x`}},
		`{"type":"string","pattern":"^(?=.*[A-Z])[a-zA-Z]{3,}$"}`:                    {{`"abC"`, `=`}, {`" abC "`, `"abC"`}, {`"abc"`, `! /x`}},
		`{"type":"string","maxLength":2}`:                                            {{`"ab "`, `! /x`}},
		`{"type":["integer","null"]}`:                                                {{`"5"`, `5`}, {`"null"`, `null`}, {`""`, `-`}, {`"none"`, `! /x`}, {`null`, `=`}},
		`{"enum":["a","b",null]}`:                                                    {{`"null"`, `null`}, {`"A"`, `"a"`}, {`" b"`, `"b"`}, {`"c"`, `! /x`}},
		`{"enum":["1","2"]}`:                                                         {{`1`, `"1"`}, {`3`, `! /x`}, {`true`, `! /x`}},
		`{"enum":["1.50","2"]}`:                                                      {{`1.50`, `"1.50"`}, {`1.5`, `! /x`}, {`2.0`, `! /x`}},
		`{"enum":["true","false"]}`:                                                  {{`true`, `"true"`}},
		`{"enum":[1,2]}`:                                                             {{`"2"`, `2`}, {`2.0`, `=`}, {`"3"`, `! /x`}},
		`{"const":5}`:                                                                {{`"5"`, `5`}},
		`{"anyOf":[{"const":"a"},{"const":"b"}]}`:                                    {{`"A"`, `"a"`}, {`"c"`, `! /x`}},
		`{"anyOf":[{"const":"Open"},{"const":"open"}]}`:                              {{`"OPEN"`, `! /x`}},
		`{"anyOf":[{"type":"integer"},{"type":"number"}]}`:                           {{`"5"`, `5`}},
		`{"anyOf":[{"type":"integer"},{"enum":["auto"]}]}`:                           {{`"5"`, `5`}, {`"Auto"`, `"auto"`}, {`"x"`, `! /x`}, {`5.5`, `! /x`}},
		`{"anyOf":[{"type":"integer","minimum":1},{"type":"string"}]}`:               {{`0`, `! /x`}},
		`{"anyOf":[{"type":"integer"},{"type":"string","minLength":3}]}`:             {{`"5"`, `! /x`}},
		`{"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"boolean"}}]}`: {{`"true"`, `true`}},
		`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`:              {{`"null"`, `null`}, {`"03/14/2026"`, `"2026-03-14"`}, {`"03/04/2026"`, `! /x`}},
		`{"oneOf":[{"format":"date","type":"string"},{"format":"date-time","type":"string"}]}`: {
			{`"03/14/2026"`, `"2026-03-14"`}, {`"2026-02-14T00:00:00"`, `! /x`}, {`"2026-02-14 10:00Z"`, `"2026-02-14T10:00:00Z"`},
		},
		`{"type":"array","items":{"type":"integer"}}`: {
			{`14`, `[14]`}, {`"14"`, `[14]`}, {`["1",2]`, `[1,2]`}, {`"[1, \"2\"]"`, `[1,2]`}, {`"1,2"`, `! /x`}, {`[1,null]`, `! /x/1`}, {`{"0":1}`, `! /x`}, {`["1","b"]`, `! /x/1`},
			{`"[1,]"`, `! /x`}, {`"[1] and 2"`, `! /x`}, {"\"```[1]```\"", `! /x`}, {`""`, `-`}, {`"[1"`, `! /x`},
		},
		`{"type":"array","items":{"type":"string"}}`:              {{`"https://example.com/a?x=1"`, `["https://example.com/a?x=1"]`}, {`"two words"`, `! /x`}, {`"a;b"`, `! /x`}, {`"none"`, `! /x`}, {`"['a']"`, `! /x`}, {`[1]`, `["1"]`}},
		`{"type":"array"}`:                                        {{`"word"`, `["word"]`}, {`"7"`, `! /x`}, {`7`, `! /x`}},
		`{"type":["array","null"],"items":{"type":"string"}}`:     {{`"word"`, `["word"]`}, {`"null"`, `null`}},
		`{"type":"array","items":{"type":"string"},"minItems":2}`: {{`"word"`, `! /x`}, {`["a"]`, `! /x`}},
		`{"type":"array","items":{"enum":["bug","docs"]},"uniqueItems":true}`: {
			{`"bug"`, `["bug"]`}, {`"Bug , docs"`, `["bug","docs"]`}, {`"bug,bug"`, `! /x`}, {`"bug,,docs"`, `! /x`}, {`"bug,other"`, `! /x`}, {`["bugs"]`, `! /x/0`}, {`["bug","bug"]`, `! /x`},
		},
		`{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}`: {
			{`{"a":1}`, `[{"a":1}]`}, {`{"a":"1"}`, `! /x`}, {`{"item":1}`, `! /x`}, {`"{\"a\":1}"`, `! /x`}, {`"[{\"a\":\"1\"}]"`, `[{"a":1}]`},
		},
		`{"type":"array","items":{"type":"object"}}`:                                                    {{`{"a":1}`, `! /x`}},
		`{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}`:           {{`["1",2]`, `[1,"2"]`}, {`[1,"a",3,4]`, `! /x`}},
		`{"type":"object","additionalProperties":{"type":"integer"}}`:                                   {{`{"a":"1"}`, `{"a":1}`}, {`{"a":null}`, `! /x/a`}, {`"{\"a\":\"1\"}"`, `{"a":1}`}, {`"{\"a\":1,\"a\":2}"`, `! /x`}},
		`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"minProperties":1}`:                    {{`{"A":1}`, `! /x/A`}, {`{}`, `! /x`}},
		`{"type":"array","contains":{"const":"admin"}}`:                                                 {{`["x"]`, `! /x`}},
		`{"type":"object","properties":{"a":{},"b":{"type":"string"}},"dependentRequired":{"a":["b"]}}`: {{`{"a":1}`, `! /x/b`}, {`{"a":1,"b":null}`, `! /x/b`}, {`{"b":null}`, `{}`}},
		`{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean"}}}],"unevaluatedProperties":false}`: {
			{`{"a":"1","b":"true"}`, `{"a":1,"b":true}`}, {`{"a":1,"cc":2}`, `! /x/cc`},
		},
		`{"type":"object","properties":{"k":{"enum":["a","b"]},"n":{"type":"integer"}},"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"required":["n"],"properties":{"m":{"type":"boolean"}}}}`: {
			{`{"k":"A","n":"1","m":"true"}`, `{"k":"a","n":1,"m":true}`}, {`{"k":"a"}`, `! /x/n`}, {`{"k":"b","m":"true"}`, `=`},
		},
		`{"oneOf":[{"type":"object","properties":{"k":{"const":"eq"},"v":{"type":"integer"}},"required":["k","v"]},{"type":"object","properties":{"k":{"const":"range"},"lo":{"type":"integer"}},"required":["k","lo"]}]}`: {
			{`{"k":"eq","v":"5"}`, `{"k":"eq","v":5}`}, {`{"k":"Range","lo":"5"}`, `{"k":"range","lo":5}`}, {`{"k":"eq","v":"five"}`, `! /x/v`}, {`{"k":"like","v":5}`, `! /x/k`},
			{`"{\"k\":\"eq\",\"v\":\"7\"}"`, `{"k":"eq","v":7}`}, {`{"k":"range"}`, `! /x/lo`},
		},
		`{"type":"string","format":"uri"}`:   {{`"https://example.com/a b"`, `! /x`}, {`"https://example.com/ "`, `"https://example.com/"`}, {`"example.com"`, `! /x`}, {`"https://bücher.example"`, `! /x`}},
		`{"type":"string","format":"iri"}`:   {{`"https://bücher.example"`, `=`}},
		`{"type":"string","format":"ipv6"}`:  {{`"::1 "`, `"::1"`}, {`"1"`, `! /x`}},
		`{"type":"string","format":"regex"}`: {{`"(?=a)b"`, `=`}, {`"(["`, `! /x`}},
		`{"type":"string","format":"date"}`:  {{`20260314`, `! /x`}, {`"unknown"`, `! /x`}, {`""`, `-`}},
		`false`:                              {{`1`, `! /x`}, {`null`, `-`}},
	} {
		for _, c := range cases {
			text := `{"x":` + c[0] + `}`
			got, err := Explain([]byte(optionalX(schema)), text)
			if err != nil {
				t.Errorf("%s: %v", schema, err)
				break
			}
			if said := outcomeOf(got, text); said != c[1] {
				t.Errorf("%s\n  x = %s: %s, want %s", schema, c[0], said, c[1])
			}
			laws(t, optionalX(schema), text)
		}
	}
}

func outcomeOf(e Explanation, text string) string {
	switch e.Outcome {
	case "pass":
		if string(e.Arguments) == text {
			return "="
		}
		return "touched: " + string(e.Arguments)
	case "reject":
		said := "!"
		for _, p := range e.Errors {
			said += " " + p.Field
		}
		return said
	}
	if string(e.Arguments) == "{}" {
		return "-"
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(e.Arguments), `{"x":`), "}")
}

func TestOnlyWhatNoCoercionMendsIsReported(t *testing.T) {
	optional := `"o%d":{"type":"object"}`
	var properties, nulls []string
	for i := range 14 {
		properties = append(properties, strings.Replace(optional, "%d", string(rune('a'+i)), 1))
		nulls = append(nulls, `"o`+string(rune('a'+i))+`":null`)
	}
	schema := `{"type":"object","properties":{"url":{"type":"string"},"list":{"type":"array","minItems":1},` + strings.Join(properties, ",") + `},"required":["url"]}`
	if got, _ := Explain([]byte(schema), `{"url":"u",`+strings.Join(nulls, ",")+`}`); string(got.Arguments) != `{"url":"u"}` {
		t.Errorf("%+v", got)
	}
	if got, _ := Explain([]byte(schema), `{"url":"u","list":[],`+strings.Join(nulls, ",")+`}`); outcomeOf(got, "") != "! /list" {
		t.Errorf("%+v", got)
	}
	three := `{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a","b","c"]}`
	if got, _ := Explain([]byte(three), ``); outcomeOf(got, "") != "! /a /b /c" {
		t.Errorf("%+v", got)
	}
}

func TestTheWholeIsAnObject(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"integer"}}}`
	for text, want := range map[string]string{
		``: "coerce", ` `: "coerce", `""`: "coerce", `null`: "coerce", `"{}"`: "coerce", `"{\"a\":\"1\"}"`: "coerce", `{}`: "pass",
		`[]`: "reject", `"x"`: "reject", `5`: "reject", `[{"a":1}]`: "reject", `"\"{}\""`: "reject", `{"a":1,"a":1}`: "reject", `{"a":1} x`: "reject",
	} {
		got, err := Explain([]byte(schema), text)
		if err != nil || got.Outcome != want {
			t.Errorf("%q: %s %v, want %s", text, got.Outcome, err, want)
		}
	}
	checked := mustCompile(t, schema).Check("")
	if string(checked.JSON) != "{}" || len(checked.Coercions) != 0 || checked.Fault != nil {
		t.Errorf("no arguments: %v", checked)
	}
}

func mustCompile(t testing.TB, schema string) *Schema {
	t.Helper()
	s, err := Compile("tool", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARecursiveSchemaIsFollowedAllTheWay(t *testing.T) {
	const schema = `{"type":"object","properties":{"node":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object",
		"properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["v"],"additionalProperties":false}}}`
	got, _ := Explain([]byte(schema), `{"node":{"v":"1","kids":[{"v":"2","kids":[{"v":"3"}]},{"v":4}]}}`)
	if string(got.Arguments) != `{"node":{"v":1,"kids":[{"v":2,"kids":[{"v":3}]},{"v":4}]}}` {
		t.Errorf("%s", got.Arguments)
	}
	got, _ = Explain([]byte(schema), `{"node":{"v":"1","kids":[{"v":"2","kids":[{"v":"x"}]},{"vv":4}]}}`)
	if said := outcomeOf(got, ""); said != "! /node/kids/0/kids/0/v /node/kids/1/v /node/kids/1/vv" {
		t.Errorf("%s", said)
	}
}

// A union that calls itself in several branches makes the judge visit a value
// once for each way that leads to it.
func TestDeepUnionsEndSoon(t *testing.T) {
	const schema = `{"type":"object","properties":{"q":{"$ref":"#/$defs/n"}},"$defs":{"n":{"oneOf":[
		{"type":"object","properties":{"op":{"const":"and"},"args":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["op","args"]},
		{"type":"object","properties":{"op":{"const":"or"},"args":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["op","args"]},
		{"type":"string"}]}}}`
	nest := func(op, leaf string) string {
		return `{"q":` + strings.Repeat(`{"op":"`+op+`","args":[`, 60) + leaf + strings.Repeat("]}", 60) + "}"
	}
	s := mustCompile(t, schema)
	if checked := s.Check(nest("and", `"x"`)); checked.Fault != nil || len(checked.Coercions) > 0 {
		t.Errorf("%v", checked.Fault)
	}
	if checked := s.Check(nest("OR", `"x"`)); checked.Fault != nil || len(checked.Coercions) != 60 {
		t.Errorf("%d coercions, %v", len(checked.Coercions), checked.Fault)
	}
	if checked := s.Check(nest("and", `5.5`)); checked.Fault == nil {
		t.Error("a fraction passes for a string")
	}
}

func TestASchemaThatNeverEndsIsSaidToBe(t *testing.T) {
	s := mustCompile(t, `{"type":"object","properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"allOf":[{"$ref":"#/$defs/l"}]}}}`)
	if checked := s.Check(`{"a":1}`); checked.Fault == nil {
		t.Error("passes")
	}
	if checked := s.Check(`{}`); checked.Fault != nil {
		t.Error(checked.Fault)
	}
}

func TestAPatternThatExplodesIsCutShort(t *testing.T) {
	s := mustCompile(t, optionalX(`{"type":"string","pattern":"^(?!x)(a+)+$"}`))
	if checked := s.Check(`{"x":"` + strings.Repeat("a", 400) + `!"}`); checked.Fault == nil {
		t.Error("passes")
	}
}
