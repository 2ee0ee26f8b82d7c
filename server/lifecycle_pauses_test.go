package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgate.dev/toolgate/server/servertest"
)

func TestAWaitThatOneRunLearnedIsHonouredByAll(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(429, "", "Retry-After", "2"), okay)
		g.Call(t, "first", "healthy", number(0)) // meets the limit, and waits
		first := up.Requests()[0].At
		up.Script(servertest.Respond(429, "", "Retry-After", "2"), okay)
		before := up.Count()
		crowd(10, func(n int) {
			if resp := g.Call(t, fmt.Sprint("run-", n), "healthy", number(n)); resp.GetResult() == nil {
				t.Errorf("run %d: %v", n, resp)
			}
		})
		requests := up.Requests()
		if early := requests[1].At.Sub(first); early < 2*time.Second {
			t.Errorf("the second request came after %v", early)
		}
		for _, request := range requests[before:] { // those beyond the probing ones wait for the hint
			since := request.At.Sub(requests[before].At)
			if since > 250*time.Millisecond && since < 2*time.Second {
				t.Errorf("a request arrived %v after the limit was told", since)
			}
		}
	})
}

// crowd does something many times at once.
func crowd(n int, do func(n int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// bucket answers so many requests a second, and the others with 429.
func bucket(perSecond int, refused *atomic.Int64) servertest.Step {
	var mu sync.Mutex
	var window time.Time
	served := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if time.Since(window) >= time.Second {
			window, served = time.Now(), 0
		}
		served++
		over, left := served > perSecond, time.Second-time.Since(window)
		mu.Unlock()
		if over {
			refused.Add(1)
			servertest.Respond(429, "", "Retry-After-Ms", fmt.Sprint(left.Milliseconds()+1))(w, r)
			return
		}
		okay(w, r)
	}
}

func TestABurstAtALimitedUpstreamIsNoStampede(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		var refused atomic.Int64
		up.Script(servertest.After(20*time.Millisecond, bucket(10, &refused)))
		var served atomic.Int64
		crowd(200, func(n int) {
			ctx, leave := context.WithTimeout(t.Context(), 5*time.Second)
			defer leave()
			resp, err := g.Try(ctx, fmt.Sprint("run-", n), "healthy", number(n))
			switch {
			case err != nil:
				t.Errorf("call %d: %v", n, err)
			case resp.GetResult() != nil:
				served.Add(1)
			case resp.GetError().GetErrorClass() != transient || resp.GetError().GetRetryAfter() <= 0:
				t.Errorf("call %d: %v", n, resp)
			}
		})
		if got := refused.Load(); got > 40 {
			t.Errorf("200 calls met the limit %d times", got)
		}
		if got := served.Load(); got < 10 {
			t.Errorf("%d calls were served in 5 s", got)
		}
	})
}

func TestOnlyWhatSaysThatItIsDownOpensTheCircuit(t *testing.T) {
	faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(404, `{"message":"no such issue"}`))
		for n := range 8 {
			wantError(t, g.Call(t, fmt.Sprint("run-", n), "get_issue", number(n)), invalid, "")
		}
		up.Script(rejected)
		for n := range 8 {
			wantError(t, g.Call(t, fmt.Sprint("other-", n), "get_issue", number(n)), invalid, "bad_id")
		}
		up.Script(okay)
		if resp := g.Call(t, "r", "get_issue", number(1)); resp.GetResult() == nil {
			t.Errorf("semantic answers opened the circuit: %v", resp)
		}
		wantError(t, g.Call(t, "r", "closed", number(1)), transient, "") // five refusals
		e := wantError(t, g.Call(t, "r", "closed", number(2)), transient, "circuit_open")
		if len(e.GetAlternatives()) != 0 || e.GetRetryAfter() <= 0 || e.GetRetryAfter() > 30 {
			t.Errorf("got %v", e)
		}
		for _, invitation := range []string{"alternative approach", "another way", "workaround", "try "} {
			if strings.Contains(strings.ToLower(e.GetObservation()), invitation) {
				t.Errorf("the text invites to a way around: %s", e.GetObservation())
			}
		}
	})
}

func TestAProbeThatHangsOrIsLeftDoesNotKeepTheCircuitOpen(t *testing.T) {
	for name, probe := range map[string]func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream){
		"hangs": func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			up.Script(servertest.Hang)
			ctx, leave := context.WithTimeout(t.Context(), 3*time.Second)
			defer leave()
			_, _ = g.Try(ctx, "probe", "get_issue", number(1))
		},
		"is left": func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			up.Script(servertest.Hang)
			ctx, leave := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, leave)
			_, _ = g.Try(ctx, "probe", "get_issue", number(1))
		},
		"is not let in": func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			up.Script(servertest.Respond(401, ""))
			g.Call(t, "probe", "get_issue", number(1))
		},
		"meets a limit": func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			up.Script(servertest.Respond(429, "", "Retry-After", "30"))
			g.Call(t, "probe", "get_issue", number(1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			faultBubble(t, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
				up.Script(unavailable)
				wantError(t, g.Call(t, "r", "get_issue", number(0)), transient, "")
				wantError(t, g.Call(t, "r", "get_issue", number(2)), transient, "circuit_open")
				time.Sleep(31 * time.Second)
				probe(t, g, up)
				up.Script(okay)
				time.Sleep(31 * time.Second) // a hint of the probe's has passed
				if resp := g.Call(t, "later", "get_issue", number(3)); resp.GetResult() == nil {
					t.Errorf("nobody may go: %v", resp)
				}
			})
		})
	}
}
