package redis

import (
	"context"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

func TestACallerWhoLeavesAmidAClaimLeavesNoClaimBehind(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server)
	open := func(url string) *Ledger {
		l, err := Open(url, memory.New(), WithWait(20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l
	}
	one, other := open(proxy.URL), open(server.URL)
	run := interceptors.RunKey{Principal: "p", ID: "r"}
	same := interceptors.Key{1}

	if _, err := one.Claim(t.Context(), run, "before", same, false); err != nil {
		t.Fatal(err) // now the server knows the script
	}
	proxy.Allow(0)
	ctx, leave := context.WithCancel(t.Context())
	claimed := make(chan interceptors.Claim, 1)
	go func() {
		claim, err := one.Claim(ctx, run, "id", same, false)
		if err != nil {
			claim.State = interceptors.ClaimRunning // whatever it is: not taken
		}
		claimed <- claim
	}()
	proxy.AwaitHeld(1) // the server has it by now
	leave()
	proxy.Open()
	if claim := <-claimed; claim.State == interceptors.ClaimTaken { // else nobody knows that there is one to release
		if err := one.ReleaseClaim(context.WithoutCancel(ctx), run, "id"); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patient); ; {
		claim, err := other.Claim(t.Context(), run, "id", same, false)
		if err != nil {
			t.Fatal(err)
		}
		if claim.State == interceptors.ClaimTaken {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody runs the call, and the other replica is told %v", claim.State)
		}
	}
}
