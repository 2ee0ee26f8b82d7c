package arguments

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func canonicalOf(t testing.TB, text string) string {
	t.Helper()
	c := borrow(nil, text)
	defer c.release()
	if err := c.document(); err != nil {
		t.Fatalf("%q: %s", text, err.describe(text))
	}
	return string(c.out)
}

func TestTheCanonicalFormHasOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "{}",
		" \n\t ":                         "{}",
		` { "b" : 1 , "a" : [ true ] } `: `{"a":[true],"b":1}`,
		`{"b":{"d":1,"c":2},"a":3}`:      `{"a":3,"b":{"c":2,"d":1}}`,
		`"\u00e9\u002f\/\n\u001F\""`:     "\"é//\\u000a\\u001f\\\"\"",
		`"\ud83d\udc4d"`:                 `"👍"`,
		"-0":                             "0",
		"0.0e99":                         "0",
		"1.0":                            "1",
		"1e0":                            "1",
		"10e-1":                          "1",
		"100":                            "100",
		"1e2":                            "100",
		"0.015":                          "0.015",
		"15E-3":                          "0.015",
		"-13.40":                         "-13.4",
		"1400000000000000013":            "1400000000000000013",
		"1e40":                           "1e40",
		"1" + strings.Repeat("0", 40):    "1e40",
		"1e-40":                          "1e-40",
		"12e99999999999999999999999":     "12e99999999999999999999999",
		"1.2e100000000000000000000000":   "12e99999999999999999999999",
		"1e-99999999999999999999999":     "1e-99999999999999999999999",
	} {
		if got := canonicalOf(t, text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestCallsAreIdenticalByValue(t *testing.T) {
	same := [][]string{
		{`{"a":1,"b":"x"}`, `{"b":"x","a":1.0}`, ` {"a":1e0,"b":"\u0078"} `, `{"a":10e-1,"b":"x"}`},
		{``, `{}`, " { } "},
		{`{"n":12345678901234567890}`, `{"n":1234567890123456789e1}`},
	}
	var seen [][32]byte
	for _, group := range same {
		first, err := KeyOf("tool", []byte(group[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range group[1:] {
			if key, err := KeyOf("tool", []byte(text)); err != nil || key != first {
				t.Errorf("%q and %q differ (%v)", group[0], text, err)
			}
		}
		seen = append(seen, first)
	}
	for i := range seen {
		for j := range i {
			if seen[i] == seen[j] {
				t.Errorf("%q and %q are one call", same[i][0], same[j][0])
			}
		}
	}
}

func TestDifferentCallsDiffer(t *testing.T) {
	texts := []string{`{"a":1}`, `{"a":"1"}`, `{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `{"a":null}`, `{}`, `{"a":[1]}`, `{"a":1e400}`, `{"a":1e401}`}
	keys := map[[32]byte]string{}
	for _, text := range texts {
		key, err := KeyOf("t", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := keys[key]; taken {
			t.Errorf("%s and %s are one call", text, other)
		}
		keys[key] = text
	}
	a, _ := KeyOf("ab", []byte(`{}`))
	b, _ := KeyOf("a", []byte(`{}`))
	if a == b {
		t.Error("the tool's name does not count")
	}
}

func TestAKeyNeedsJSON(t *testing.T) {
	for _, text := range []string{`{`, `{"a":1,"a":1}`, `[1,]`} {
		if _, err := KeyOf("t", []byte(text)); err == nil {
			t.Errorf("%s has a key", text)
		}
	}
}

func TestWhatIsNoJSONSaysWhereAndWhatElse(t *testing.T) {
	deep := strings.Repeat("[", 129) + strings.Repeat("]", 129)
	for _, c := range []struct {
		text     string
		at       int
		expected string
	}{
		{`{"a":1,}`, 7, "trailing commas"},
		{`[1,]`, 3, "trailing commas"},
		{`{'a':1}`, 1, "double quotes"},
		{`{"a":'b'}`, 5, "double quotes"},
		{`{"a":True}`, 5, "lower case"},
		{`{"a":None}`, 5, "null"},
		{`{"a":NaN}`, 5, "NaN"},
		{`{"a":-Infinity}`, 6, "Infinity"},
		{"```json\n{}\n```", 0, "code fence"},
		{`{"a" 1}`, 5, "':'"},
		{`{"a":1 "b":2}`, 7, "',' or '}'"},
		{`[1 2]`, 3, "',' or ']'"},
		{`{"a":1`, 6, "cut off"},
		{`{"a":"x`, 7, "cut off"},
		{`{"a":`, 5, "cut off"},
		{`{"a":01}`, 6, "leading zeros"},
		{`{"a":1.}`, 7, "decimal point"},
		{`{"a":.5}`, 5, "before the point"},
		{`{"a":+5}`, 5, "plus"},
		{`{"a":1e}`, 7, "exponent"},
		{"{\"a\":\"x\ny\"}", 7, "escape"},
		{`{"a":"\x"}`, 7, "backslash"},
		{`{"a":"\u12g4"}`, 10, "hexadecimal"},
		{`{"a":"\ud83d"}`, 6, "both halves"},
		{`{"a":"\ud83dx"}`, 6, "both halves"},
		{`{"a":"\ud83d\u0041"}`, 6, "both halves"},
		{"{\"a\":\"\xff\"}", 6, "UTF-8"},
		{`{} {}`, 3, "nothing"},
		{`{}x`, 2, "nothing"},
		{deep, 128, "128 levels"},
		{`// c`, 0, "comments"},
		{"\ufeff{}", 0, "JSON value"},
	} {
		scan := borrow(nil, c.text)
		err := scan.document()
		if err == nil {
			t.Errorf("%q passes", c.text)
			continue
		}
		if err.at != c.at || !strings.Contains(err.expected, c.expected) {
			t.Errorf("%.40q: byte %d, expected %s; want byte %d, %s", c.text, err.at, err.expected, c.at, c.expected)
		}
		scan.release()
	}
}

func TestPositionsCountLinesAndCharacters(t *testing.T) {
	line, column := position("{\n  \"é\": x", 10)
	if line != 2 || column != 8 {
		t.Errorf("line %d, column %d; want 2, 8", line, column)
	}
}

func TestHugeExponentsCostNothing(t *testing.T) {
	text := "[" + strings.Repeat("1e999999999,", 10000) + "1]"
	c := borrow(nil, text)
	if err := c.document(); err != nil || len(c.out) > len(text) {
		t.Errorf("%v, %d bytes from %d", err, len(c.out), len(text))
	}
}

// Whatever passes is JSON to encoding/json as well, and means the same.
func FuzzCanonicalFormMeansTheSame(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,-0,"x\u00e9"],"b":{"c":null}}`, `{"b":1,"a":2}`, `"\ud83d\udc4d"`, `1e-7`, `{"a":1,"a":2}`, `[[],{}]`, "{\"a\":\"\xff\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := borrow(nil, text)
		defer c.release()
		if c.document() != nil || strings.TrimLeft(text, " \n\t\r") == "" {
			return
		}
		if !json.Valid([]byte(text)) || !json.Valid(c.out) {
			t.Fatalf("%q passes as %q", text, c.out)
		}
		again := borrow(nil, string(c.out))
		defer again.release()
		if err := again.document(); err != nil || !bytes.Equal(again.out, c.out) {
			t.Fatalf("%q becomes %q, and that %q", text, c.out, again.out)
		}
		if !c.duplicate && !equalValues(decoded(t, text), decoded(t, string(c.out))) {
			t.Fatalf("%q is not %q", text, c.out)
		}
	})
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func equalValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if _, ok := b[k]; !ok || !equalValues(a[k], b[k]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalValues(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(a.String(), b.String())
	}
	return a == b
}

func equalNumbers(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY { // an exponent too large to expand
		return true
	}
	return x.Cmp(y) == 0
}
