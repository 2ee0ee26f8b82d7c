package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// explained is the JSON of `explain failure`.
type explained struct {
	Error *struct {
		Class       string  `json:"error_class"`
		Code        string  `json:"code"`
		RetryAfter  float64 `json:"retry_after"`
		Maybe       bool    `json:"maybe_executed"`
		By          string  `json:"classified_by"`
		Observation string  `json:"observation"`
	} `json:"error"`
	Rungs []struct {
		Rung    string `json:"rung"`
		Decided bool   `json:"decided"`
	} `json:"rungs"`
}

func TestAFailureIsExplained(t *testing.T) {
	curl := write(t, "HTTP/2 429\r\nretry-after: 7\r\ncontent-type: application/json\r\n\r\n{\"error\":{\"code\":\"rate_limited\",\"message\":\"slow down\"}}")
	body := `{"error":{"code":"rate_limited","message":"slow down"}}`
	for _, tc := range []struct {
		name  string
		stdin string
		args  []string
		class string
		code  string
		wait  float64
		rung  string // that decided last; empty: any
	}{
		{"curl -i from a file", "", []string{curl}, "ERROR_CLASS_TRANSIENT", "rate_limited", 7, ""},
		{"curl -i from standard input", "HTTP/1.1 429 X\r\nRetry-After: 3\r\n\r\n" + body, []string{"-"}, "ERROR_CLASS_TRANSIENT", "rate_limited", 3, ""},
		{"a body with its status", body, []string{"--status", "429", "--header", "Retry-After: 5", "-"}, "ERROR_CLASS_TRANSIENT", "rate_limited", 5, ""},
		{"a status alone", "", []string{"--status", "503"}, "ERROR_CLASS_TRANSIENT", "", 1, "status"},
		{"a gRPC status", "", []string{"--grpc", "UNAVAILABLE", "--message", "gone", "--details", `[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"9s"}]`}, "ERROR_CLASS_TRANSIENT", "UNAVAILABLE", 9, ""},
		{"a refused connection", "", []string{"--network-error", "connection_refused", "--method", "POST"}, "ERROR_CLASS_TRANSIENT", "unreachable", 1, "transport"},
		{"a write that timed out", "", []string{"--network-error", "timeout", "--method", "POST"}, "ERROR_CLASS_TERMINAL", "outcome_unknown", 0, "safety"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{Stdin: strings.NewReader(tc.stdin)}, append([]string{"explain", "failure"}, tc.args...)...)
			var seen explained
			if err := json.Unmarshal([]byte(got.out), &seen); err != nil || got.code != 0 || seen.Error == nil {
				t.Fatalf("got %+v, %v", got, err)
			}
			if seen.Error.Class != tc.class || tc.code != "" && seen.Error.Code != tc.code || seen.Error.RetryAfter != tc.wait {
				t.Errorf("got %+v", seen.Error)
			}
			decided := ""
			for _, rung := range seen.Rungs {
				if rung.Decided {
					decided = rung.Rung
				}
			}
			if decided == "" || tc.rung != "" && decided != tc.rung {
				t.Errorf("%q decided: %+v", decided, seen.Rungs)
			}
			if !strings.Contains(seen.Error.Observation, `"retryable"`) {
				t.Errorf("no observation: %s", seen.Error.Observation)
			}
		})
	}
}

func TestASuccessIsNoError(t *testing.T) {
	got := run(t, cli.Program{}, "explain", "failure", "--status", "200")
	if got.code != 0 || !strings.HasPrefix(got.out, `{"error":null,`) {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{Terminal: true}, "explain", "failure", "--status", "200"); !strings.Contains(got.out, "a success") {
		t.Errorf("got %+v", got)
	}
}

func TestAPersonSeesTheRungs(t *testing.T) {
	got := run(t, cli.Program{}, "explain", "failure", "--status", "429", "--header", "Retry-After: 7", "-o", "table")
	for _, part := range []string{"class         transient", "retry after   7 s", "RUNG", "hint", "decides", "the model reads ("} {
		if !strings.Contains(got.out, part) {
			t.Errorf("%q lacks %q", got.out, part)
		}
	}
}

func TestRecordedFailuresAreAnsweredLineByLine(t *testing.T) {
	file := write(t, strings.Join([]string{
		`{"id":"a","transport":"http","request":{"method":"GET"},"response":{"status":503,"headers":{"Retry-After":"4"},"body":""}}`,
		``,
		`{"id":"b","transport":"http","request":{"method":"GET"},"response":{"status":200,"headers":{},"body":"{}"}}`,
		`not JSON`,
		`{"id":"c","transport":"http","request":{"method":"POST"},"network_error":"timeout"}`,
	}, "\n"))
	got := run(t, cli.Program{}, "explain", "failure", "--cases", file)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.code != 1 || len(lines) != 3 || !strings.Contains(got.err, file+":4: ") || !strings.Contains(got.err, "1 case could not be read") {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []string{`"retry_after":4`, `{"id":"b","error":null}`, `"maybe_executed":true`} {
		if !strings.Contains(strings.ReplaceAll(lines[i], " ", ""), want) {
			t.Errorf("line %d is %s, without %s", i, lines[i], want)
		}
	}
}

func TestArgumentsAreExplained(t *testing.T) {
	schema := write(t, `{"type":"object","properties":{"days":{"type":"integer"},"amount":{"type":"number"}},"required":["days"],"additionalProperties":false}`)
	for _, tc := range []struct{ name, text, want string }{
		{"valid ones pass, digits and all", `{"days":3,"amount":42.10}`, `"outcome":"pass","arguments":{"days":3,"amount":42.10}`},
		{"one reading is coerced", `{"days":"3"}`, `"outcome":"coerce","arguments":{"days":3},"changed":[{"field":"/days","from":"3"`},
		{"no reading is rejected", `{"days":"x"}`, `"outcome":"reject"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{}, "explain", "arguments", "--schema", schema, "--json", tc.text)
			if got.code != 0 || !strings.Contains(got.out, tc.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
	person := run(t, cli.Program{}, "explain", "arguments", "--schema", schema, "--json", `{"days":"3"}`, "-o", "table")
	if !strings.HasPrefix(person.out, "coerce {\"days\":3}\n\nFIELD  FROM  TO  RULE\n/days  \"3\"   3   ") {
		t.Errorf("got %s", person.out)
	}
}

func TestRecordedArgumentsAreAnsweredLineByLine(t *testing.T) {
	cases := `{"id":"a","schema":{"type":"object","properties":{"n":{"type":"integer"}}},"arguments":{"n":12345678901234567890}}` + "\n" +
		`{"id":"b","schema":{"type":"object"},"arguments":""}` + "\n" +
		`{"id":"c","schema":{"type":7},"arguments":{}}` + "\n"
	got := run(t, cli.Program{Stdin: strings.NewReader(cases)}, "explain", "arguments", "--cases", "-")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.code != 0 || len(lines) != 3 {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []string{`{"id":"a","outcome":"pass","arguments":{"n":12345678901234567890},`, `{"id":"b","outcome":"coerce","arguments":{},`, `{"id":"c","outcome":"reject",`} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %s, want %s", i, lines[i], want)
		}
	}
}

func TestExplainSaysWhatItNeeds(t *testing.T) {
	body := write(t, `{"error":"x"}`)
	for _, tc := range []struct {
		args []string
		hint string
	}{
		{[]string{"failure"}, "which failure?"},
		{[]string{"failure", body}, "no status line"},
		{[]string{"failure", "/no/such/file"}, "/no/such/file"},
		{[]string{"failure", "a", "b"}, "--cases FILE takes many"},
		{[]string{"failure", "--status", "400", "--header", "nothing"}, "--header 'Name: value'"},
		{[]string{"failure", "--status", "400", "--arguments", "{"}, "--arguments is not JSON"},
		{[]string{"failure", "--grpc", "ABORTED", "--details", "{"}, "--details is not JSON"},
		{[]string{"failure", "--status", "400", "-o", "xml"}, "-o json or -o table"},
		{[]string{"failure", "--cases", "/no/such/file"}, "--cases takes a file"},
		{[]string{"arguments"}, "which schema?"},
		{[]string{"arguments", "--schema", "/no/such/file"}, "/no/such/file"},
		{[]string{"arguments", "--schema", body, "-o", "xml"}, "-o json or -o table"},
		{[]string{"nothing"}, "takes no arguments"},
	} {
		if got := run(t, cli.Program{}, append([]string{"explain"}, tc.args...)...); got.code != 1 || !strings.Contains(got.err, tc.hint) {
			t.Errorf("%v: got %+v, want %q", tc.args, got, tc.hint)
		}
	}
}
