package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

const secretCatalogue = `
upstreams:
  api:
    url: http://upstream.test
    secret_headers:
      Authorization: {from: "env:TOOLGATE_TEST_SECRET", prefix: "Bearer "}
defaults: {backoff: 10ms, rejection_cap: 0}
tools:
  - name: read
    description: Reads.
    upstream: api
    http: {method: GET, url: /read}
    input_schema: {type: object}
  - name: write
    description: Writes.
    upstream: api
    http: {method: POST, url: /write}
    input_schema: {type: object}
  - name: strict
    description: Takes a password.
    upstream: api
    http: {method: POST, url: /strict}
    input_schema:
      type: object
      properties: {password: {type: integer}, n: {type: integer}}
      additionalProperties: false
`

const (
	ownSecret = "own-canary-4f9c2d71e8"
	planted   = "hunter2-canary-77ab"
)

// echo answers as the worst of servers do: with everything it knows.
func echo(status int) servertest.Step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"code":"broken","message":"key %s failed; postgres://app:%s@db.internal:5432/x password=%s"},
			"trace":"Traceback (most recent call last):\n  File \"/srv/app/x.py\", line 3, in f\n    connect('%s')\nValueError: no"}`,
			r.Header.Get("Authorization"), planted, planted, planted)
	}
}

func TestNoSecretLeavesInAnyResponseLogLineOrMetric(t *testing.T) {
	t.Setenv("TOOLGATE_TEST_SECRET", ownSecret)
	bubble(t, secretCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		var out strings.Builder
		for i, status := range []int{301, 302, 400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 423, 429, 451, 500, 501, 502, 503, 504, 520, 529} {
			up.Script(echo(status))
			for _, tool := range []string{"read", "write"} {
				resp := g.Call(t, fmt.Sprint("run", i), tool, fmt.Sprintf(`{"i":%d}`, i))
				out.WriteString(protojson.Format(resp))
				checkInvariants(t, resp.GetError())
			}
			time.Sleep(2 * time.Minute) // past every cooldown and open circuit
		}
		for _, arguments := range []string{
			`{"password":"` + planted + `"}`, `{"password":{"x":"` + planted + `"}}`, `{"password":"` + planted, `{"n":"` + "x" + `","password":["` + planted + `"]}`,
		} {
			resp := g.Call(t, "arguments", "strict", arguments)
			out.WriteString(protojson.Format(resp))
			checkInvariants(t, resp.GetError())
		}
		up.Script(echo(200)) // an answer is the tool's own data, but our key is not
		if answer := g.Call(t, "answer", "read", `{}`); answer.GetResult() == nil || strings.Contains(answer.String(), ownSecret) {
			t.Errorf("got %v", answer)
		}
		report, err := g.Client.GetFailureReport(context.Background(), &toolgatev1.GetFailureReportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(protojson.Format(report))
		out.WriteString(g.Log())
		out.WriteString(metrics(t, g))
		for _, secret := range []string{ownSecret, planted, "db.internal", "/srv/app"} {
			if at := strings.Index(out.String(), secret); at >= 0 {
				t.Errorf("%q leaked: …%s…", secret, out.String()[max(0, at-200):min(out.Len(), at+100)])
			}
		}
		if !strings.Contains(g.Log(), "tool call failed") || !strings.Contains(metrics(t, g), "toolgate_calls_total") {
			t.Error("nothing was logged or counted: the test proves nothing")
		}
	})
}

func metrics(t *testing.T, g *servertest.Gateway) string {
	t.Helper()
	families, err := g.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	encoder := expfmt.NewEncoder(&out, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// checkInvariants holds one error against section 1 of the contract.
func checkInvariants(t *testing.T, e *toolgatev1.ToolError) {
	t.Helper()
	if e == nil {
		return
	}
	bare := proto.CloneOf(e)
	bare.Observation = ""
	for what, broken := range map[string]bool{
		"retry_after on transient alone, and on each":     (e.RetryAfter != nil) != (e.GetErrorClass() == transient),
		"an invalid request without a violation":          e.GetErrorClass() == invalid && len(e.GetViolations())+len(e.GetAlternatives()) == 0,
		"more than three alternatives":                    len(e.GetAlternatives()) > 3,
		"unblock_with without blocked_by":                 e.GetUnblockWith() != "" && e.GetBlockedBy() == "",
		"exhausted, yet not transient":                    e.GetExhausted() && e.GetErrorClass() != transient,
		"partial and transient":                           e.GetPartial() && e.GetErrorClass() == transient,
		"no class":                                        e.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED,
		"nobody decided":                                  e.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_UNSPECIFIED,
		"no code":                                         e.GetCode() == "",
		"no correlation id":                               e.GetCorrelationId() == "",
		"the correlation id is in the observation":        strings.Contains(e.GetObservation(), e.GetCorrelationId()),
		"over 4 KiB without the observation":              proto.Size(bare) > 4096,
		"over 8 KiB":                                      proto.Size(e) > 8192,
		"an observation over 1,024 bytes":                 len(e.GetObservation()) > 1024,
		"the observation's class is another":              !strings.Contains(e.GetObservation(), `"class":"`),
		"no status for those who look only there":         e.GetHttpStatus() == 0 || e.GetGrpcCode() == 0,
		"a message over 512 bytes, a note over 160 bytes": len(e.GetMessage()) > 512 || len(e.GetNote()) > 160,
	} {
		if broken {
			t.Errorf("%s: %v", what, e)
		}
	}
}

func TestTheInvariantsHoldForEveryAnswerOfABadServer(t *testing.T) {
	bodies := []string{"", "null", "[]", "{}", `"text"`, "<html><body>x</body></html>", strings.Repeat("A", 3<<20), "\xff\xfe\x00",
		`{"error":null}`, `{"errors":[]}`, `{"message":"` + strings.Repeat(`\u202e`, 4000) + `"}`, strings.Repeat(`{"a":`, 5000)}
	kinds := []string{"application/json", "text/html", "text/plain", "application/problem+json", "application/xml", ""}
	t.Setenv("TOOLGATE_TEST_SECRET", ownSecret)
	bubble(t, secretCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		n := 0
		for status := 200; status < 600; status += 7 {
			for _, kind := range kinds {
				body := bodies[n%len(bodies)]
				n++
				up.Script(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", kind)
					w.Header().Set("Retry-After", []string{"", "soon", "-3", "1e400", "2"}[n%5])
					w.WriteHeader(status)
					_, _ = io.WriteString(w, body)
				})
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				resp, err := g.Try(ctx, fmt.Sprint("run", n), "write", fmt.Sprintf(`{"n":%d}`, n))
				cancel()
				if err != nil {
					t.Errorf("status %d, %q: %v", status, kind, err)
				}
				checkInvariants(t, resp.GetError())
				time.Sleep(2 * time.Minute)
			}
		}
	})
}
