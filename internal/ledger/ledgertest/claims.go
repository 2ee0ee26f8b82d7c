package ledgertest

import (
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func claimTrials() []trial {
	return []trial{
		{"a claim runs, settles, and tells its outcome", func(t *book) {
			t.wantClaim("id", 1, interceptors.ClaimTaken)
			t.wantClaim("id", 1, interceptors.ClaimRunning)
			t.settle("id", result("done"))
			if got := t.wantClaim("id", 1, interceptors.ClaimSettled); !proto.Equal(got, result("done")) {
				t.Errorf("got %v", got)
			}
		}},
		{"one of many gets the claim", func(t *book) {
			var taken atomic.Int32
			t.together(50, func(int) {
				if t.claim("id", 1).State == interceptors.ClaimTaken {
					taken.Add(1)
				}
			})
			if taken.Load() != 1 {
				t.Errorf("%d of 50 calls took one id", taken.Load())
			}
		}},
		{"an id belongs to its call, running and ended", func(t *book) {
			t.claim("id", 1)
			t.wantClaim("id", 2, interceptors.ClaimOther)
			t.settle("id", result("done"))
			t.wantClaim("id", 2, interceptors.ClaimOther)
			t.wantFreshClaim("id", 2, interceptors.ClaimOther)
		}},
		{"ids of other runs are other ids", func(t *book) {
			t.claim("id", 1)
			other := interceptors.RunKey{Principal: run.Principal, ID: "another"}
			claim, err := t.ledger.Claim(t.Context(), other, "id", key(2), false)
			t.must(err)
			if claim.State != interceptors.ClaimTaken {
				t.Errorf("got state %d", claim.State)
			}
		}},
		{"a released id is free, for another call too", func(t *book) {
			t.claim("id", 1)
			t.must(t.ledger.ReleaseClaim(t.Context(), run, "id"))
			t.wantClaim("id", 2, interceptors.ClaimTaken)
		}},
		{"a settled claim is not released, and not settled again", func(t *book) {
			t.claim("id", 1)
			t.settle("id", result("first"))
			t.must(t.ledger.ReleaseClaim(t.Context(), run, "id"))
			t.settle("id", result("second"))
			if got := t.wantClaim("id", 1, interceptors.ClaimSettled); !proto.Equal(got, result("first")) {
				t.Errorf("got %v", got)
			}
		}},
		{"what was never claimed is not settled", func(t *book) {
			t.snapshot()
			t.settle("id", result("stray"))
			t.wantClaim("id", 1, interceptors.ClaimTaken)
		}},
		{"fresh replaces what has ended, never what runs", func(t *book) {
			t.claim("id", 1)
			t.wantFreshClaim("id", 1, interceptors.ClaimRunning)
			t.settle("id", result("old"))
			t.wantFreshClaim("id", 1, interceptors.ClaimTaken)
			t.wantClaim("id", 1, interceptors.ClaimRunning)
			t.settle("id", result("new"))
			if got := t.wantClaim("id", 1, interceptors.ClaimSettled); !proto.Equal(got, result("new")) {
				t.Errorf("got %v", got)
			}
		}},
		{"an outcome is kept for ten minutes", func(t *book) {
			t.claim("id", 1)
			t.wait(20 * time.Minute) // a running call is not forgotten
			t.wantClaim("id", 1, interceptors.ClaimRunning)
			t.settle("id", result("done"))
			t.wait(10*time.Minute - time.Second)
			t.wantClaim("id", 1, interceptors.ClaimSettled)
			t.wait(time.Second)
			t.wantClaim("id", 2, interceptors.ClaimTaken)
		}},
		{"an outcome of 256 KiB is kept, a larger one is told as too large", func(t *book) {
			fits := result(strings.Repeat("x", 256<<10-64))
			t.claim("fits", 1)
			t.settle("fits", fits)
			if got := t.wantClaim("fits", 1, interceptors.ClaimSettled); !proto.Equal(got, fits) {
				t.Error("it came back changed")
			}
			t.claim("large", 1)
			t.settle("large", result(strings.Repeat("x", 256<<10)))
			t.wantClaim("large", 1, interceptors.ClaimTooLarge)
			t.wantClaim("large", 2, interceptors.ClaimOther)
			t.wantFreshClaim("large", 1, interceptors.ClaimTaken)
		}},
		{"past 64 MiB the oldest outcome is lost, and known as lost", func(t *book) {
			large := result(strings.Repeat("x", 255<<10))
			for n := range 260 {
				id := string(rune('a' + n))
				t.claim(id, 1)
				t.settle(id, large)
			}
			t.wantClaim(string(rune('a')), 1, interceptors.ClaimLost)
			t.wantClaim(string(rune('a'+259)), 1, interceptors.ClaimSettled)
			t.wantClaim(string(rune('a'+10)), 1, interceptors.ClaimSettled)
		}},
		{"an outcome can be told as lost", func(t *book) {
			t.claim("id", 1)
			t.settle("id", nil)
			t.wantClaim("id", 1, interceptors.ClaimLost)
			t.wantFreshClaim("id", 1, interceptors.ClaimTaken)
		}},
	}
}

func result(text string) *toolgatev1.CallToolResponse {
	return (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: text, Attempts: 1}}).Response()
}

func (b *book) claim(id string, n byte) interceptors.Claim {
	b.Helper()
	claim, err := b.ledger.Claim(b.Context(), run, id, key(n), false)
	b.must(err)
	return claim
}

func (b *book) wantClaim(id string, n byte, want interceptors.ClaimState) *toolgatev1.CallToolResponse {
	b.Helper()
	claim := b.claim(id, n)
	if claim.State != want {
		b.Errorf("call %d claims %q: state %d, want %d", n, id, claim.State, want)
	}
	return claim.Response
}

func (b *book) wantFreshClaim(id string, n byte, want interceptors.ClaimState) {
	b.Helper()
	claim, err := b.ledger.Claim(b.Context(), run, id, key(n), true)
	b.must(err)
	if claim.State != want {
		b.Errorf("fresh call %d claims %q: state %d, want %d", n, id, claim.State, want)
	}
}

func (b *book) settle(id string, response *toolgatev1.CallToolResponse) {
	b.Helper()
	b.must(b.ledger.SettleClaim(b.Context(), run, id, response))
}
