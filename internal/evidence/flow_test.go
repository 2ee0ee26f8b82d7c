package evidence

import (
	"encoding/json"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"
)

func checkFlow(t *testing.T, text string) {
	t.Helper()
	value, err := json.Marshal(map[string]any{text: []any{text, map[string]any{"k": text}}})
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(value, &want); err != nil {
		t.Fatal(err)
	}
	line := flow(value)
	if err := yaml.Unmarshal([]byte(line), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q is written %s, which YAML reads as %v: %v", text, line, got, err)
	}
}

func TestALineOfYAMLSaysWhatTheJSONSays(t *testing.T) {
	for _, text := range []string{
		"", "a", "First day.", "yes", "No", "on", "null", "~", "true", "1.0", "0x1F", "1e3", ".inf", "2026-03-14", "12:30", "a: b", "- x", "? y",
		"# c", " lead", "trail ", "…", "a'b", `a"b`, "{x}", "[x]", "a, b", "!tag", "&anchor", "*alias", "%x", "@x", "`x`", "a #b", "é", "日本", "\t", "a\nb", "=", "<<",
	} {
		checkFlow(t, text)
	}
}

func FuzzFlow(f *testing.F) {
	f.Add("First day.")
	f.Add("a: b #c")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			t.Skip("a key of YAML has at most 1,024 characters")
		}
		for _, r := range text {
			if r == 0xfffd || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
				t.Skip("no text that a schema holds")
			}
		}
		checkFlow(t, text)
	})
}
