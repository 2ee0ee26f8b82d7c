package cli

import (
	"errors"
	"testing"
)

const pairSchema = `{
  "type": "object",
  "$defs": {"money": {"type": "number"}, "loop": {"$ref": "#/$defs/loop"}, "a/b": {"type": "boolean"}},
  "properties": {
    "name": {"type": "string"},
    "age": {"type": "integer"},
    "amount": {"$ref": "#/$defs/money"},
    "slashed": {"$ref": "#/$defs/a~1b"},
    "circular": {"$ref": "#/$defs/loop"},
    "active": {"type": "boolean"},
    "either": {"type": ["string", "integer"]},
    "maybe": {"type": ["integer", "null"]},
    "level": {"enum": [1, 2, 3]},
    "word": {"enum": ["1", "2"]},
    "branch": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    "tags": {"type": "array", "items": {"type": "string"}},
    "ids": {"type": "array", "items": {"type": "integer"}},
    "filter": {"type": "object"},
    "anything": true
  }
}`

func TestPairsAreTypedByTheSchema(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"a string stays one, whatever it looks like", []string{"name=42"}, `{"name":"42"}`},
		{"a number keeps its digits", []string{"amount=150.00", "age=7"}, `{"amount":150.00,"age":7}`},
		{"also one that no double holds", []string{"age=12345678901234567890"}, `{"age":12345678901234567890}`},
		{"a reference with an escape is followed", []string{"slashed=true"}, `{"slashed":true}`},
		{"a circle of references knows nothing", []string{"circular=1"}, `{"circular":"1"}`},
		{"what is no number goes as it is, for the gateway to judge", []string{"amount=abc"}, `{"amount":"abc"}`},
		{"booleans", []string{"active=true"}, `{"active":true}`},
		{"yes is no boolean", []string{"active=yes"}, `{"active":"yes"}`},
		{"a choice with string in it is a string", []string{"either=5"}, `{"either":"5"}`},
		{"null where null is accepted", []string{"maybe=null", "age=null"}, `{"maybe":null,"age":"null"}`},
		{"an enum of numbers", []string{"level=2", "word=2"}, `{"level":2,"word":"2"}`},
		{"branches", []string{"branch=1.5"}, `{"branch":1.5}`},
		{"a key twice is a list", []string{"tags=a", "name=x", "tags=b"}, `{"tags":["a","b"],"name":"x"}`},
		{"one of a list is a list of one", []string{"tags=a", "ids=7"}, `{"tags":["a"],"ids":[7]}`},
		{"a list may be written as JSON", []string{`ids=[1,2]`}, `{"ids":[1,2]}`},
		{"items are typed", []string{"ids=1", "ids=2"}, `{"ids":[1,2]}`},
		{"an object is JSON", []string{`filter={"a": 1.50}`}, `{"filter":{"a": 1.50}}`},
		{"an unknown key is a string", []string{"other=1", "anything=1"}, `{"other":"1","anything":"1"}`},
		{"colon-equals is JSON as it stands", []string{"other:=1.0", `name:=null`}, `{"other":1.0,"name":null}`},
		{"only the first equals sign parts", []string{"name=a=b"}, `{"name":"a=b"}`},
		{"quotes and markup are kept", []string{`name=say "<hi>" & go`}, `{"name":"say \"<hi>\" & go"}`},
		{"an empty value is an empty string", []string{"name=", "age="}, `{"name":"","age":""}`},
		{"no pairs are an empty object", nil, `{}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var pairs []pair
			for _, text := range tc.pairs {
				p, err := parsePair(text)
				if err != nil {
					t.Fatal(err)
				}
				pairs = append(pairs, p)
			}
			if got := argumentsOf(pairs, newSchema(pairSchema)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWithoutASchemaEveryValueIsAString(t *testing.T) {
	for _, text := range []string{"", "true", "[]", "not JSON"} {
		if got := argumentsOf([]pair{{key: "a", value: "1"}, {key: "b", value: "true"}}, newSchema(text)); got != `{"a":"1","b":"true"}` {
			t.Errorf("schema %q: got %s", text, got)
		}
	}
}

func TestWhatIsNoPairIsAUsageErrorWithANextStep(t *testing.T) {
	for _, text := range []string{"amount", "=5", ":=5", "a:=b", "a:={"} {
		_, err := parsePair(text)
		var wrong *usageError
		if !errors.As(err, &wrong) || wrong.next == "" {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
