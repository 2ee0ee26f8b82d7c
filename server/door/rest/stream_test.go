package rest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"toolgate.dev/toolgate/server/servertest"
)

const eventStream = "text/event-stream"

func TestACallTellsOfItsWaitsAndThenOfItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.Respond(503, "{}"), servertest.Respond(503, "{}"), servertest.Respond(200, "{\n\"a\": 1.0\n}"))
		got := g.call("find", `{"run_id":"r","arguments":{"n":1}}`, "Accept", "application/json;q=0.5, "+eventStream)
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != eventStream || got.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", got.StatusCode, got.Header, got.Text)
		}
		var phases []string
		all := events(t, got.Text)
		for _, e := range all[:len(all)-1] {
			conform(t, "Progress", e.Data)
			_, phase, _ := strings.Cut(e.Data, `"phase":"`)
			phase, _, _ = strings.Cut(phase, `"`)
			phases = append(phases, e.Name+" "+phase)
		}
		if want := "progress attempt,progress wait,progress attempt,progress wait,progress attempt"; strings.Join(phases, ",") != want {
			t.Errorf("got %v", phases)
		}
		last := all[len(all)-1]
		conform(t, "Done", last.Data)
		if last.Name != "done" || last.Data != `{"index":0,"status":200,"result":{"structured":{"a":1.0},"attempts":3}}` {
			t.Errorf("got %v", last)
		}
	})
}

func TestAFailureThatIsStreamedSaysWhatHeadersWouldSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.Respond(503, "{}"))
		got := g.call("find", `{"run_id":"r","arguments":{"n":1}}`, "Accept", eventStream)
		all := events(t, got.Text)
		last := all[len(all)-1]
		conform(t, "Done", last.Data)
		for _, want := range []string{`"status":503`, `"error":{"error":`, `"exhausted":true`, `"attempts":5`, `"upstream_status":503`, `"correlation_id":"`, `"classified_by":"status"`} {
			if last.Name != "done" || !strings.Contains(last.Data, want) {
				t.Errorf("%s is not in %v", want, last)
			}
		}
	})
}

func TestARequestThatCantBeReadIsAnsweredWithoutAStream(t *testing.T) {
	g := start(t)
	got := g.call("find", `{}`, "Accept", eventStream)
	if got.StatusCode != http.StatusBadRequest || got.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(got.Text, "RUN_ID_MISSING") {
		t.Errorf("%d %v %s", got.StatusCode, got.Header, got.Text)
	}
}

func TestAStreamOnWhichNothingHappensIsKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.After(19*second, servertest.Respond(200, "{}")))
		all := events(t, g.call("slow", `{"run_id":"r"}`, "Accept", eventStream).Text)
		if len(all) != 3 || all[0].Name != "progress" || all[1] != (event{"", "waiting"}) || all[2].Name != "done" {
			t.Errorf("got %v", all)
		}
	})
}

// A call that is refused at once is no stream yet; one that runs out of time has
// its outcome in-band.
func TestAStreamBeginsWithItsFirstEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.Hang)
		waiting := make(chan answer, 1)
		go func() {
			waiting <- g.call("pay", `{"run_id":"r","call_id":"c","arguments":{"amount":1}}`, "Accept", eventStream)
		}()
		synctest.Wait()
		got := g.call("pay", `{"run_id":"r","call_id":"c","arguments":{"amount":2}}`, "Accept", eventStream)
		if got.StatusCode != http.StatusBadRequest || !strings.Contains(got.Text, "CALL_ID_REUSED") {
			t.Errorf("%d %s", got.StatusCode, got.Text)
		}
		all := events(t, (<-waiting).Text)
		if last := all[len(all)-1]; last.Name != "done" || !strings.Contains(last.Data, "outcome_unknown") {
			t.Errorf("got %v", all)
		}
	})
}

func TestACallEndsWithACallerThatIsGone(t *testing.T) {
	for _, accept := range []string{"application/json", eventStream} {
		synctest.Test(t, func(t *testing.T) {
			gone := make(chan struct{})
			g := start(t, func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				close(gone)
			})
			ctx, leave := context.WithCancel(t.Context())
			go func() {
				synctest.Wait()
				leave()
			}()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway.test/v1/tools/find:call", strings.NewReader(`{"run_id":"r"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", accept)
			begun := now()
			if resp, err := g.Client.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			<-gone
			if took := since(begun); took > 1 {
				t.Errorf("%s: the tool was held for %v s", accept, took)
			}
		})
	}
}

func TestABatchIsAnsweredInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, servertest.After(second, servertest.Respond(200, `{"a":1}`)), servertest.Respond(200, `{"a":2}`))
		body := `{"run_id":"r","calls":[{"tool":"find","arguments":{"n":1}},{"tool":"nobody"},{"tool":"find","arguments":{"n":01}},{"tool":"pay","call_id":"c","arguments":{"amount":1}}]}`
		got := g.do(http.MethodPost, "/v1/tools:callBatch", body)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", got.StatusCode, got.Text)
		}
		at := 0
		for _, want := range []string{`{"index":0,"status":200,"result":{`, `{"index":1,"status":400,"error":{"error":"unknown_tool"`, `{"index":2,"status":400,"error":{"error":"malformed_json"`, `{"index":3,"status":200,"result":{`} {
			next := strings.Index(got.Text, want)
			if next < at {
				t.Errorf("%s is not in its place in %s", want, got.Text)
			}
			at = next
		}
	})
}

func TestABatchStreamsOutcomesAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := servertest.After(2*second, servertest.Respond(200, `{"slow":true}`))
		g := start(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "n=1" {
				slow(w, r)
				return
			}
			servertest.Respond(200, `{"slow":false}`)(w, r)
		})
		resp := g.open(t.Context(), http.MethodPost, "/v1/tools:callBatch",
			`{"run_id":"r","calls":[{"tool":"find","arguments":{"n":1}},{"tool":"find","arguments":{"n":2}}]}`, "Accept", eventStream)
		defer resp.Body.Close()
		begun := now()
		var seen []string
		lines := bufio.NewScanner(resp.Body)
		for name := ""; lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && name == "done" {
				conform(t, "Done", data)
				seen = append(seen, data[:len(`{"index":0`)])
				if early := len(seen) == 1; early != (since(begun) < 1) {
					t.Errorf("%s came after %v s", data, since(begun))
				}
			}
		}
		if len(seen) != 2 || seen[0] != `{"index":1` || seen[1] != `{"index":0` {
			t.Errorf("got %v", seen)
		}
	})
}

func TestOneSnapshotServesAWholeBatch(t *testing.T) {
	g := start(t)
	var calls []string
	for range 10 {
		calls = append(calls, `{"tool":"find","arguments":{"n":"x"}}`)
	}
	g.do(http.MethodPost, "/v1/tools:callBatch", `{"run_id":"r","calls":[`+strings.Join(calls, ",")+`]}`)
	if got := g.do(http.MethodGet, "/v1/runs/r", ""); !strings.Contains(got.Text, `"rejections":1`) {
		t.Errorf("got %s", got.Text)
	}
}
