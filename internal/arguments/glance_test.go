package arguments

import (
	"fmt"
	"strings"
	"testing"
)

// What is written in the usual way needs no second look, and what a second look
// is needed for is not taken for valid.
func TestWhatAGlanceTells(t *testing.T) {
	const schema = `{"type":"object","required":["s"],"properties":{
		"s":{"type":"string","minLength":1,"maxLength":4},"p":{"type":"string","pattern":"^a+$"},"d":{"type":"string","format":"date"},
		"e":{"enum":["x","y",1.5,7,null,true]},"i":{"type":"integer","minimum":-5,"maximum":100,"multipleOf":5},"n":{"type":"number","exclusiveMinimum":0.5},
		"b":{"type":"number","minimum":-2,"maximum":3},"low":{"type":"integer","minimum":1},
		"u":{"type":"array","uniqueItems":true,"items":{"type":"string"}},"l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"integer"}},
		"any":{},"r":{"$ref":"#/properties/s"},"o":{"anyOf":[{"type":"integer"},{"type":"string"}]},"m":{"type":"object","maxProperties":2}},
		"additionalProperties":false}`
	s, err := Compile("t", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"s":"a"}`:            true,
		" {\n\"s\" :\t\"a\" }": true,
		`{"s":"日本語\n"}`:        true,
		`{"s":"\u00e9"}`:       true,
		`{"s":"日本語\n\n"}`:      false,
		`{"s":""}`:             false,
		`{}`:                   false,
		`{"s":"a","s":"b"}`:    false,
		`{"s":"a",}`:           false,
		`{"s":"a"} x`:          false,
		`{"s":"a"`:             false,
		`{"s":'a'}`:            false,
		`{"\u0073":"a"}`:       false,
		"{\"s\":\"a\xff\"}":    false,
		"{\"s\":\"a\x01\"}":    false,
		`{"s":"\ud83d"}`:       false,
		`{"s":"\x"}`:           false,
		`{"s":"a","z":1}`:      false,
		`["s"]`:                false,
		``:                     false,

		`{"s":"a","p":"aa"}`:         true,
		`{"s":"a","p":"\u0061"}`:     false,
		`{"s":"a","p":"b"}`:          false,
		`{"s":"a","d":"2026-03-14"}`: true,
		`{"s":"a","d":"2026-02-30"}`: false,

		`{"s":"a","e":"x"}`:                             true,
		`{"s":"a","e":"z"}`:                             false,
		`{"s":"a","e":1.50}`:                            true,
		`{"s":"a","e":7.0}`:                             true,
		`{"s":"a","e":7e0}`:                             false,
		`{"s":"a","e":null}`:                            true,
		`{"s":"a","e":true}`:                            true,
		`{"s":"a","e":false}`:                           false,
		`{"s":"a","e":nul}`:                             false,
		`{"s":"a","i":15}`:                              true,
		`{"s":"a","i":15.0}`:                            true,
		`{"s":"a","i":-5}`:                              true,
		`{"s":"a","i":-0}`:                              false,
		`{"s":"a","i":-10}`:                             false,
		`{"s":"a","i":16}`:                              false,
		`{"s":"a","i":015}`:                             false,
		`{"s":"a","i":105}`:                             false,
		`{"s":"a","i":15.5}`:                            false,
		`{"s":"a","n":0.51}`:                            true,
		`{"s":"a","n":0.50}`:                            false,
		`{"s":"a","n":-0.5}`:                            false,
		`{"s":"a","n":1.}`:                              false,
		`{"s":"a","n":.5}`:                              false,
		`{"s":"a","n":+1}`:                              false,
		`{"s":"a","n":1e2}`:                             false,
		`{"s":"a","n":` + strings.Repeat("9", 33) + `}`: false,

		`{"s":"a","b":-2}`:                         true,
		`{"s":"a","b":-2.0}`:                       true,
		`{"s":"a","b":-2.5}`:                       false,
		`{"s":"a","b":-1.5}`:                       true,
		`{"s":"a","b":-0.5}`:                       true,
		`{"s":"a","b":2.5}`:                        true,
		`{"s":"a","b":3.00}`:                       true,
		`{"s":"a","b":3.01}`:                       false,
		`{"s":"a","b":4}`:                          false,
		`{"s":"a","low":999999999999999999}`:       true,
		`{"s":"a","low":99999999999999999999}`:     true,
		`{"s":"a","low":-99999999999999999999}`:    false,
		`{"s":"a","b":0.000000000000000000000001}`: true,

		`{"s":"a","u":["a","b"]}`:           true,
		`{"s":"a","u":["a","a"]}`:           false,
		`{"s":"a","u":["a","\u0061"]}`:      false,
		`{"s":"a","l":[1,2]}`:               true,
		`{"s":"a","l":[]}`:                  false,
		`{"s":"a","l":[1,2,3]}`:             false,
		`{"s":"a","l":[1,]}`:                false,
		`{"s":"a","r":"b"}`:                 true,
		`{"s":"a","r":"bbbbb"}`:             false,
		`{"s":"a","o":"b"}`:                 true,
		`{"s":"a","o":3}`:                   true,
		`{"s":"a","o":[]}`:                  false,
		`{"s":"a","m":{"a":{"a":1},"b":1}}`: true,
		`{"s":"a","m":{"a":{"a":1,"a":2}}}`: false,
		`{"s":"a","m":{"a":1,"b":1,"c":1}}`: false,
	} {
		if got := obvious(s.walk, []byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestWhatIsTooMuchForAGlanceIsWalked(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`
	deeper := `{"a":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`
	var many, others strings.Builder
	for i := range mostProperties + 1 {
		fmt.Fprintf(&many, `,"p%d":{"type":"integer"}`, i)
	}
	for i := range mostOthers + 1 {
		fmt.Fprintf(&others, `,"p%d":1`, i)
	}
	open := Unchecked("t").walk
	if !obvious(open, []byte(deep)) || obvious(open, []byte(deeper)) {
		t.Error("the depth is not bounded as it should be")
	}
	if text := "{" + others.String()[1:] + "}"; obvious(open, []byte(text)) || Unchecked("t").Check(text).Fault != nil {
		t.Error("many members are not walked")
	}
	wide, err := Compile("t", []byte(`{"type":"object","properties":{`+many.String()[1:]+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	if obvious(wide.walk, []byte(`{"p1":1}`)) || wide.Check(`{"p1":1}`).Fault != nil {
		t.Error("many properties are not walked")
	}
}

// The objects of a list are taken to be written alike, and need not be.
func TestTheObjectsOfAListMayBeWrittenInAnyOrder(t *testing.T) {
	s, err := Compile("t", []byte(`{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#/$defs/o"}}},"$defs":{"o":{"type":"object",
		"required":["a"],"properties":{"a":{"type":"integer"},"b":{"type":"string"},"o":{"$ref":"#/$defs/o"}},"additionalProperties":{"type":"null"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"l":[{"a":1,"b":"x"},{"a":2,"b":"y"},{"b":"z","a":3},{"a":4}]}`:                     true,
		`{"l":[{"a":1,"b":"x"},{"a":2,"b":3}]}`:                                               false,
		`{"l":[{"a":1,"b":"x"},{"a":2,"a":2}]}`:                                               false,
		`{"l":[{"a":1,"b":"x"},{"b":"y"}]}`:                                                   false,
		`{"l":[{"a":1,"x":null},{"a":1,"x":null,"y":null},{"x":null,"a":1}]}`:                 true,
		`{"l":[{"a":1,"x":null},{"a":1,"x":null,"x":null}]}`:                                  false,
		`{"l":[{"a":1,"o":{"b":"x","a":1}},{"a":1,"o":{"a":1}},{"o":{"b":"x","a":1},"a":1}]}`: true,
		`{"l":[{"a":1,"b":"x"},{"a" :2 , "b": "y"},{"ab":null,"a":1}]}`:                       true,
		`{"l":[{"a":1},{"a"}]}`:                                                               false,
		`{"l":[{"a":1},{"a`:                                                                   false,
	} {
		if got := obvious(s.walk, []byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// The identity of a call is the same whichever way its arguments were judged.
func TestAnIdentityIsMadeWhenItIsAskedFor(t *testing.T) {
	s := Unchecked("t")
	checked := s.Check(`{"b": 1.0, "a": "\u0061"}`)
	if checked.Keyer == nil {
		t.Error("it is made before anybody asks")
	}
	want, err := KeyOf("t", []byte(`{"a":"a","b":1}`))
	if err != nil || checked.Identity() != want || checked.Identity() != want {
		t.Errorf("got %x, want %x (%v)", checked.Identity(), want, err)
	}
	broken := s.Check(`{`)
	if broken.Identity() != [32]byte{} {
		t.Error("arguments that are not valid have an identity")
	}
}

func FuzzAGlance(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1}`)
	for _, c := range expectedCases(f) {
		f.Add(string(c.Schema), string(c.Arguments))
	}
	f.Fuzz(func(t *testing.T, schemaJSON, text string) {
		s, err := Compile("tool", []byte(schemaJSON))
		if err != nil || !obvious(s.walk, []byte(text)) {
			return
		}
		root, fault := parse(text)
		if fault != nil || len(duplicates(root, nil)) > 0 || root.kind != isObject || s.root.Validate(root.value()) != nil {
			t.Fatalf("it is not valid\nschema    %s\narguments %s", schemaJSON, text)
		}
	})
}
