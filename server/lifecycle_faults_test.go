package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

const faultCatalogue = `
upstreams:
  api: {url: http://upstream.test}
  gone: {url: http://gone.test}
tools:
  - {name: get_issue, description: Gets., upstream: api, http: {method: GET, url: /issue}, input_schema: {type: object, properties: {id: {type: integer}}}}
  - {name: healthy, description: Gets., upstream: api, http: {method: GET, url: /healthy}, input_schema: {type: object, properties: {id: {type: integer}}}}
  - {name: create, description: Creates., upstream: api, http: {method: POST, url: /issue}, input_schema: {type: object, properties: {id: {type: integer}}}}
  - {name: hasty, description: Creates., upstream: api, http: {method: POST, url: /slow}, policy: {attempt_timeout: 300ms}}
  - {name: needs, description: Acts., upstream: api, http: {method: POST, url: /act}, input_schema: {type: object, properties: {action: {type: string}}, required: [action]}}
  - {name: closed, description: Gets., upstream: gone, http: {method: GET, url: /}, input_schema: {type: object, properties: {id: {type: integer}}}}
  - {name: closed_write, description: Creates., upstream: gone, http: {method: POST, url: /}}
`

// faultBubble runs a story in which nobody listens at the host gone.test.
func faultBubble(t *testing.T, story func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream), options ...servertest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		up := servertest.NewUpstream(t)
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "gone.test") {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return up.Dial(ctx, network, address)
		}
		story(t, servertest.Start(t, servertest.Load(t, faultCatalogue, nil, catalog.WithDial(dial)), options...), up)
	})
}

func number(n int) string { return fmt.Sprintf(`{"id":%d}`, n) }

func TestWhatTimeDoesNotCureIsSentOnceAndToldAtOnce(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 406, 409, 410, 415, 422, 431, 451, 460, 501, 505} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				up.Script(servertest.Respond(status, ``))
				start := time.Now()
				e := g.Call(t, "r", "get_issue", number(1)).GetError()
				if took := time.Since(start); took != 0 || e.GetErrorClass() == transient || e.GetAttempts() != 1 || e.GetExhausted() {
					t.Errorf("after %v: %v", took, e)
				}
				wantRequests(t, up, 1)
			})
		})
	}
}

func TestAWriteThatFailsInsideIsSentOnceAndItsOutcomeIsUnknown(t *testing.T) {
	for name, step := range map[string]servertest.Step{
		"500": servertest.Respond(500, ""), "502": servertest.Respond(502, ""), "504": servertest.Respond(504, ""),
		"reset": servertest.Reset, "cut": servertest.CutBody, "silence": servertest.Hang,
	} {
		t.Run(name, func(t *testing.T) {
			faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				up.Script(step)
				e := wantError(t, g.Call(t, "r", "create", number(1)), terminal, "outcome_unknown")
				if !e.GetMaybeExecuted() || e.GetBlockedBy() != "unknown_outcome" {
					t.Errorf("got %v", e)
				}
				wantRequests(t, up, 1)
			})
		})
	}
}

func TestWhatWasNeverSentAndWhatWasSentInVainAreTwoThings(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		never := wantError(t, g.Call(t, "r", "closed_write", `{}`), transient, "")
		if never.GetMaybeExecuted() || never.GetRetryAfter() <= 0 {
			t.Errorf("got %v", never)
		}
		up.Script(servertest.Reset)
		if e := wantError(t, g.Call(t, "r", "create", number(1)), terminal, "outcome_unknown"); !e.GetMaybeExecuted() {
			t.Errorf("got %v", e)
		}
	})
}

func TestAWriteThatOutlastsItsTimeIsNotBegunAgain(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		var executed atomic.Int64
		up.Script(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second) // it minds nobody who leaves
			executed.Add(1)
			okay(w, r)
		})
		start := time.Now()
		wantError(t, g.Call(t, "r", "hasty", `{}`), terminal, "outcome_unknown")
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("a limit of 300 ms held it for %v", took)
		}
		time.Sleep(time.Minute)
		wantError(t, g.Call(t, "r", "hasty", `{}`), terminal, "outcome_unknown")
		if got := executed.Load(); got != 1 {
			t.Errorf("it was executed %d times", got)
		}
	})
}

func TestAFunctionThatMindsNobodyGivesItsPlaceBack(t *testing.T) {
	const tools = `tools: [{name: deaf, description: Works., function: {}, effect: read, policy: {max_in_flight_per_tool: 1, queue_timeout: 1s, attempt_timeout: 2s, max_attempts: 1}}]`
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var calls atomic.Int64
		deaf := func(context.Context, json.RawMessage) (any, error) {
			if calls.Add(1) < 3 {
				<-stuck
			}
			return "done", nil
		}
		g := servertest.Start(t, servertest.Load(t, tools, nil, catalog.WithFunction("deaf", deaf)))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		if _, err := g.Try(ctx, "r", "deaf", `{}`); time.Since(start) > 250*time.Millisecond {
			t.Errorf("a caller who left was held for %v: %v", time.Since(start), err)
		}
		start = time.Now()
		e := wantError(t, g.Call(t, "r", "deaf", `{"n":1}`), transient, "timeout") // its own limit
		if took := time.Since(start); took > 2100*time.Millisecond || e.GetAttempts() != 1 {
			t.Errorf("after %v: %v", took, e)
		}
		if resp := g.Call(t, "r", "deaf", `{"n":2}`); resp.GetResult() == nil {
			t.Errorf("the place was not given back: %v", resp)
		}
		close(stuck)
	})
}

func TestAToolThatIsDownTakesNoOtherWithIt(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(okay)
		for n := range 3 {
			e := wantError(t, g.Call(t, "r", "closed", number(n)), transient, "")
			if e.GetRetryAfter() <= 0 || len(e.GetAlternatives()) != 0 {
				t.Errorf("got %v", e)
			}
			if resp := g.Call(t, "r", "healthy", number(n)); resp.GetResult() == nil {
				t.Errorf("got %v", resp)
			}
		}
		list, err := g.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{})
		if err != nil || len(list.GetTools()) != 7 {
			t.Errorf("the list has %d tools, %v", len(list.GetTools()), err)
		}
	})
}

func TestAHangingToolStarvesNoOther(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/issue" {
				servertest.Hang(w, r)
				return
			}
			okay(w, r)
		})
		go crowd(600, func(n int) { _, _ = g.Try(t.Context(), fmt.Sprint("run-", n), "get_issue", number(n)) })
		time.Sleep(time.Second)
		for n := range 100 {
			start := time.Now()
			resp := g.Call(t, fmt.Sprint("run-", n), "healthy", number(n))
			if took := time.Since(start); resp.GetResult() == nil || took > 100*time.Millisecond {
				t.Fatalf("beside a hanging tool, after %v: %v", took, resp)
			}
		}
		time.Sleep(2 * time.Minute) // until the hanging ones were given up
		wantError(t, g.Call(t, "r", "get_issue", number(1)), transient, "")
		if resp := g.Call(t, "r", "healthy", number(1)); resp.GetResult() == nil {
			t.Errorf("a circuit that is another tool's keeps it: %v", resp)
		}
	})
}

func TestCallsOfOneIdInManyRunsNeverCross(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.After(time.Second, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"id":`+r.URL.Query().Get("id")+`}`)
		}))
		crowd(100, func(n int) {
			resp := g.Call(t, fmt.Sprint("run-", n), "get_issue", number(n), servertest.ID("1"))
			if got := resp.GetResult().GetStructuredJson(); got != number(n) {
				t.Errorf("call %d was answered %s", n, resp)
			}
		})
		wantRequests(t, up, 100)
	})
}

func TestAMissingArgumentSentAgainAndAgainIsCappedUnsent(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		for n := range 6 {
			e := g.Call(t, "r", "needs", `{}`).GetError()
			want := map[bool]toolgatev1.ErrorClass{true: invalid, false: terminal}[n < 2]
			if e.GetErrorClass() != want || n < 3 && e.GetViolations()[0].GetField() != "action" {
				t.Errorf("call %d: %v", n, e)
			}
		}
		wantRequests(t, up, 0)
		up.Script(okay)
		if resp := g.Call(t, "another", "needs", `{"action":"go"}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	})
}

func TestAnotherToolsSuccessRestoresNothing(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/issue" {
				servertest.Respond(404, "")(w, r) // another id each time
				return
			}
			okay(w, r)
		})
		for n := range 3 {
			if e := g.Call(t, "r", "get_issue", number(n)).GetError(); e.GetRejectionsInRun() != uint32(n+1) {
				t.Errorf("call %d: %v", n, e)
			}
			if resp := g.Call(t, "r", "healthy", number(n)); resp.GetResult() == nil {
				t.Errorf("got %v", resp)
			}
			time.Sleep(5 * time.Minute)
		}
		before := up.Count()
		wantError(t, g.Call(t, "r", "get_issue", number(9)), terminal, "rejection_cap")
		wantRequests(t, up, before)
	})
}

// The upstream's clock is an hour off: what it says is counted from its own Date.
func TestAnInstantIsReadByTheClockOfWhoeverNamesIt(t *testing.T) {
	for name, off := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour, "right": 0} {
		t.Run(name, func(t *testing.T) {
			faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				up.Script(func(w http.ResponseWriter, r *http.Request) {
					there := time.Now().Add(off).UTC()
					servertest.Respond(503, "", "Date", there.Format(http.TimeFormat),
						"Retry-After", there.Add(90*time.Second).Format(http.TimeFormat))(w, r)
				})
				e := wantError(t, g.Call(t, "r", "get_issue", number(1)), transient, "")
				if after := e.GetRetryAfter(); after < 89 || after > 91 {
					t.Errorf("retry_after is %v", after)
				}
			})
		})
	}
}

var errUnheard = errors.New("an error that nobody has heard of")

func TestAFailureThatNobodyKnowsIsNotRepeated(t *testing.T) {
	const tools = `tools: [{name: odd, description: Works., function: {}}]`
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		odd := func(context.Context, json.RawMessage) (any, error) { calls.Add(1); return nil, errUnheard }
		g := servertest.Start(t, servertest.Load(t, tools, nil, catalog.WithFunction("odd", odd)))
		e := g.Call(t, "r", "odd", `{}`).GetError()
		if e.GetErrorClass() == transient || calls.Load() != 1 {
			t.Errorf("%d calls: %v", calls.Load(), e)
		}
	})
}
