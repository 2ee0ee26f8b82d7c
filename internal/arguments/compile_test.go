package arguments

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestASchemaThatDoesNotCompileSaysWhere(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object",}`:                         "line 1, column 18",
		`{"type":"object","type":"object"}`:          "/type",
		`{"type":"array"}`:                           "arguments are always an object",
		`false`:                                      "arguments are always an object",
		`5`:                                          "its root",
		`{"properties":{"a":{"type":"int"}}}`:        "/properties/a/type",
		`{"properties":{"a":{"required":true}}}`:     "/properties/a/required",
		`{"properties":{"a":{"pattern":"(["}}}`:      "/properties/a/pattern",
		`{"properties":{"a":{"$ref":"#/$defs/q"}}}`:  "$ref to /$defs/q",
		`{"properties":{"a":{"$ref":"other.json"}}}`: "other.json outside of itself",
		`{"properties":{"a":{"$ref":"https://example.com/s.json"}}}`:      "https://example.com/s.json outside",
		`{"properties":{"a":{"$ref":"file:///etc/hostname"}}}`:            "file:///etc/hostname outside",
		`{"properties":{"a":{"minimum":"1"}}}`:                            "/properties/a/minimum",
		`{"$schema":"http://json-schema.org/draft-99/schema","type":"a"}`: "draft-99",
	} {
		_, err := Compile("tool", []byte(schema))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "input_schema ") {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
}

func TestASchemaThatDoesNotCompileHasAPlace(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","type":"object"}`:                               "/type",
		`{"type":"array"}`:                                                "",
		`{"properties":{"a":{"type":"int"},"b":{"minLength":-1}}}`:        "/properties/a/type",
		`{"properties":{"a":{"pattern":"(["}}}`:                           "/properties/a/pattern",
		`{"properties":{"a b/c":{"pattern":"(["}}}`:                       "/properties/a b~1c/pattern",
		`{"properties":{"a":{"allOf":[{"$ref":"#/$defs/q"}]}}}`:           "/properties/a/allOf/0/$ref",
		`{"properties":{"a":{"$ref":"other.json"}}}`:                      "/properties/a/$ref",
		`{"properties":{"a":{"$ref":"https://example.com/s.json"}}}`:      "/properties/a/$ref",
		`{"properties":{"a":{"$ref":"#nowhere"}}}`:                        "/properties/a/$ref",
		`{"$schema":"http://json-schema.org/draft-99/schema","type":"a"}`: "/$schema",
	} {
		_, err := Compile("tool", []byte(schema))
		flaw, ok := errors.AsType[*SchemaError](err)
		if !ok || flaw.Pointer != want {
			t.Errorf("%s: %v at %+v, want %s", schema, err, flaw, want)
		}
	}
}

func TestOlderDraftsAndForeignDialectsCompile(t *testing.T) {
	for schema, text := range map[string]string{
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"array","items":[{"type":"integer"}],"additionalItems":false},"b":{"$ref":"#/definitions/x","type":"string"}},"definitions":{"x":{"type":"boolean"}}}`: `{"a":["1"],"b":"TRUE"}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}`:                                                                                                      `{"a":"1"}`,
		`{"$schema":"https://spec.openapis.org/oas/3.1/dialect/base","type":"object","properties":{"a":{"type":"integer"}}}`:                                                                                                                                   `{"a":"1"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","properties":{"a":{"type":"string","format":"date"}}}`:                                                                                                                      `{"a":"03/14/2026"}`,
		`{"$id":"https://example.com/tool","type":"object","properties":{"a":{"$ref":"#n"}},"$defs":{"n":{"$anchor":"n","type":"integer"}}}`:                                                                                                                   `{"a":"1"}`,
	} {
		checked := mustCompile(t, schema).Check(text)
		if checked.Fault != nil || len(checked.Coercions) == 0 {
			t.Errorf("%s: %v", schema, checked.Fault)
		}
	}
}

func TestAToolWithoutASchemaTakesAnyObject(t *testing.T) {
	s := Unchecked("tool")
	for text, valid := range map[string]bool{
		``: true, `{}`: true, `{"a":[1,null]}`: true, `"{\"a\":1}"`: true,
		`[]`: false, `5`: false, `{`: false, `{"a":1,"a":2}`: false,
	} {
		if checked := s.Check(text); (checked.Fault == nil) != valid {
			t.Errorf("%q: %v", text, checked.Fault)
		}
	}
}

func TestOneSchemaServesManyCallsAtOnce(t *testing.T) {
	s := mustCompile(t, smallSchema)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for _, text := range []string{smallCall, `{"customer":"cus_1","limit":"5"}`, `{"customer":"cus_1"}`, `{`} {
				for range 50 {
					s.Check(text)
				}
			}
		})
	}
	calls.Wait()
}

func TestBoundsAreComparedDigitForDigit(t *testing.T) {
	ascending := []string{
		"-1e50", "-100", "-2", "-1.5", "-0.001", "0", "1e-50", "0.001", "0.0010000000000000000000001", "1", "1.5", "2", "9", "10",
		"99.9", "100", "9007199254740992", "9007199254740993", "1e33", "11e32", "1e50",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := compareNumbers(canonicalOf(t, a), []byte(canonicalOf(t, b))); got != order(i-j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
}

func TestATamedNumberKeepsWhatASchemaAsks(t *testing.T) {
	for raw, want := range map[string]struct {
		kind kinds
		sign int
	}{
		"1e999999999": {isInteger, 1}, "-1e999999999": {isInteger, -1}, "1e-999999999": {isFraction, 1}, "-1.5e-99999": {isFraction, -1},
		strings.Repeat("7", 5000): {isInteger, 1}, "0." + strings.Repeat("7", 5000): {isFraction, 1}, strings.Repeat("7", 5000) + ".5": {isFraction, 1}, "0e999": {isInteger, 0},
	} {
		tame := tamed(raw)
		if len(tame) > 2*tameDigits || (whole(tame) != (want.kind == isInteger)) || scan(canonicalOf(t, tame)).sign != want.sign {
			t.Errorf("%.20s… became %.40s…", raw, tame)
		}
	}
}

func TestTheFormatsThatAreListedAreChecked(t *testing.T) {
	for _, name := range Formats() {
		s := mustCompile(t, `{"type":"object","properties":{"v":{"type":"string","format":"`+name+`"}}}`)
		checked := s.Check(`{"v":"\u0000 (}{"}`)
		if checked.Fault == nil {
			t.Errorf("%s takes anything", name)
		}
	}
	s := mustCompile(t, `{"type":"object","properties":{"v":{"type":"string","format":"password"}}}`)
	if checked := s.Check(`{"v":"\u0000 (}{"}`); checked.Fault != nil {
		t.Errorf("an annotation is checked: %v", checked.Fault)
	}
}
