package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/sdk/go/tool"
	"toolgate.dev/toolgate/server/servertest"
)

func answer(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	return w
}

func failing(err error) tool.Handler {
	return func(http.ResponseWriter, *http.Request) error { return err }
}

func TestEachFailureHasItsBodyItsStatusAndItsDelay(t *testing.T) {
	for name, c := range map[string]struct {
		failure *tool.Failure
		status  int
		wait    string
		body    string
	}{
		"transient": {
			tool.Transient("maintenance", "Back soon.", 1500*time.Millisecond), 503, "2",
			`{"error":"maintenance","class":"transient","retryable":true,"message":"Back soon.","retry_after":1.5}`,
		},
		"transient without a wait": {
			tool.Transient("busy", "Later.", -time.Second), 503, "",
			`{"error":"busy","class":"transient","retryable":true,"message":"Later.","retry_after":0}`,
		},
		"rate limited": {
			tool.RateLimited("slow_down", "Too fast.", 90*time.Second+time.Nanosecond), 429, "91",
			`{"error":"slow_down","class":"transient","retryable":true,"message":"Too fast.","retry_after":91}`,
		},
		"transient with a wait that no double holds": {
			tool.Transient("busy", "Later.", 1100*time.Millisecond), 503, "2",
			`{"error":"busy","class":"transient","retryable":true,"message":"Later.","retry_after":1.1}`,
		},
		"more accepted values than fit": {
			tool.InvalidRequest("bad", "Wrong.", tool.Violation{Field: "a", Accepted: []string{"x", strings.Repeat("y", 256)}}), 400, "",
			`{"error":"bad","class":"invalid_request","retryable":false,"message":"Wrong.","violations":[{"field":"a","problem":"Wrong.","accepted":["x"],"accepted_truncated":true}]}`,
		},
		"invalid": {
			tool.InvalidRequest("bad", "Wrong.", tool.Violation{Field: "a.b[0]", Accepted: []string{"x", "y"}}), 400, "",
			`{"error":"bad","class":"invalid_request","retryable":false,"message":"Wrong.","violations":[{"field":"a.b[0]","problem":"Wrong.","accepted":["x","y"]}]}`,
		},
		"invalid as a whole": {
			tool.InvalidRequest("bad", "a < b & c"), 400, "",
			`{"error":"bad","class":"invalid_request","retryable":false,"message":"a < b & c","violations":[{"field":"","problem":"a < b & c"}]}`,
		},
		"terminal": {
			tool.Terminal("insufficient_funds", "No money.").BlockedBy("balance", "request_deposit").Facts(map[string]any{"balance": json.Number("42.10")}).
				Alternatives(tool.Alternative{Tool: "pay_later", Arguments: map[string]any{"days": 30}, Label: "in a month"}), 422, "",
			`{"error":"insufficient_funds","class":"terminal","retryable":false,"message":"No money.","facts":{"balance":42.10},` +
				`"alternatives":[{"tool":"pay_later","arguments":{"days":30},"label":"in a month"}],"blocked_by":"balance","unblock_with":"request_deposit"}`,
		},
		"forbidden": {
			tool.Forbidden("not_yours", "Not yours."), 403, "",
			`{"error":"not_yours","class":"terminal","retryable":false,"message":"Not yours.","blocked_by":"permission"}`,
		},
		"transient that may have had an effect": {
			tool.Transient("cut", "Cut.", time.Second).MaybeExecuted(), 500, "",
			`{"error":"cut","class":"terminal","retryable":false,"message":"Cut.","maybe_executed":true}`,
		},
	} {
		w := answer(failing(fmt.Errorf("wrapped: %w", c.failure)))
		if w.Code != c.status || w.Header().Get("Retry-After") != c.wait || w.Body.String() != c.body {
			t.Errorf("%s: %d, %q\n%s", name, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
}

func TestOfAnUnexpectedErrorNothingIsSaid(t *testing.T) {
	const body = `{"error":"internal_error","class":"terminal","retryable":false,"message":"The tool failed for a reason of its own.","maybe_executed":true}`
	var heard any
	secret := errors.New("dsn=postgres://app:secret@10.0.0.5")
	for name, h := range map[string]http.Handler{
		"an error": failing(secret),
		"a panic":  tool.Handler(func(http.ResponseWriter, *http.Request) error { panic(secret) }),
		"a panic in another handler": tool.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }),
			func(_ *http.Request, caught any) { heard = caught }),
	} {
		if w := answer(h); w.Code != 500 || w.Body.String() != body {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if heard != "secret" {
		t.Error("whoever logs heard", heard)
	}
	thrown := tool.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(tool.Terminal("over", "Over.")) }), nil)
	if w := answer(thrown); w.Code != 422 {
		t.Error("a failure that was thrown is no failure:", w.Code)
	}
}

func TestWhatNobodyMeantIsHeardOnce(t *testing.T) {
	secret, meant := errors.New("secret"), tool.Terminal("over", "Over.")
	throwing := tool.Handler(func(http.ResponseWriter, *http.Request) error { panic(secret) })
	for name, c := range map[string]struct {
		handler tool.Handler
		want    int
	}{
		"an error":                  {failing(secret), 1},
		"a panic":                   {throwing, 1},
		"a failure":                 {failing(meant), 0},
		"a failure that was thrown": {func(http.ResponseWriter, *http.Request) error { panic(meant) }, 0},
	} {
		var heard int
		answer(tool.Middleware(c.handler, func(_ *http.Request, fault any) {
			if fault == any(secret) {
				heard++
			}
		}))
		var logged strings.Builder
		server := &http.Server{ErrorLog: slog.NewLogLogger(slog.NewTextHandler(&logged, nil), slog.LevelError)}
		for _, h := range []http.Handler{c.handler, tool.Middleware(c.handler, nil)} {
			request := httptest.NewRequest(http.MethodGet, "/invoices", http.NoBody)
			request = request.WithContext(context.WithValue(request.Context(), http.ServerContextKey, server))
			h.ServeHTTP(httptest.NewRecorder(), request)
		}
		if lines := strings.Count(logged.String(), "GET /invoices failed: "); heard != c.want || lines != 2*c.want {
			t.Errorf("%s: heard %d times, logged %d times\n%s", name, heard, lines, logged.String())
		}
	}
}

func TestHalfAnAnswerIsCut(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"an error": tool.Handler(func(w http.ResponseWriter, _ *http.Request) error {
			_, _ = w.Write([]byte("half"))
			return errors.New("too late")
		}),
		"a panic": tool.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			panic("too late")
		}), nil),
	} {
		func() {
			defer func() {
				if caught := recover(); caught != http.ErrAbortHandler {
					t.Errorf("%s: %v", name, caught)
				}
			}()
			answer(h)
		}()
	}
}

// Whatever a tool says, the failure keeps the contract's bounds.
func TestEveryFailureIsWithinTheBounds(t *testing.T) {
	within := func(code, message, field string, accepted []string, wait int64, n uint8) bool {
		var violations []tool.Violation
		for range n % 20 {
			violations = append(violations, tool.Violation{Field: field, Accepted: accepted, Format: message, Range: message})
		}
		for _, f := range []*tool.Failure{
			tool.Transient(code, message, time.Duration(wait)), tool.InvalidRequest(code, message, violations...), tool.Terminal(code, message),
		} {
			f = f.BlockedBy(code, field).Facts(map[string]any{"m": message}).Alternatives(tool.Alternative{Tool: code, Arguments: map[string]any{"m": message}})
			text, err := f.MarshalJSON()
			e := f.Proto()
			transient := e.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT
			var detail *toolgatev1.ToolError
			for _, d := range f.GRPCStatus().Details() {
				detail, _ = d.(*toolgatev1.ToolError)
			}
			if err != nil || !json.Valid(text) || len(e.GetCode()) > 64 || len(e.GetMessage()) > 512 || !utf8.ValidString(e.GetMessage()) ||
				len(e.GetViolations()) > 8 || len(e.GetAlternatives()) > 3 || transient != (e.RetryAfter != nil) || e.GetRetryAfter() < 0 ||
				(e.GetUnblockWith() != "" && e.GetBlockedBy() == "") || len(e.GetFactsJson()) > 512 ||
				(e.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST && len(e.GetViolations()) == 0) ||
				detail == nil || proto.Size(detail) > 4096 || detail.GetErrorClass() != e.GetErrorClass() {
				t.Log(string(text), proto.Size(detail))
				return false
			}
		}
		return true
	}
	if err := quick.Check(within, nil); err != nil {
		t.Error(err)
	}
	if odd := "caf\xe9"; !within(odd, odd, odd, []string{odd}, 1, 3) {
		t.Error("what is not UTF-8 has no detail")
	}
	long := strings.Repeat("żółw ", 400)
	if !within(long, long, long, []string{long, long}, 1<<62, 19) {
		t.Error("the largest failure is too large")
	}
}

// An alternative that is too large is none, and hides none.
func TestTheAlternativesAreThoseThatFit(t *testing.T) {
	call := func(text string) tool.Alternative {
		return tool.Alternative{Tool: "t", Arguments: map[string]any{"a": text}}
	}
	large := call(strings.Repeat("x", 600))
	for more, f := range map[bool]*tool.Failure{
		false: tool.Terminal("c", "m").Alternatives(large, call("1"), call("2"), call("3")),
		true:  tool.Terminal("c", "m").Alternatives(call("1"), call("2"), call("3"), large, call("4")),
	} {
		if e := f.Proto(); len(e.GetAlternatives()) != 3 || e.GetAlternativesTruncated() != more {
			t.Errorf("%d alternatives, more: %v", len(e.GetAlternatives()), e.GetAlternativesTruncated())
		}
	}
}

func TestAGRPCHandlerReturnsTheFailureAsItsStatus(t *testing.T) {
	for code, f := range map[codes.Code]*tool.Failure{
		codes.Unavailable:        tool.Transient("c", "m", time.Second),
		codes.ResourceExhausted:  tool.RateLimited("c", "m", time.Second),
		codes.InvalidArgument:    tool.InvalidRequest("c", "m"),
		codes.FailedPrecondition: tool.Terminal("c", "m"),
		codes.PermissionDenied:   tool.Forbidden("c", "m"),
		codes.Internal:           tool.Transient("c", "m", time.Second).MaybeExecuted(),
	} {
		var err error = f
		if status.Code(err) != code {
			t.Errorf("%v is %v, want %v", f, status.Code(err), code)
		}
	}
}

// The gateway takes the tool's word.
func TestTheGatewayTakesTheToolsWord(t *testing.T) {
	const tools = `
upstreams:
  bank: {url: http://upstream.test, speaks: toolgate}
tools:
  - name: transfer
    description: Transfers.
    upstream: bank
    http: {method: POST, url: /transfers}
    input_schema: {type: object}
  - name: deposit
    description: Deposits.
    upstream: bank
    http: {method: POST, url: /deposits}
    input_schema: {type: object}
`
	failure := tool.Terminal("insufficient_funds", "42.10 is less than 150.00").BlockedBy("balance", "deposit").
		Facts(map[string]any{"balance": json.Number("42.10")})
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t, failing(failure).ServeHTTP)
		g := servertest.Start(t, servertest.Load(t, tools, upstream))
		failed := g.Call(t, "r", "transfer", `{}`).GetError()
		if failed.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM || failed.GetUnblockWith() != "deposit" ||
			failed.GetFactsJson() != `{"balance":42.10}` || failed.GetErrorClass() != toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL {
			t.Error(failed)
		}
	})
}
