package rawjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"toolgate.dev/toolgate/internal/rawjson"
)

func TestMembersComeInTheOrderOfTheTextWithEveryDigit(t *testing.T) {
	text := []byte(` { "b" : 1.50 , "a\u0062":[1, {"x":"}"}] ,"c" :{"d":"\""},"e":null } `)
	var names, values []string
	for m := range rawjson.Members(text) {
		names, values = append(names, m.Name()), append(values, string(m.Value))
		if got := string(text[m.Start:m.End]); !bytes.HasPrefix([]byte(got), m.Key) || !bytes.HasSuffix([]byte(got), m.Value) {
			t.Errorf("member spans %q", got)
		}
	}
	if want := []string{"b", "ab", "c", "e"}; !reflect.DeepEqual(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if want := []string{"1.50", `[1, {"x":"}"}]`, `{"d":"\""}`, "null"}; !reflect.DeepEqual(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
}

func TestAWalkStopsWhereItIsTold(t *testing.T) {
	seen := 0
	for range rawjson.Members([]byte(`{"a":1,"b":2}`)) {
		seen++
		break
	}
	for range rawjson.Items([]byte(`[1,2]`)) {
		seen++
		break
	}
	if seen != 2 {
		t.Errorf("saw %d, want 2", seen)
	}
}

func TestAPointerFindsItsValue(t *testing.T) {
	text := []byte(`{"a":{"b/c":[10,{"~":"x"}]},"":1,"a b":2,"é":3,"d":1,"d":4}`)
	for pointer, want := range map[string]string{
		"/a/b~1c/0": "10", "/a/b~1c/1/~0": `"x"`, "/": "1", "/a b": "2", "/é": "3", "/d": "4",
		"/a/b~1c/2": "", "/a/b~1c/00": "", "/a/b~1c/-1": "", "/nope": "", "/d/x": "",
	} {
		got, found := rawjson.Find(text, pointer)
		if found != (want != "") || string(got) != want {
			t.Errorf("%s: got %q %v, want %q", pointer, got, found, want)
		}
	}
	if got, found := rawjson.Find([]byte(" 7 "), ""); !found || string(got) != "7" {
		t.Errorf("the whole: got %q %v", got, found)
	}
}

func TestAFieldPathFindsItsValue(t *testing.T) {
	text := []byte(`{"a":{"b":[10,{"c":"x"}]},"d":5}`)
	for path, want := range map[string]string{
		"d": "5", "a.b[0]": "10", "a.b[1].c": `"x"`, "a.b[9]": "", "a.x": "", "a.b[": "", ".": "",
	} {
		if got, found := rawjson.Field(text, path); found != (want != "") || string(got) != want {
			t.Errorf("%s: got %q %v, want %q", path, got, found, want)
		}
	}
}

func TestPointersAreChecked(t *testing.T) {
	for pointer, want := range map[string]bool{"": true, "/a": true, "/": true, "/~0~1": true, "a": false, "/~": false, "/~2": false} {
		if got := rawjson.ValidPointer(pointer); got != want {
			t.Errorf("%q: got %v", pointer, got)
		}
	}
}

func TestMergeReplacesInPlaceAndAppends(t *testing.T) {
	got := rawjson.Merge([]byte(`{"b": 1.50, "a": [1, 2], "b": 2}`), []byte(`{"a":"x y","c":{"d": 1}}`))
	if want := `{"b":2,"a":"x y","c":{"d":1}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestKindsAreTold(t *testing.T) {
	for text, want := range map[string]rawjson.Kind{
		"": rawjson.Absent, " \n": rawjson.Absent, " {}": rawjson.Object, "[]": rawjson.Array, `"x"`: rawjson.String,
		"-1": rawjson.Number, "0": rawjson.Number, "true": rawjson.True, "false": rawjson.False, "null": rawjson.Null,
	} {
		if got := rawjson.KindOf([]byte(text)); got != want {
			t.Errorf("%q: got %c, want %c", text, got, want)
		}
	}
}

func FuzzStringsSurvive(f *testing.F) {
	f.Add("a\"\\\n\x00\x1f<>&é\u2028\xff")
	f.Fuzz(func(t *testing.T, text string) {
		quoted := rawjson.AppendString(nil, text)
		var want, got string
		encoded, _ := json.Marshal(text)
		if json.Unmarshal(encoded, &want) != nil || json.Unmarshal(quoted, &got) != nil || got != want {
			t.Fatalf("%q became %s", text, quoted)
		}
		if rawjson.Text(quoted) != want {
			t.Fatalf("%s read as %q", quoted, rawjson.Text(quoted))
		}
	})
}

func FuzzWalkAgreesWithTheStandardParser(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c\"]"}],"d":-1.5e3}`))
	f.Add([]byte(`{"a`))
	f.Add([]byte(`{"a":`))
	f.Add([]byte(`{"\":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = rawjson.Merge(text, text)
		rawjson.Field(text, string(text))
		rawjson.Find(text, "/"+string(text))
		switch rawjson.KindOf(text) {
		case rawjson.Object:
			var want map[string]json.RawMessage
			if json.Unmarshal(text, &want) != nil {
				for m := range rawjson.Members(text) {
					_ = m.Name()
				}
				return
			}
			got := map[string]string{}
			for m := range rawjson.Members(text) {
				got[m.Name()] = string(m.Value)
			}
			if len(got) != len(want) {
				t.Fatalf("%d members, want %d", len(got), len(want))
			}
			for name, value := range want {
				if got[name] != string(value) {
					t.Fatalf("%q is %s, want %s", name, got[name], value)
				}
			}
		case rawjson.Array:
			var want []json.RawMessage
			if json.Unmarshal(text, &want) != nil {
				for range rawjson.Items(text) {
				}
				return
			}
			var got []json.RawMessage
			for item := range rawjson.Items(text) {
				got = append(got, item)
			}
			if len(got) != len(want) {
				t.Fatalf("%d items, want %d", len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("item %d is %s, want %s", i, got[i], want[i])
				}
			}
		}
	})
}
