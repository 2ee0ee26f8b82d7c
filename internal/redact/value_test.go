package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/quick"

	"toolgate.dev/toolgate/internal/redact"
)

func TestTheEchoOfAnArgument(t *testing.T) {
	for name, tc := range map[string]struct{ field, raw, want string }{
		"a date":                       {"start_date", `"03/14/2026"`, `"03/14/2026"`},
		"digits as they came":          {"amount", "750.00", "750.00"},
		"a big number":                 {"id", "123456789012345678901234567890", "123456789012345678901234567890"},
		"null":                         {"x", "null", "null"},
		"the caller's own e-mail":      {"email", `"ana@example.com"`, `"ana@example.com"`},
		"the caller's own URL":         {"url", `"https://x.example.com/a?b=c"`, `"https://x.example.com/a?b=c"`},
		"a secret by its name":         {"password", `"letmein"`, ""},
		"a secret by its path":         {"auth.api_keys[0].apiKey.value", `"x"`, ""},
		"an object under such a name":  {"psk", `{"a":"CANARY"}`, ""},
		"a secret by its looks":        {"q", `"use sk_live_9a7Zq9a7Zq9a"`, ""},
		"a URL with credentials":       {"url", `"https://u:p@x.example.com"`, ""},
		"a secret inside of an object": {"user", `{"name": "ana", "password": "letmein", "tags": [1, true, null]}`, `{"name":"ana","password":"[secret]","tags":[1,true,null]}`},
		"a large object":               {"x", `{"a":"` + strings.Repeat("b", 300) + `"}`, ""},
		"a long string":                {"x", `"` + strings.Repeat("word ", 100) + `"`, `"` + strings.Repeat("word ", 50) + `w…"`},
		"what turns text around":       {"x", "\"a\u202eb\"", `"ab"`},
		"no JSON":                      {"x", "{", ""},
		"nothing":                      {"x", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := redact.Value(tc.field, []byte(tc.raw)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAnEchoIsBoundedAndJSON(t *testing.T) {
	check := func(s string, repeat uint8) bool {
		raw, _ := json.Marshal(strings.Repeat(s, int(repeat)))
		got := redact.Value("x", raw)
		return got == "" || len(got) <= 256 && json.Valid([]byte(got))
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestArgumentsToBeKeptLoseTheirSecrets(t *testing.T) {
	in := `{"order": "o-1", "amount": 150.00, "n": 9007199254740993, "auth": {"token": "CANARY", "user": "ana"}, "note": "key sk_live_9a7Zq9a7Zq9a", "to": "ana@example.com"}`
	want := `{"order":"o-1","amount":150.00,"n":9007199254740993,"auth":{"token":"[secret]","user":"ana"},"note":"key [secret]","to":"ana@example.com"}`
	if got := string(redact.Arguments([]byte(in), 4096)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestArgumentsThatDoNotFitLoseTheirLargestMembers(t *testing.T) {
	in := fmt.Sprintf(`{"id":"o-1","blob":%q,"amount":1.50,"list":[%s1]}`, strings.Repeat("x", 5000), strings.Repeat("1,", 1000))
	if got, want := string(redact.Arguments([]byte(in), 1000)), `{"id":"o-1","amount":1.50}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWhatIsNoObjectIsKeptAsAnEmptyOne(t *testing.T) {
	for _, in := range []string{"", "{", "[1]", `"x"`, "null", "{}", `{"a":1}`} {
		if got := string(redact.Arguments([]byte(in), 4)); got != "{}" {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"a":{"password":"x"},"b":[1.10,"ana@example.com"]}`), 64)
	f.Fuzz(func(t *testing.T, raw []byte, max int) {
		got := redact.Arguments(raw, max)
		if !json.Valid(got) || (len(got) > max && string(got) != "{}") {
			t.Errorf("%d bytes at most: %s", max, got)
		}
		redact.Value("x", raw)
		redact.KeepFrom(raw).Has("abc")
	})
}
