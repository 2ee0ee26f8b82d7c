package server_test

import (
	"context"
	"sync"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/ledger/redis"
	"toolgate.dev/toolgate/internal/redistest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// trips is a gateway whose Redis answers only so often.
func trips(t *testing.T) (*servertest.Gateway, *redistest.Proxy) {
	t.Helper()
	proxy := redistest.StartProxy(t, redistest.Start(t))
	ledger, err := redis.Open(proxy.URL, memory.New(), redis.WithWait(replicaWait), redis.WithLease(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ledger.Close)
	t.Cleanup(proxy.Open)
	upstream := servertest.NewUpstream(t, fine)
	g := servertest.Start(t, servertest.Load(t, replicaCatalogue, upstream), func(c *server.Config) { c.Ledger = ledger })
	for _, id := range []string{"", "warm"} { // the scripts are loaded by their first use
		g.Call(t, "warm", "find", `{}`, servertest.ID(id))
		g.Call(t, "warm", "book", `{"slot":1}`, servertest.ID(id+"2"))
	}
	// Nothing of those calls is under way any more.
	if _, err := g.Client.GetRun(t.Context(), &toolgatev1.GetRunRequest{RunId: "warm"}); err != nil {
		t.Fatal(err)
	}
	return g, proxy
}

func TestACallWaitsForOneAnswerOfTheKeeper(t *testing.T) {
	for name, id := range map[string]string{"without a call id": "", "with one": "c1"} {
		for tool, arguments := range map[string]string{"find": `{}`, "book": `{"slot":1}`} {
			t.Run(tool+" "+name, func(t *testing.T) {
				g, proxy := trips(t)
				proxy.Allow(1)
				if resp := g.Call(t, "run", tool, arguments, servertest.ID(id)); resp.GetResult() == nil {
					t.Errorf("got %v", resp)
				}
				if passed := proxy.Passed(); passed != 1 {
					t.Errorf("%d answers were waited for", passed)
				}
				proxy.AwaitHeld(1) // what follows the call is on its way
			})
		}
	}
}

func TestACallWaitsForTheKeeperAtAll(t *testing.T) {
	g, proxy := trips(t)
	proxy.Allow(0)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if resp, err := g.Try(ctx, "run", "find", `{}`); err == nil {
			t.Errorf("got %v", resp)
		}
	})
	proxy.AwaitHeld(1)
	cancel()
	all.Wait()
}

func TestASuccessAfterAFailureWaitsUntilTheFailureIsForgiven(t *testing.T) {
	g, proxy := trips(t)
	g.Call(t, "run", "book", `{}`) // the schema refuses it: a rejection
	proxy.Allow(1)
	done := make(chan *toolgatev1.CallToolResponse, 1)
	go func() { done <- g.Call(t, "run", "book", `{"slot":1}`) }()
	proxy.AwaitHeld(1)
	select {
	case resp := <-done:
		t.Errorf("it did not wait: %v", resp)
	default:
	}
	proxy.Open()
	if resp := <-done; resp.GetResult() == nil {
		t.Errorf("got %v", resp)
	}
}
