package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

const capCatalogue = `
upstreams:
  api: {url: http://upstream.test}
tools:
  - name: lookup
    description: Looks up.
    upstream: api
    http: {method: GET, url: /lookup}
    input_schema: {type: object, properties: {id: {type: string}}, additionalProperties: false}
  - name: transfer
    description: Transfers.
    upstream: api
    http: {method: POST, url: /transfer}
    input_schema: {type: object, properties: {amount: {type: number}}}
    errors:
      - {when: 'status == 422', class: terminal, code: insufficient_funds, blocked_by: balance, unblock_with: deposit}
  - name: deposit
    description: Deposits.
    upstream: api
    http: {method: POST, url: /deposit}
    input_schema: {type: object}
  - name: create
    description: Creates.
    upstream: api
    http: {method: POST, url: /things}
    input_schema: {type: object, properties: {name: {type: string}}}
    errors:
      - {when: 'status == 409', class: terminal, code: exists}
  - name: remove
    description: Deletes.
    upstream: api
    http: {method: DELETE, url: "/things/{name}"}
    input_schema: {type: object, properties: {name: {type: string}}, required: [name]}
  - name: book
    description: Books.
    upstream: api
    http: {method: POST, url: /book}
    input_schema: {type: object, properties: {slot: {type: string}}, required: [slot]}
    errors:
      - {when: 'status == 409', class: terminal, code: taken, alternatives: /free}
`

var (
	rejected = servertest.Respond(http.StatusBadRequest, `{"error":{"code":"bad_id","message":"id is wrong"}}`)
	refused  = servertest.Respond(http.StatusForbidden, `{"error":{"code":"no_access","message":"not yours"}}`)
	okay     = servertest.Respond(http.StatusOK, `{"ok":true}`)
)

func id(i int) string { return fmt.Sprintf(`{"id":"%d"}`, i) }

func TestTwentyIdenticalTerminalCallsReachTheToolOnce(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(refused)
		first := wantError(t, g.Call(t, "r", "lookup", id(1)), terminal, "no_access")
		for range 19 {
			e := wantError(t, g.Call(t, "r", "lookup", id(1)), terminal, "no_access")
			if e.GetAttempts() != 0 || e.GetRejectionsInRun() != first.GetRejectionsInRun() || e.GetNote() == "" {
				t.Errorf("got %v", e)
			}
		}
		wantRequests(t, up, 1)
		g.Call(t, "another run", "lookup", id(1))
		wantRequests(t, up, 2)
	})
}

func TestTwentyIdenticalInvalidCallsReachTheToolOnceAndStopAtTheCap(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(rejected)
		for i := range 20 {
			resp := g.Call(t, "r", "lookup", id(1))
			switch {
			case i < 2:
				wantError(t, resp, invalid, "bad_id")
			case i == 2:
				if e := wantError(t, resp, terminal, "bad_id"); !strings.Contains(e.GetNote(), "3") {
					t.Errorf("the note says nothing of the cap: %q", e.GetNote())
				}
			default:
				wantError(t, resp, terminal, "rejection_cap")
			}
		}
		wantRequests(t, up, 1)
	})
}

func TestTwentyDifferentRejectedCallsReachTheToolThreeTimes(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(rejected)
		for i := range 20 {
			g.Call(t, "r", "lookup", id(i))
		}
		wantRequests(t, up, 3)
	})
}

func TestWavesOfParallelRejectionsCountOnceEach(t *testing.T) {
	bubble(t, strings.Replace(capCatalogue, "tools:", "defaults: {max_in_flight_per_run: 0}\ntools:", 1),
		func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			for wave := 1; wave <= 4; wave++ {
				up.Script(servertest.Barrier(100, rejected))
				before := up.Count()
				counts := parallel(t, g, 100, func(i int) string { return id(wave*1000 + i) })
				switch {
				case wave < 4 && (counts[uint32(wave)] != 100 || up.Count() != before+100):
					t.Errorf("wave %d: counts %v, %d requests", wave, counts, up.Count()-before)
				case wave == 4 && up.Count() != before:
					t.Errorf("the fourth wave reached the tool %d times", up.Count()-before)
				}
			}
		})
}

// parallel makes n calls in two batches and two lone rpcs' worth at once and
// returns how often each count was reported.
func parallel(t *testing.T, g *servertest.Gateway, n int, arguments func(int) string) map[uint32]int {
	t.Helper()
	answers := make(chan *toolgatev1.CallToolResponse, n)
	batch := &toolgatev1.CallToolsRequest{RunId: "r"}
	for i := range n / 2 {
		batch.Calls = append(batch.Calls, &toolgatev1.ToolCall{Tool: "lookup", ArgumentsJson: arguments(i)})
	}
	var asking sync.WaitGroup
	defer asking.Wait() // a stream ends after its last answer
	asking.Go(func() { stream(t, g, batch, answers) })
	for i := n / 2; i < n; i++ {
		asking.Go(func() {
			resp, err := g.Try(context.Background(), "r", "lookup", arguments(i))
			if err != nil {
				t.Error(err)
			}
			answers <- resp
		})
	}
	counts := map[uint32]int{}
	for range n {
		counts[(<-answers).GetError().GetRejectionsInRun()]++
	}
	return counts
}

func stream(t *testing.T, g *servertest.Gateway, batch *toolgatev1.CallToolsRequest, answers chan<- *toolgatev1.CallToolResponse) {
	events, err := g.Client.CallTools(context.Background(), batch)
	if err != nil {
		t.Error(err)
		return
	}
	for {
		event, err := events.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		if event.GetDone() != nil {
			answers <- event.GetDone()
		}
	}
}

func TestAfterTheDepositTheTransferGoesThrough(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(422, `{"error":"insufficient_funds"}`))
		for _, amount := range []string{"150", "140", "130"} {
			e := wantError(t, g.Call(t, "r", "transfer", `{"amount":`+amount+`}`), terminal, "insufficient_funds")
			if e.GetUnblockWith() != "deposit" || e.GetBlockedBy() != "balance" {
				t.Errorf("got %v", e)
			}
		}
		wantError(t, g.Call(t, "r", "transfer", `{"amount":120}`), terminal, "rejection_cap")
		up.Script(okay)
		g.Call(t, "r", "deposit", `{}`)
		if resp := g.Call(t, "r", "transfer", `{"amount":150}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	})
}

func TestAnOfferedSlotIsBookableAboveTheCapAndOnesOwnIsNot(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(409, `{"error":"taken","free":[{"slot":"free-1"},{"slot":"free-2"}]}`))
		for i := range 3 {
			e := wantError(t, g.Call(t, "r", "book", fmt.Sprintf(`{"slot":"own-%d"}`, i)), terminal, "taken")
			if len(e.GetAlternatives()) != 2 {
				t.Fatalf("got %v", e)
			}
		}
		wantError(t, g.Call(t, "r", "book", `{"slot":"own-4"}`), terminal, "rejection_cap")
		wantRequests(t, up, 3)
		if e := wantError(t, g.Call(t, "r", "book", `{"slot":"free-1"}`), terminal, "taken"); e.GetRejectionsInRun() != 3 {
			t.Errorf("an offered slot counted: %v", e)
		}
		up.Script(okay)
		if resp := g.Call(t, "r", "book", `{"slot":"free-2"}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	})
}

func TestSchemaRejectionsMalformedTextAndUnknownNamesCount(t *testing.T) {
	for name, bad := range map[string]func(i int) (tool, arguments string){
		"schema":    func(i int) (string, string) { return "lookup", fmt.Sprintf(`{"idd%d":"x"}`, i) },
		"malformed": func(i int) (string, string) { return "lookup", fmt.Sprintf(`{"id":%d`, i) },
		"unknown":   func(i int) (string, string) { return fmt.Sprint("lookupp", i), `{}` },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				for i := range 5 {
					tool, arguments := bad(i)
					e := g.Call(t, "r", tool, arguments).GetError()
					want := map[bool]toolgatev1.ErrorClass{true: invalid, false: terminal}[i < 2]
					if e.GetErrorClass() != want || (i > 2) != (e.GetCode() == "rejection_cap") {
						t.Errorf("call %d: %v", i, e)
					}
				}
				wantRequests(t, up, 0)
			})
		})
	}
}

func TestCreateExistsDeleteCreateIsNotRefused(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(okay, servertest.Respond(409, `{"error":"exists"}`), okay, okay)
		g.Call(t, "r", "create", `{"name":"a"}`)
		wantError(t, g.Call(t, "r", "create", `{"name":"a"}`), terminal, "exists")
		g.Call(t, "r", "remove", `{"name":"a"}`)
		if resp := g.Call(t, "r", "create", `{"name":"a"}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
		wantRequests(t, up, 4)
	})
}
