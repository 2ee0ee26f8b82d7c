package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

func TestAResultKeepsEveryDigitAndTheOrderOfItsKeys(t *testing.T) {
	g := start(t, servertest.Respond(http.StatusOK, "{ \"z\": 1.50,\n \"a\": 12345678901234567890.10, \"h\": \"<b>&\" }"))
	got := g.call("find", `{"run_id":"r","arguments":{"n": 1}}`)
	if want := `{"structured":{"z":1.50,"a":12345678901234567890.10,"h":"<b>&"},"attempts":1}`; got.StatusCode != http.StatusOK || got.Text != want {
		t.Errorf("%d %s, want %s", got.StatusCode, got.Text, want)
	}
	if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Toolgate-Attempts") != "1" {
		t.Errorf("got %v", got.Header)
	}
}

func TestArgumentsGoOnDigitForDigit(t *testing.T) {
	for name, body := range map[string]string{
		"as a value":  `{"run_id":"r","arguments": {"to":"x<&\u00e9","amount":150.00,"big":123456789012345678901234567890}}`,
		"as a string": `{"run_id":"r","arguments_json":"{\"to\":\"x<&\\u00e9\",\"amount\":150.00,\"big\":123456789012345678901234567890}"}`,
	} {
		g := start(t)
		if got := g.call("pay", body); got.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", name, got.StatusCode, got.Text)
		}
		if sent := g.Upstream.Requests()[0].Body; !strings.Contains(sent, "150.00") || !strings.Contains(sent, "123456789012345678901234567890") {
			t.Errorf("%s: sent %s", name, sent)
		}
	}
}

func TestNoArgumentsAreNone(t *testing.T) {
	for _, body := range []string{`{"run_id":"r"}`, `{"run_id":"r","arguments":null}`, `{"run_id":"r","arguments_json":""}`, `{"run_id":"r","arguments":{},"arguments_json":null}`} {
		if got := start(t).call("find", body); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.Text)
		}
	}
}

// A consumer that looks at the status alone does the right thing; one that reads
// the body has all that a model reads.
func TestAFailureHasItsStatusItsHeadersAndTheObservationAsItsBody(t *testing.T) {
	const find = `{"run_id":"r","arguments":{"n":1}}`
	for _, c := range []struct {
		name         string
		step         servertest.Step
		tool, body   string
		status       int
		class, retry string
		exhausted    bool
		text         string
	}{
		{"a fault that the schema finds", nil, "find", `{"run_id":"r","arguments":{"n":"many"}}`, 400, "invalid_request", "", false, `"field":"n"`},
		{"a tool that nobody knows", nil, "fnd", find, 400, "invalid_request", "", false, `"error":"unknown_tool"`},
		{"a fault that the provider finds", servertest.Respond(400, `{"error":{"code":"bad_n","message":"n is odd","field":"n"}}`), "find", find, 400, "invalid_request", "", false, `"bad_n"`},
		{"what is over", servertest.Respond(501, `{"error":"gone"}`), "find", find, 422, "terminal", "", false, `"class":"terminal"`},
		{"a missing permission", servertest.Respond(403, `{"error":"forbidden"}`), "find", find, 403, "terminal", "", false, `"class":"terminal"`},
		{"a wait that doesn't fit", servertest.Respond(429, `{}`, "Retry-After", "7200"), "find", find, 429, "transient", "7200", false, `"retry_after":7200`},
		{"an outage", servertest.Respond(503, `{}`), "find", find, 503, "transient", "*", true, `unavailable after 5 attempts`},
		{"a write that nobody knows the end of", servertest.Reset, "pay", `{"run_id":"r","arguments":{"amount":1}}`, 422, "terminal", "", false, `"maybe_executed":true`},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := start(t, c.step)
			if c.step == nil {
				g.Upstream.Script()
			}
			got := g.call(c.tool, c.body)
			if got.StatusCode != c.status || got.Header.Get("Toolgate-Class") != c.class || !strings.Contains(got.Text, c.text) {
				t.Errorf("%s: %d %s %s", c.name, got.StatusCode, got.Header.Get("Toolgate-Class"), got.Text)
			}
			if retry := got.Header.Get("Retry-After"); (retry != c.retry) && (c.retry != "*" || retry == "") {
				t.Errorf("%s: Retry-After %q", c.name, retry)
			}
			if (got.Header.Get("Toolgate-Exhausted") == "true") != c.exhausted {
				t.Errorf("%s: exhausted %q", c.name, got.Header.Get("Toolgate-Exhausted"))
			}
			if id := got.Header.Get("Toolgate-Correlation-Id"); id == "" || strings.Contains(got.Text, id) {
				t.Errorf("%s: the correlation id %q stands in the head alone", c.name, id)
			}
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Toolgate-Classified-By") == "" {
				t.Errorf("%s: %v", c.name, got.Header)
			}
		})
	}
}

func TestRetryAfterIsRoundedUpToWholeSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.Respond(503, `{}`, "Retry-After", "2"))
		g.Upstream.Script(servertest.Respond(429, `{}`, "Retry-After", "2"))
		got := g.call("find", `{"run_id":"r","arguments":{"n":1}}`, "Toolgate-Timeout", "1.5s")
		if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "2" || !strings.Contains(got.Text, `"retry_after":2`) {
			t.Errorf("%d %q %s", got.StatusCode, got.Header.Get("Retry-After"), got.Text)
		}
	})
}

func TestACallIdMakesAResendTheSameCall(t *testing.T) {
	g := start(t)
	for range 3 {
		if got := g.call("pay", `{"run_id":"r","call_id":"c1","arguments":{"amount":1}}`); got.StatusCode != http.StatusOK {
			t.Errorf("%d %s", got.StatusCode, got.Text)
		}
	}
	if g.Upstream.Count() != 1 {
		t.Errorf("%d requests", g.Upstream.Count())
	}
	got := g.call("pay", `{"run_id":"r","call_id":"c1","arguments":{"amount":2}}`)
	if got.StatusCode != http.StatusBadRequest || got.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(got.Text, `"reason":"CALL_ID_REUSED"`) {
		t.Errorf("%d %s", got.StatusCode, got.Text)
	}
}

func TestFreshLiftsWhatIsRemembered(t *testing.T) {
	g := start(t, servertest.Respond(501, `{"error":"gone"}`))
	for _, c := range []struct {
		body string
		want int
	}{
		{`{"run_id":"r","arguments":{"n":1}}`, 1},
		{`{"run_id":"r","arguments":{"n":1}}`, 1},
		{`{"run_id":"r","arguments":{"n":1},"fresh":true}`, 2},
	} {
		if got := g.call("find", c.body); got.StatusCode != http.StatusUnprocessableEntity || g.Upstream.Count() != c.want {
			t.Errorf("%s: %d, %d requests", c.body, got.StatusCode, g.Upstream.Count())
		}
	}
}

// What is hostile in the arguments alone ends in an invalid_request that the model
// can act on; nothing of it reaches the tool.
func TestHostileArgumentsEndInAClearInvalidRequest(t *testing.T) {
	for name, c := range map[string]struct{ tool, body, code string }{
		"more than the tool takes":         {"find", `{"run_id":"r","arguments":{"day":"` + repeated("x", 300<<10) + `"}}`, "arguments_too_large"},
		"ten megabytes":                    {"find", `{"run_id":"r","arguments_json":"{\"day\":\"` + repeated("x", 10<<20) + `\"}"}`, "arguments_too_large"},
		"nested without end":               {"find", `{"run_id":"r","arguments":` + repeated("[", 20_000) + repeated("]", 20_000) + `}`, "malformed_json"},
		"nested without end, as a string":  {"find", `{"run_id":"r","arguments_json":"` + repeated("[", 20_000) + `"}`, "malformed_json"},
		"no JSON":                          {"find", `{"arguments":{"n":01,'day'},"run_id":"r"}`, "malformed_json"},
		"no JSON, as a string":             {"find", `{"run_id":"r","arguments_json":"{\"n\":"}`, "malformed_json"},
		"a key twice":                      {"find", `{"run_id":"r","arguments":{"n":1,"n":2}}`, ""},
		"another tool's path":              {"..%2F..%2Fadmin", `{"run_id":"r"}`, "unknown_tool"},
		"line breaks in the tool's name":   {"find%0D%0AX-Evil:%201", `{"run_id":"r"}`, "unknown_tool"},
		"a list in place of the arguments": {"find", `{"run_id":"r","arguments":[1]}`, "invalid_arguments"},
	} {
		g := start(t)
		got := g.call(c.tool, c.body)
		if got.StatusCode != http.StatusBadRequest || got.Header.Get("Toolgate-Class") != "invalid_request" || !strings.Contains(got.Text, c.code) || got.Header.Get("X-Evil") != "" {
			t.Errorf("%s: %d %v %s", name, got.StatusCode, got.Header, got.Text)
		}
		if g.Upstream.Count() != 0 || len(got.Text) > 1024 {
			t.Errorf("%s: %d requests, %d bytes", name, g.Upstream.Count(), len(got.Text))
		}
	}
}

func TestTheRuntimesMistakesAreProblemsWithAReasonAndAField(t *testing.T) {
	const ok = `{"run_id":"r"}`
	g := start(t)
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		reason, field      string
	}{
		{"POST", "/v1/tools/find:call", `{}`, nil, 400, "RUN_ID_MISSING", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"` + repeated("r", 129) + `"}`, nil, 400, "RUN_ID_TOO_LONG", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","call_id":"` + repeated("c", 129) + `"}`, nil, 400, "CALL_ID_TOO_LONG", "call_id"},
		{"POST", "/v1/tools/find:call", `{"runId":"r"}`, nil, 400, "UNKNOWN_FIELD", "runId"},
		{"POST", "/v1/tools/find:call", `{"Run_Id":"r"}`, nil, 400, "UNKNOWN_FIELD", "Run_Id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","tool":"pay"}`, nil, 400, "UNKNOWN_FIELD", "tool"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","run_id":"s"}`, nil, 400, "DUPLICATE_FIELD", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","r\u0075n_id":"s"}`, nil, 400, "DUPLICATE_FIELD", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":7}`, nil, 400, "INVALID_FIELD", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","fresh":"yes"}`, nil, 400, "INVALID_FIELD", "fresh"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","arguments_json":{}}`, nil, 400, "INVALID_FIELD", "arguments_json"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","arguments":{},"arguments_json":"{}"}`, nil, 400, "INVALID_FIELD", "arguments_json"},
		{"POST", "/v1/tools/find:call", `[` + ok + `]`, nil, 400, "INVALID_FIELD", ""},
		{"POST", "/v1/tools/find:call", `{"run_id":"r"`, nil, 400, "MALFORMED_BODY", ""},
		{"POST", "/v1/tools/find:call", ok + ok, nil, 400, "MALFORMED_BODY", ""},
		{"POST", "/v1/tools/find:call", "\xef\xbb\xbf" + ok, nil, 400, "MALFORMED_BODY", ""},
		{"POST", "/v1/tools/find:call", "{\"run_id\":\"\xff\"}", nil, 400, "MALFORMED_BODY", ""},
		{"POST", "/v1/tools/find:call", ok, []string{"Content-Type", "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type"},
		{"POST", "/v1/tools/find:call", ok, []string{"Content-Type", "application/json; charset=latin1"}, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type"},
		{"POST", "/v1/tools/find:call", ok, []string{"Content-Encoding", "gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding"},
		{"POST", "/v1/tools/find:call", "", nil, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type"},
		{"POST", "/v1/tools/find:call", ok, []string{"Toolgate-Timeout", "soon"}, 400, "INVALID_TIMEOUT", "Toolgate-Timeout"},
		{"POST", "/v1/tools/find:call", ok, []string{"Toolgate-Timeout", "-1s"}, 400, "INVALID_TIMEOUT", "Toolgate-Timeout"},
		{"POST", "/v1/tools/find:call", ok, []string{"Toolgate-Timeout", "NaN"}, 400, "INVALID_TIMEOUT", "Toolgate-Timeout"},
		{"POST", "/v1/tools/find:call?run_id=r", ok, nil, 400, "UNKNOWN_PARAMETER", "run_id"},
		{"POST", "/v1/tools/find:call", `{"run_id":"r","arguments_json":"` + repeated("x", 33<<20) + `"}`, nil, 413, "BODY_TOO_LARGE", ""},
		{"POST", "/v1/tools:callBatch", ok, nil, 400, "BATCH_SIZE", "calls"},
		{"POST", "/v1/tools:callBatch", `{"run_id":"r","calls":{}}`, nil, 400, "INVALID_FIELD", "calls"},
		{"POST", "/v1/tools:callBatch", `{"run_id":"r","calls":[{"tool":"find"},{"tol":"find"}]}`, nil, 400, "UNKNOWN_FIELD", "calls[1].tol"},
		{"POST", "/v1/tools:callBatch", `{"run_id":"r","calls":[{"tool":1}]}`, nil, 400, "INVALID_FIELD", "calls[0].tool"},
		{"POST", "/v1/tools:callBatch", `{"run_id":"r","calls":[{"tool":"find","call_id":"` + repeated("c", 129) + `"}]}`, nil, 400, "CALL_ID_TOO_LONG", "calls[0].call_id"},
		{"POST", "/v1/tools:callBatch", `{"calls":[{"tool":"find"}]}`, nil, 400, "RUN_ID_MISSING", "run_id"},
		{"GET", "/v1/report?limit=many", "", nil, 400, "INVALID_PARAMETER", "limit"},
		{"GET", "/v1/report?limit=1001", "", nil, 400, "INVALID_PARAMETER", "limit"},
		{"GET", "/v1/tools?page=2", "", nil, 400, "UNKNOWN_PARAMETER", "page"},
		{"GET", "/v1/runs/" + repeated("r", 129), "", nil, 400, "RUN_ID_TOO_LONG", "run_id"},
		{"POST", "/v1/tools/find", ok, nil, 404, "NO_SUCH_PATH", ""},
		{"GET", "/v1/runs/", "", nil, 404, "NO_SUCH_PATH", ""},
		{"GET", "/v1/runs/a/b", "", nil, 404, "NO_SUCH_PATH", ""},
		{"GET", "/", "", nil, 404, "NO_SUCH_PATH", ""},
		{"GET", "/v1/tools/find:call", "", nil, 405, "METHOD_NOT_ALLOWED", ""},
		{"PUT", "/v1/runs/r", "", nil, 405, "METHOD_NOT_ALLOWED", ""},
	} {
		name := fmt.Sprintf("%s %.60s %.60s %v", c.method, c.path, c.body, c.headers)
		got := g.do(c.method, c.path, c.body, c.headers...)
		conform(t, "Problem", got.Text)
		field := ""
		if c.field != "" {
			field = `"field":"` + c.field + `"`
		}
		if got.StatusCode != c.status || got.Header.Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(got.Text, `"reason":"`+c.reason+`"`) || !strings.Contains(got.Text, field) || strings.Contains(got.Text, `"field"`) != (field != "") {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.Text)
		}
		if g.Upstream.Count() != 0 {
			t.Errorf("%s reached the tool", name)
		}
	}
}

func TestAMethodThatAPathDoesNotTakeIsToldWhatItTakes(t *testing.T) {
	g := start(t)
	for path, want := range map[string]string{
		"/v1/tools": "GET, HEAD, OPTIONS", "/v1/tools/find:call": "POST, OPTIONS", "/v1/runs/r": "GET, DELETE, HEAD, OPTIONS", "/v1/runs/r:end": "GET, DELETE, POST, HEAD, OPTIONS",
	} {
		if got := g.do(http.MethodPatch, path, ""); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != want {
			t.Errorf("%s: %d %q", path, got.StatusCode, got.Header.Get("Allow"))
		}
		if got := g.do(http.MethodOptions, path, ""); got.StatusCode != http.StatusNoContent || got.Header.Get("Allow") != want || got.Text != "" {
			t.Errorf("%s: %d %q %s", path, got.StatusCode, got.Header.Get("Allow"), got.Text)
		}
	}
	if got := g.do(http.MethodHead, "/v1/tools", ""); got.StatusCode != http.StatusOK || got.Text != "" || got.ContentLength < 10 {
		t.Errorf("HEAD: %d %d bytes", got.StatusCode, got.ContentLength)
	}
}

func TestTheDeadlineIsTheCallers(t *testing.T) {
	for text, seconds := range map[string]float64{"2s": 2, "1500ms": 1.5, "3": 3, "0.5": .5} {
		synctest.Test(t, func(t *testing.T) {
			g := start(t, servertest.Hang)
			begun := now()
			got := g.call("find", `{"run_id":"r","arguments":{"n":1}}`, "Toolgate-Timeout", text)
			took := since(begun)
			if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.Text, `"error":"timeout"`) || took > seconds || took < seconds/2 {
				t.Errorf("%s: %d %s after %v s", text, got.StatusCode, got.Text, took)
			}
		})
	}
}

func TestAFullGatewaySaysWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t, servertest.After(5*second, servertest.Respond(200, "{}")))
		g := startWith(t, servertest.Load(t, catalogue, upstream), upstream, func(c *server.Config) { c.MaxInFlight = 1 })
		first := make(chan answer, 1)
		go func() { first <- g.call("find", `{"run_id":"r"}`) }()
		synctest.Wait()
		got := g.call("find", `{"run_id":"r","arguments":{"n":2}}`)
		if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" || !strings.Contains(got.Text, `"reason":"GATEWAY_FULL"`) {
			t.Errorf("%d %v %s", got.StatusCode, got.Header, got.Text)
		}
		if got := <-first; got.StatusCode != http.StatusOK {
			t.Errorf("%d %s", got.StatusCode, got.Text)
		}
	})
}
