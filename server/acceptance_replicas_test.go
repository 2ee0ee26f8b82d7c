package server_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/ledger/redis"
	"toolgate.dev/toolgate/internal/redistest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// replicas are gateways that share one server, one upstream and one catalogue.
type replicas struct {
	*testing.T
	redis    *redistest.Server
	upstream *servertest.Upstream
	gateways []*servertest.Gateway
	ledgers  []*redis.Ledger
	turn     int
}

const replicaWait = 20 * time.Second // the machine may be busy: this is no test of time

func newReplicas(t *testing.T, n int, catalogue string) *replicas {
	t.Helper()
	r := &replicas{T: t, redis: redistest.Start(t), upstream: servertest.NewUpstream(t)}
	for range n {
		ledger, err := redis.Open(r.redis.URL, memory.New(), redis.WithWait(replicaWait))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(ledger.Close)
		r.ledgers = append(r.ledgers, ledger)
		r.gateways = append(r.gateways, servertest.Start(t, servertest.Load(t, catalogue, r.upstream),
			func(c *server.Config) { c.Ledger = ledger }))
	}
	return r
}

// call sends a call to the next replica, as a balancer does.
func (r *replicas) call(tool, arguments string, changes ...func(*toolgatev1.ToolCall)) *toolgatev1.CallToolResponse {
	r.Helper()
	r.turn++
	return r.gateways[r.turn%len(r.gateways)].Call(r, "run", tool, arguments, changes...)
}

const replicaCatalogue = `
tools:
  - name: book
    description: Books a slot.
    http: {method: POST, url: "http://upstream.test/book"}
    input_schema: {type: object, properties: {slot: {type: integer}}, required: [slot], additionalProperties: false}
  - name: deposit
    description: Adds to the balance.
    http: {method: POST, url: "http://upstream.test/deposit"}
    input_schema: {type: object, properties: {amount: {type: integer}}, additionalProperties: false}
  - name: find
    description: Finds slots.
    http: {method: GET, url: "http://upstream.test/find"}
    input_schema: {type: object, additionalProperties: false}
`

var (
	slotTaken = servertest.Respond(http.StatusUnprocessableEntity, `{"error":{"code":"slot_taken","message":"it is taken"}}`)
	fine      = servertest.Respond(http.StatusOK, `{"ok":true}`)
)

func TestThreeReplicasHoldTheCapExactly(t *testing.T) {
	for round := range 5 {
		r := newReplicas(t, 3, replicaCatalogue)
		r.upstream.Script(slotTaken)
		for n := range 12 {
			e := r.call("book", fmt.Sprintf(`{"slot":%d}`, n)).GetError()
			if want := n >= 3; (e.GetCode() == interceptors.CodeRejectionCap) != want {
				t.Errorf("round %d, call %d: %v", round, n+1, e)
			}
		}
		if got := r.upstream.Count(); got != 3 {
			t.Errorf("round %d: the tool was reached %d times, not 3", round, got)
		}
	}
}

func TestASuccessThroughOneReplicaForgivesAtAll(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	reached := 0
	for round := range 30 {
		r.upstream.Script(slotTaken)
		for n := range 2 {
			r.call("book", fmt.Sprintf(`{"slot":%d}`, 100*round+n))
		}
		r.upstream.Script(fine)
		if resp := r.call("book", fmt.Sprintf(`{"slot":%d}`, 100*round+50)); resp.GetResult() == nil {
			t.Fatalf("round %d: %v", round, resp)
		}
		reached += 3
		if got := r.upstream.Count(); got != reached {
			t.Fatalf("round %d: the tool was reached %d times, not %d", round, got, reached)
		}
	}
}

func TestWavesThroughThreeReplicasCountOnceEach(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	const width = 12
	for wave := range 3 {
		r.upstream.Script(servertest.Barrier(width, slotTaken))
		counts := make([]uint32, width)
		var all sync.WaitGroup
		for n := range width {
			all.Go(func() {
				counts[n] = r.gateways[n%3].Call(t, "run", "book", fmt.Sprintf(`{"slot":%d}`, 100*wave+n)).GetError().GetRejectionsInRun()
			})
		}
		all.Wait()
		for n, count := range counts {
			if count != uint32(wave+1) {
				t.Errorf("wave %d, call %d: the count is %d", wave+1, n, count)
			}
		}
	}
	if e := r.call("book", `{"slot":999}`).GetError(); e.GetCode() != interceptors.CodeRejectionCap {
		t.Errorf("got %v", e)
	}
}

func TestABatchIsOneWaveAtAllReplicas(t *testing.T) {
	r := newReplicas(t, 2, replicaCatalogue)
	const width = 8
	for wave := range 3 {
		r.upstream.Script(servertest.Barrier(width, slotTaken))
		req := &toolgatev1.CallToolsRequest{RunId: "run"}
		for n := range width {
			call := &toolgatev1.ToolCall{Tool: "book", ArgumentsJson: fmt.Sprintf(`{"slot":%d}`, 100*wave+n)}
			if n%2 == 0 {
				call.CallId = fmt.Sprint(wave, "-", n)
			}
			req.Calls = append(req.Calls, call)
		}
		answers := make(chan *toolgatev1.CallToolResponse, width)
		stream(t, r.gateways[wave%2], req, answers)
		for range width {
			if e := (<-answers).GetError(); e.GetRejectionsInRun() != uint32(wave+1) {
				t.Errorf("wave %d: %v", wave+1, e)
			}
		}
	}
	if got := r.upstream.Count(); got != 3*width {
		t.Errorf("the tool was reached %d times", got)
	}
	if e := r.call("book", `{"slot":999}`).GetError(); e.GetCode() != interceptors.CodeRejectionCap {
		t.Errorf("got %v", e)
	}
}

func TestARepeatIsRefusedByWhicheverReplica(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	r.upstream.Script(slotTaken)
	r.call("book", `{"slot":1}`)
	for range 6 {
		if e := r.call("book", `{ "slot": 1 }`).GetError(); e.GetCode() != "slot_taken" || e.GetAttempts() != 0 {
			t.Errorf("got %v", e)
		}
	}
	if got := r.upstream.Count(); got != 1 {
		t.Errorf("the tool was reached %d times", got)
	}
	r.upstream.Script(fine)
	r.call("deposit", `{}`) // changes the world
	if resp := r.call("book", `{"slot":1}`); resp.GetResult() == nil {
		t.Errorf("got %v", resp)
	}
}

func TestAResendThroughAnotherReplicaIsNoSecondCall(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	r.upstream.Script(fine)
	for n := range 20 {
		id := servertest.ID(fmt.Sprintf("call-%d", n))
		for range 4 {
			if resp := r.call("book", fmt.Sprintf(`{"slot":%d}`, n), id); resp.GetResult() == nil {
				t.Fatalf("got %v", resp)
			}
		}
	}
	if got := r.upstream.Count(); got != 20 {
		t.Errorf("20 calls reached the tool %d times", got)
	}
}

func TestAResendWhileTheCallRunsElsewhereWaitsForItsOutcome(t *testing.T) {
	r := newReplicas(t, 2, replicaCatalogue)
	entered, release := make(chan struct{}, 2), make(chan struct{})
	r.upstream.Script(func(w http.ResponseWriter, request *http.Request) {
		entered <- struct{}{}
		<-release
		fine(w, request)
	})
	answers := make(chan *toolgatev1.CallToolResponse, 2)
	call := func(g *servertest.Gateway) { answers <- g.Call(t, "run", "book", `{"slot":1}`, servertest.ID("id")) }
	go call(r.gateways[0])
	<-entered
	go call(r.gateways[1])
	close(release)
	for range 2 {
		if resp := <-answers; resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	}
	if got := r.upstream.Count(); got != 1 {
		t.Errorf("the tool was reached %d times", got)
	}
}

func TestAnUnknownOutcomeIsKnownToEveryReplica(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	r.upstream.Script(servertest.Reset)
	if e := r.call("book", `{"slot":1}`).GetError(); e.GetCode() != interceptors.CodeOutcomeUnknown {
		t.Fatalf("got %v", e)
	}
	r.upstream.Script(fine)
	for range 3 {
		if e := r.call("book", `{"slot":1}`).GetError(); e.GetCode() != interceptors.CodeOutcomeUnknown {
			t.Errorf("got %v", e)
		}
	}
	if got := r.upstream.Count(); got != 1 {
		t.Errorf("the tool was reached %d times", got)
	}
}

func TestARunIsOneRunOfAllReplicas(t *testing.T) {
	r := newReplicas(t, 3, replicaCatalogue)
	r.upstream.Script(fine)
	for range 9 {
		r.call("find", `{}`)
	}
	r.upstream.Script(slotTaken)
	r.call("book", `{"slot":1}`)
	want := uint64(10)
	var got *toolgatev1.RunSummary
	for deadline := time.Now().Add(replicaWait); time.Now().Before(deadline) && got.GetCalls() != want; {
		resp, err := r.gateways[0].Client.GetRun(t.Context(), &toolgatev1.GetRunRequest{RunId: "run"})
		if err != nil {
			t.Fatal(err)
		}
		got = resp.GetRun() // what other replicas wrote last may be on its way
	}
	if got.GetCalls() != want || got.GetResults() != 9 || len(got.GetTools()) != 2 {
		t.Errorf("got %v", got)
	}
}
