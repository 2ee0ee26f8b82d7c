package server_test

import (
	"net/http"
	"testing"
	"time"

	"toolgate.dev/toolgate/server/servertest"
)

const writeCatalogue = `
upstreams:
  api: {url: http://upstream.test}
defaults:
  attempt_timeout: 2s
  backoff: 10ms
tools:
  - name: pay
    description: Pays.
    upstream: api
    http: {method: POST, url: /payments}
    input_schema: {type: object, properties: {reference: {type: string}, amount: {type: number}}}
    verify_with:
      tool: find_payment
      not_executed: error.code == "no_such_payment" && arguments.reference == unknown.reference
      executed: result.reference == unknown.reference
  - name: find_payment
    description: Finds.
    upstream: api
    http: {method: GET, url: "/payments/{reference}"}
    input_schema: {type: object, properties: {reference: {type: string}}, required: [reference]}
  - name: pay_once
    description: Pays under a key.
    upstream: api
    http: {method: POST, url: /keyed}
    idempotency_key: {in: header, name: Idempotency-Key}
    input_schema: {type: object, properties: {reference: {type: string}}}
`

func TestAWriteThatTimedOutIsNotRepeatedUntilItIsKnownNotToHaveHappened(t *testing.T) {
	bubble(t, writeCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		const call = `{"reference":"a-1","amount":5.00}`
		up.Script(servertest.Hang)
		e := wantError(t, g.Call(t, "r", "pay", call), terminal, "outcome_unknown")
		if !e.GetMaybeExecuted() || e.GetUnblockWith() != "find_payment" || e.GetBlockedBy() != "unknown_outcome" || e.GetAttempts() != 1 {
			t.Errorf("got %v", e)
		}
		wantRequests(t, up, 1)
		time.Sleep(20 * time.Minute) // unknown outcomes live as long as the run
		wantError(t, g.Call(t, "r", "pay", call), terminal, "outcome_unknown")
		wantRequests(t, up, 1)

		absent := servertest.Respond(http.StatusNotFound, `{"error":{"code":"no_such_payment"}}`)
		up.Script(absent)
		wantError(t, g.Call(t, "r", "find_payment", `{"reference":"another"}`), invalid, "no_such_payment")
		wantError(t, g.Call(t, "r", "pay", call), terminal, "outcome_unknown")
		wantError(t, g.Call(t, "r", "find_payment", `{"reference":"a-1"}`), invalid, "no_such_payment")
		up.Script(servertest.Respond(http.StatusCreated, `{"paid":true}`))
		if resp := g.Call(t, "r", "pay", call); resp.GetResult() == nil {
			t.Errorf("not lifted: %v", resp)
		}
	})
}

func TestAWriteThatIsKnownToHaveHappenedIsNeverRepeated(t *testing.T) {
	bubble(t, writeCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		const call = `{"reference":"a-1","amount":5.00}`
		up.Script(servertest.Reset)
		wantError(t, g.Call(t, "r", "pay", call), terminal, "outcome_unknown")
		up.Script(servertest.Respond(200, `{"reference":"a-1"}`))
		g.Call(t, "r", "find_payment", `{"reference":"a-1"}`)
		before := up.Count()
		wantError(t, g.Call(t, "r", "pay", call), terminal, "already_executed")
		wantRequests(t, up, before)
	})
}

func TestUnderOneKeyAWriteIsRepeatedAndALaterIdenticalCallReusesIt(t *testing.T) {
	bubble(t, writeCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		const call = `{"reference":"k-1"}`
		up.Script(servertest.Hang)
		e := wantError(t, g.Call(t, "r", "pay_once", call), transient, "timeout")
		if !e.GetMaybeExecuted() || e.GetAttempts() < 2 {
			t.Errorf("got %v", e)
		}
		time.Sleep(2 * time.Minute)
		up.Script(servertest.Respond(200, `{"paid":true}`))
		if resp := g.Call(t, "r", "pay_once", call); resp.GetResult() == nil {
			t.Fatalf("got %v", resp)
		}
		keys := map[string]bool{}
		for _, r := range up.Requests() {
			keys[r.Header.Get("Idempotency-Key")] = true
		}
		if len(keys) != 1 || keys[""] {
			t.Errorf("keys %v, want one", keys)
		}
		g.Call(t, "r", "pay_once", call) // a new call of its own
		requests := up.Requests()
		if last := requests[len(requests)-1].Header.Get("Idempotency-Key"); keys[last] || last == "" {
			t.Errorf("a new call went out under the old key %q", last)
		}
	})
}

func TestThreeWritesThatTimeOutTripNoCap(t *testing.T) {
	bubble(t, writeCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Reset)
		for _, call := range []string{`{"reference":"1"}`, `{"reference":"2"}`, `{"reference":"3"}`, `{"reference":"4"}`} {
			if e := wantError(t, g.Call(t, "r", "pay", call), terminal, "outcome_unknown"); e.GetRejectionsInRun() != 0 {
				t.Errorf("counted: %v", e)
			}
		}
		wantRequests(t, up, 4)
	})
}
