package server_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

const readCatalogue = `
upstreams:
  api: {url: http://upstream.test}
tools:
  - name: read
    description: Reads.
    upstream: api
    http: {method: GET, url: /read}
    input_schema:
      type: object
      properties: {id: {type: string}}
      additionalProperties: false
`

// bubble runs a story of one gateway and one upstream in virtual time.
func bubble(t *testing.T, yaml string, story func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		up := servertest.NewUpstream(t)
		story(t, servertest.Start(t, servertest.Load(t, yaml, up)), up)
	})
}

func wantError(t *testing.T, resp *toolgatev1.CallToolResponse, class toolgatev1.ErrorClass, code string) *toolgatev1.ToolError {
	t.Helper()
	e := resp.GetError()
	if e.GetErrorClass() != class || (code != "" && e.GetCode() != code) {
		t.Fatalf("got %v, want %v %s", resp, class, code)
	}
	return e
}

func wantRequests(t *testing.T, up *servertest.Upstream, n int) {
	t.Helper()
	if got := up.Count(); got != n {
		t.Fatalf("%d requests reached the upstream, want %d", got, n)
	}
}

const (
	transient = toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT
	invalid   = toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST
	terminal  = toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL
)

var unavailable = servertest.Respond(http.StatusServiceUnavailable, "")

func TestARestlessReadIsCuredOutOfSight(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(unavailable, unavailable, servertest.Respond(200, `{"ok":true}`))
		resp := g.Call(t, "r", "read", `{}`)
		if resp.GetResult().GetStructuredJson() != `{"ok":true}` || resp.GetResult().GetAttempts() != 3 {
			t.Errorf("got %v", resp)
		}
		wantRequests(t, up, 3)
	})
}

func TestAHintThatDoesNotFitIsHandedOnAtOnce(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(http.StatusServiceUnavailable, "", "Retry-After", "120"))
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		start := time.Now()
		resp, err := g.Try(ctx, "r", "read", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		e := wantError(t, resp, transient, "")
		if e.GetRetryAfter() != 120 || e.GetExhausted() || time.Since(start) > time.Second {
			t.Errorf("got %v after %v", e, time.Since(start))
		}
		wantRequests(t, up, 1)
	})
}

func TestFiveRefusalsExhaustTheCallAndOpenTheCircuitForAll(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(unavailable)
		if e := wantError(t, g.Call(t, "r", "read", `{}`), transient, ""); !e.GetExhausted() || e.GetAttempts() != 5 {
			t.Errorf("got %v", e)
		}
		wantRequests(t, up, 5)
		for run, arguments := range map[string]string{"r": `{"id":"other"}`, "another": `{}`} {
			e := wantError(t, g.Call(t, run, "read", arguments), transient, "circuit_open")
			if e.GetAttempts() != 0 || !e.GetExhausted() || e.GetRetryAfter() <= 0 || e.GetRetryAfter() > 30 {
				t.Errorf("got %v", e)
			}
		}
		wantRequests(t, up, 5)
		time.Sleep(31 * time.Second)
		up.Script(servertest.Respond(200, `{}`))
		if resp := g.Call(t, "another", "read", `{}`); resp.GetResult() == nil {
			t.Errorf("the circuit stayed open: %v", resp)
		}
	})
}

func TestAToolThatNeverAnswersComesBackWithinTheDefaultDeadline(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Hang)
		start := time.Now()
		e := wantError(t, g.Call(t, "r", "read", `{}`), transient, "timeout")
		if !e.GetExhausted() || time.Since(start) > 60*time.Second {
			t.Errorf("got %v after %v", e, time.Since(start))
		}
	})
}

func TestAnAnswerAtTheLastMomentStillArrivesInBand(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Hang)
		for _, total := range []time.Duration{100 * time.Millisecond, 2 * time.Second, 30 * time.Second} {
			ctx, cancel := context.WithTimeout(context.Background(), total)
			resp, err := g.Try(ctx, fmt.Sprint(total), "read", `{}`)
			cancel()
			if err != nil {
				t.Errorf("under %v: %v, want an outcome in-band", total, err)
				continue
			}
			wantError(t, resp, transient, "")
		}
		up.Script(servertest.After(1800*time.Millisecond, servertest.Respond(200, `{"late":1}`)))
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		resp, err := g.Try(ctx, "last", "read", `{"id":"x"}`)
		if err != nil || resp.GetResult().GetStructuredJson() != `{"late":1}` {
			t.Errorf("got %v, %v", resp, err)
		}
	})
}

func TestTheCallersCancellationReachesTheBackEnd(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		gone := make(chan struct{})
		up.Script(func(w http.ResponseWriter, r *http.Request) {
			servertest.Hang(w, r)
			close(gone)
		})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			time.Sleep(50 * time.Millisecond)
			cancel()
		}()
		if _, err := g.Try(ctx, "r", "read", `{}`); err == nil {
			t.Error("want CANCELLED")
		}
		select {
		case <-gone:
		case <-time.After(200 * time.Millisecond):
			t.Error("the back end was not told")
		}
		wantRequests(t, up, 1)
	})
}
