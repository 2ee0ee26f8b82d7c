package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/redact"
)

// planted is a secret as it stands in a text; core is what may not be seen.
type planted struct{ text, core string }

// one secret of every rule's kind; what none of them holds is a line break.
func plantedSecrets() map[string]planted {
	same := func(s string) planted { return planted{s, s} }
	named := func(format, core string) planted { return planted{fmt.Sprintf(format, core), core} }
	secrets := map[string]planted{
		"an assignment":       named("MCP_API_KEY=%s", "q7Zk2canary"),
		"a colon":             named("client_secret: %s", "q7Zk2canary"),
		"a header":            named("X-Api-Key: %s", "q7Zk2canary"),
		"bearer":              named("Authorization: Bearer %s", "q7Zk2.canary-x"),
		"basic":               named("Authorization: Basic %s", "cTdaazJjYW5hcnk6eHl6"),
		"an echo":             named("API key provided: %s", "canaryword"),
		"a quoted password":   named(`password "%s" was refused`, "canaryword"),
		"a cookie":            named("Cookie: sid=%s; Path=/", "q7Zk2canary"),
		"a database URL":      named("postgres://app:%s@db.acme.com/x", "q7Zk2canary"),
		"user-info":           named("https://app:%s@api.acme.com/x", "q7Zk2canary"),
		"a query":             named("https://api.acme.com/x?sig=%s", "q7Zk2canary"),
		"an ADO string":       named("Server=sql1;Uid=sa;Pwd=%s;", "q7Zk2canary"),
		"libpq":               named("host=db user=app password=%s dbname=x", "q7Zk2canary"),
		"a JWT":               same("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"),
		"an e-mail":           same("ana.canary@example.org"),
		"a phone number":      same("+4915112345678"),
		"a card":              same("4111111111111111"),
		"a UUID":              same("eb1884a7-0000-42db-ac95-26c49c84a5c2"),
		"a request id":        named("(request id: %s)", "4442587FB7D0A2F9"),
		"an internal address": same("10.96.14.7:50051"),
		"an internal host":    same("db-core-02.corp.invalid:5432"),
		"a file":              same("/srv/app/canary/x.py:88"),
		"an identity":         same("com.acme.Pool$7@19a5cf02"),
	}
	for i, form := range []string{
		"sk_live_", "sk-proj-", "sk-ant-", "ghp_", "github_pat_", "glpat-", "xoxb-", "npm_", "hf_", "AKIA", "AIza", "ya29.", "shpat_",
		"SG.", "dop_v1_", "hvs.", "whsec_", "pypi-", "GOCSPX-", "gsk_", "dckr_pat_", "lin_api_", "figd_", "sbp_",
	} {
		token := form + strings.Repeat(string(rune('A'+i%26))+"9a7Zq", 10)[:44]
		secrets["a token "+form] = planted{token, token}
	}
	return secrets
}

// envelopes are the ways in which a text comes back from upstreams.
func envelopes() map[string]func(string) string {
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return map[string]func(string) string{
		"plain":        func(s string) string { return s },
		"a sentence":   func(s string) string { return "The call failed, see " + s + " and try again." },
		"JSON":         func(s string) string { return `{"error":{"code":7,"message":` + quote("it was "+s) + `}}` },
		"JSON in JSON": func(s string) string { return `{"body":` + quote(`{"message":`+quote("it was "+s)+`}`) + `}` },
		"HTML": func(s string) string {
			return "<html><body><h1>Error</h1><p>" + html.EscapeString(s) + "</p></body></html>"
		},
		"XML": func(s string) string { return "<Error><Message>" + html.EscapeString(s) + "</Message></Error>" },
		"a Python trace": func(s string) string {
			return "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    call()\nValueError: " + s
		},
		"a Java trace": func(s string) string {
			return "java.lang.Exception: " + s + "\n\tat a.B.c(B.java:1)\nCaused by: a.X: it\n\tat a.B.d(B.java:2)"
		},
		"a log": func(s string) string {
			return "2026-03-12T14:30:00Z ERROR [http-1] " + s + "\n2026-03-12T14:30:01Z INFO done"
		},
		"colours":      func(s string) string { return "\x1b[31m" + s + "\x1b[0m" },
		"bad bytes":    func(s string) string { return "\xff" + s + "\xfe" },
		"hidden runes": func(s string) string { return s[:len(s)-3] + "\u200b" + s[len(s)-3:] },
		"many lines": func(s string) string {
			return strings.Repeat("filler line of words\n", 50) + s + "\n" + strings.Repeat("more words here\n", 50)
		},
	}
}

func TestAPlantedSecretNeverComesOut(t *testing.T) {
	r := redact.New(nil)
	for kind, secret := range plantedSecrets() {
		for envelope, wrap := range envelopes() {
			out := r.Text(wrap(secret.text), redact.Keep{})
			if strings.Contains(out, secret.core) {
				t.Errorf("%s in %s: %s", kind, envelope, out)
			}
			if again := r.Text(out, redact.Keep{}); again != out {
				t.Errorf("%s in %s: redacting again made\n%s of\n%s", kind, envelope, again, out)
			}
		}
	}
}

// A secret that the cut goes through is removed too, and no half of it is left.
func TestASecretAcrossTheCutIsRemoved(t *testing.T) {
	r := redact.New(nil)
	fillers := map[string]string{"lines": "a line of words\n", "members": `"k":"v w",`, "one line": "word ", "one token": "abcd"}
	for kind, secret := range plantedSecrets() {
		for name, filler := range fillers {
			side, far := strings.Repeat(filler, 200), strings.Repeat(filler, 300)
			for into := -8; into < len(secret.text)+8; into += 7 {
				max := 2 * (len(side) + into)
				for end, body := range map[string]string{
					"head": side + " " + secret.text + " " + far,
					"tail": far + " " + secret.text + " " + side,
				} {
					out := r.Text(redact.HeadTail([]byte(body), max), redact.Keep{})
					if piece := largestPiece(out, secret.core); len(piece) >= 8 || piece == secret.core {
						t.Fatalf("%s in %s, %d bytes into it at the %s: %q is left", kind, name, into, end, piece)
					}
				}
			}
		}
	}
}

// largestPiece is the longest beginning or end of core that the text holds.
func largestPiece(text, core string) string {
	for n := len(core); n > 0; n-- {
		for _, piece := range []string{core[:n], core[len(core)-n:]} {
			if strings.Contains(text, piece) {
				return piece
			}
		}
	}
	return ""
}

// The gateway's own values go in whatever form, wherever they stand.
func TestAnExactValueNeverComesOutInAnyForm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const alphabet = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!@#$%^&*()+=/?<>'"\ äß`
	runes := []rune(alphabet)
	for range 400 {
		secret := make([]rune, 8+random.IntN(40))
		for i := range secret {
			secret[i] = runes[random.IntN(len(runes))]
		}
		value := strings.TrimSpace("k" + string(secret) + "z")
		r := redact.New([]string{"other-value", value})
		plain, _ := json.Marshal(value)
		before := strings.Repeat("x", random.IntN(4))
		for form, text := range map[string]string{
			"plain": value, "query": url.QueryEscape(value), "path": url.PathEscape(value), "JSON": string(plain), "HTML": html.EscapeString(value),
			"base64":     base64.StdEncoding.EncodeToString([]byte(before + value + ":tail")),
			"base64 URL": base64.RawURLEncoding.EncodeToString([]byte(before + value)),
			"hex":        hex.EncodeToString([]byte(value)),
		} {
			out := r.Secrets("around " + text + " it")
			if strings.Contains(out, text) || (form == "plain" && out != "around [secret] it") {
				t.Fatalf("%s of %q: %s", form, value, out)
			}
			for _, piece := range []string{text, strings.Trim(text, `"`)} {
				if strings.Contains(r.Text("around "+text+" it", redact.Keep{}), piece) {
					t.Fatalf("%s of %q comes out of Text", form, value)
				}
			}
		}
	}
}

func TestJSONStaysJSONWithoutTheValues(t *testing.T) {
	r := redact.New([]string{"424242", "can\"ary-1"})
	for in, want := range map[string]string{
		`{"a":424242,"b":1.10}`:                   `{"a":"[secret]","b":1.10}`,
		`{"424242":[true,null,"x can\"ary-1 y"]}`: `{"[secret]":[true,null,"x [secret] y"]}`,
		`{"untouched": 1.0}`:                      `{"untouched": 1.0}`,
		`"Y2FuImFyeS0x"`:                          `"[secret]"`,
	} {
		if got := r.JSON(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// What the caller sent may be said again, secrets aside.
func TestWhatTheCallerSentStays(t *testing.T) {
	r := redact.New(nil)
	for kind, secret := range plantedSecrets() {
		switch kind {
		case "an e-mail", "a phone number", "a card", "a UUID", "an internal address", "an internal host", "a file":
			arguments, _ := json.Marshal(map[string]any{"list": []any{map[string]string{"x": secret.core}}})
			if out := r.Text("no "+secret.text+" here", redact.KeepFrom(arguments)); out != "no "+secret.text+" here" {
				t.Errorf("%s: %s", kind, out)
			}
		}
	}
}

// Words of errors, joined at random, hold nothing to remove.
func TestPlainSentencesAreNotTouched(t *testing.T) {
	words := strings.Fields(`the field start_date must be between 1 and 100 inclusive amount 150.00 exceeds balance 42.10 YYYY-MM-DD
		2026-03-12 14:30 p_17 inv_42 slot taken by another user please retry after 30 seconds code 21610 status draft or final not found
		invalid value for region eu-central-1 expected one of (a, b, c) limit: 5000 quota 'CPUS' in us-east1-a version v2 of the API`)
	random, r := rand.New(rand.NewPCG(3, 4)), redact.New([]string{"own-secret-1"})
	for range 1000 {
		var pick []string
		for range 1 + random.IntN(30) {
			pick = append(pick, words[random.IntN(len(words))])
		}
		text := strings.Join(pick, " ")
		if got := r.Text(text, redact.Keep{}); got != text {
			t.Fatalf("\n got %s\nwant %s", got, text)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, tc := range kinds {
		f.Add(tc.in, tc.sent)
	}
	for _, secret := range plantedSecrets() {
		for _, wrap := range envelopes() {
			f.Add(wrap(secret.text), `{"a":"b"}`)
		}
	}
	r := redact.New([]string{"own-canary-4f9c"})
	f.Fuzz(func(t *testing.T, in, sent string) {
		keep := redact.KeepFrom([]byte(sent))
		once := r.Text(in, keep)
		if !utf8.ValidString(once) || strings.ContainsAny(once, "\n\r\t\x00\x1b") {
			t.Errorf("not one clean line: %q", once)
		}
		if strings.Contains(once, "own-canary-4f9c") {
			t.Errorf("the value is there: %q", once)
		}
		if twice := r.Text(once, keep); twice != once {
			t.Errorf("redacting twice:\n%q\n%q", once, twice)
		}
	})
}

func FuzzHTML(f *testing.F) {
	f.Add("<p>a</p>")
	f.Add("<script>x")
	f.Fuzz(func(t *testing.T, in string) {
		if out := redact.HTML(in); len(out) > 4*len(in)+16 {
			t.Errorf("%d bytes became %d", len(in), len(out))
		}
	})
}
