package ledgertest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	transient = interceptors.Transient
	invalid   = interceptors.InvalidRequest
	terminal  = interceptors.Terminal
)

func desk(t *testing.T) *house {
	t.Helper()
	return newHouse(t, map[string]toolgatev1.Effect{"book": writeEffect, "find": readEffect})
}

func bank(t *testing.T) *house {
	t.Helper()
	h := newHouse(t, map[string]toolgatev1.Effect{"transfer": writeEffect, "deposit": writeEffect, "get_transfer": readEffect})
	h.tools["transfer"].Verification = &interceptors.Verification{Tool: "get_transfer", Settle: func(o *interceptors.Outcome, asked, unknown []byte) interceptors.Settlement {
		if o.Error.GetCode() == "not_found" && string(asked) == string(unknown) {
			return interceptors.DidNotExecute
		}
		return interceptors.StillUnknown
	}}
	return h
}

func unblockedBy(tool string) func(*toolgatev1.ToolError) {
	return func(e *toolgatev1.ToolError) { e.BlockedBy, e.UnblockWith = "balance", tool }
}

func offering(arguments ...string) func(*toolgatev1.ToolError) {
	return func(e *toolgatev1.ToolError) {
		for _, a := range arguments {
			e.Alternatives = append(e.Alternatives, &toolgatev1.Alternative{Tool: "book", ArgumentsJson: a})
		}
	}
}

func TestTwentyIdenticalTerminalCallsReachTheToolOnce(t *testing.T) {
	h := desk(t)
	h.answer("book", failsWith(terminal, "taken"))
	for n := range 20 {
		e := h.wantError(h.call("book", `{"slot":1}`), terminal, "taken")
		if e.GetRejectionsInRun() != 1 || (n > 0) != (e.GetAttempts() == 0) {
			t.Errorf("call %d: %v", n, e)
		}
	}
	h.wantReached(1)
}

func TestTwentyIdenticalInvalidCallsReachTheToolOnceAndThenTheCap(t *testing.T) {
	h := desk(t)
	h.answer("book", failsWith(invalid, "bad_date"))
	for n := range 20 {
		got := h.call("book", `{"slot":1}`)
		switch {
		case n < 2:
			h.wantError(got, invalid, "bad_date")
		case n == 2:
			if e := h.wantError(got, terminal, "bad_date"); len(e.GetViolations()) != 1 || !strings.Contains(e.GetNote(), "rejected 3 calls") {
				t.Errorf("the third says %v", e)
			}
		default:
			h.wantError(got, terminal, interceptors.CodeRejectionCap)
		}
	}
	h.wantReached(1)
}

func TestTwentyDifferentRejectedCallsReachTheToolThreeTimes(t *testing.T) {
	for _, class := range []toolgatev1.ErrorClass{invalid, terminal} {
		h := desk(t)
		h.answer("book", failsWith(class, "bad"))
		for n := range 20 {
			h.call("book", fmt.Sprintf(`{"slot":%d}`, n))
		}
		h.wantReached(3)
	}
}

func TestWavesOfParallelRejectionsCountOnceEach(t *testing.T) {
	for name, arguments := range map[string]func(wave, i int) string{
		"of different calls": func(wave, i int) string { return fmt.Sprintf(`{"slot":"%d-%d"}`, wave, i) },
		"of identical calls": func(wave, _ int) string { return fmt.Sprintf(`{"slot":"%d"}`, wave) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := desk(t)
				for wave, want := range []string{
					"ERROR_CLASS_INVALID_REQUEST bad 1", "ERROR_CLASS_INVALID_REQUEST bad 2",
					"ERROR_CLASS_TERMINAL bad 3", "ERROR_CLASS_TERMINAL rejection_cap 3",
				} {
					h.answer("book", together(100, failsWith(invalid, "bad")))
					came := h.wave(100, func(i int) string { return arguments(wave, i) })
					if came[want] != 100 {
						t.Errorf("wave %d came back as %v", wave+1, came)
					}
				}
				h.wantReached(300)
			})
		})
	}
}

func TestThreeRefusedAmountsThenADepositAndTheTransferGoesThrough(t *testing.T) {
	h := bank(t)
	h.answer("transfer", failsWith(terminal, "insufficient_funds", unblockedBy("deposit")))
	for _, amount := range []string{"150", "120", "100"} {
		h.wantError(h.call("transfer", `{"amount":`+amount+`}`), terminal, "insufficient_funds")
	}
	h.wantError(h.call("transfer", `{"amount":90}`), terminal, interceptors.CodeRejectionCap)
	h.wantResult(h.call("deposit", `{"amount":200}`))
	h.answer("transfer", succeeds)
	h.wantResult(h.call("transfer", `{"amount":150}`)) // the identical first one
}

func TestADepositThatSucceedsWhileTheTransferIsRefusedIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := bank(t)
		h.answer("transfer", func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
			time.Sleep(time.Second) // refused by the balance of before
			return failsWith(terminal, "insufficient_funds", unblockedBy("deposit"))(ctx, call)
		})
		done := make(chan *interceptors.Outcome)
		call := h.newCall("run", "transfer", `{"amount":150}`)
		go func() { done <- h.send(call) }()
		synctest.Wait()
		h.wantResult(h.call("deposit", `{"amount":200}`))
		if e := h.wantError(<-done, terminal, "insufficient_funds"); e.GetRejectionsInRun() != 0 {
			t.Errorf("it counted: %v", e)
		}
		h.answer("transfer", succeeds)
		h.wantResult(h.call("transfer", `{"amount":150}`))
	})
}

func TestAnOfferedSlotIsStillBookableAtTheCap(t *testing.T) {
	h := desk(t)
	for n := range 3 {
		h.answer("book", failsWith(terminal, "taken", offering(fmt.Sprintf(`{"slot":"offered %d"}`, n), fmt.Sprintf(`{"slot":"also %d"}`, n))))
		e := h.wantError(h.call("book", fmt.Sprintf(`{"slot":"own %d"}`, n)), terminal, "taken")
		if (e.GetNote() != "") != (n == 2) {
			t.Errorf("call %d notes %q", n+1, e.GetNote())
		}
	}
	h.wantError(h.call("book", `{"slot":"own 3"}`), terminal, interceptors.CodeRejectionCap)
	h.answer("book", succeeds)
	h.wantResult(h.call("book", `{ "slot": "offered 2" }`))
}

func TestThreeWritesThatTimeOutTripNoCap(t *testing.T) {
	h := bank(t)
	h.answer("transfer", failsWith(terminal, interceptors.CodeOutcomeUnknown, mayHaveExecuted))
	for n := range 5 {
		if e := h.wantError(h.call("transfer", fmt.Sprintf(`{"amount":%d}`, n)), terminal, interceptors.CodeOutcomeUnknown); e.GetRejectionsInRun() != 0 {
			t.Errorf("it counted: %v", e)
		}
	}
	h.wantReached(5)
}

func TestAWriteOfUnknownOutcomeIsRefusedUntilItIsVerified(t *testing.T) {
	h := bank(t)
	h.answer("transfer", failsWith(terminal, interceptors.CodeOutcomeUnknown, mayHaveExecuted))
	h.call("transfer", `{"amount":150}`)
	h.answer("transfer", succeeds)
	h.wantError(h.call("transfer", `{"amount":150}`), terminal, interceptors.CodeOutcomeUnknown)
	h.wantReached(1)
	h.answer("get_transfer", failsWith(invalid, "not_found"))
	for range 4 { // verifying counts as nothing
		h.call("get_transfer", `{"amount":1}`)
	}
	h.wantError(h.call("transfer", `{"amount":150}`), terminal, interceptors.CodeOutcomeUnknown)
	h.call("get_transfer", `{"amount":150}`)
	h.wantResult(h.call("transfer", `{"amount":150}`))
}

func TestWhatTheParserRejectsAndUnknownNamesCount(t *testing.T) {
	h := desk(t)
	for want := range uint32(3) {
		e := h.call("book", `{"slot":`).Error
		if e.GetCode() != interceptors.CodeMalformedJSON || e.GetRejectionsInRun() != want+1 {
			t.Errorf("got %v", e)
		}
	}
	h.wantError(h.call("book", `{"slot":1}`), terminal, interceptors.CodeRejectionCap)
	for n := range 3 {
		h.call(fmt.Sprint("invented_", n), `{}`)
	}
	h.wantError(h.call("another_invention", `{}`), terminal, interceptors.CodeRejectionCap)
	h.wantReached(0)
}

func TestCreateExistsDeleteCreateIsNotRefused(t *testing.T) {
	h := newHouse(t, map[string]toolgatev1.Effect{"create": writeEffect, "delete": toolgatev1.Effect_EFFECT_IDEMPOTENT})
	h.wantResult(h.call("create", `{"name":"a"}`))
	h.answer("create", failsWith(terminal, "exists"))
	h.wantError(h.call("create", `{"name":"a"}`), terminal, "exists")
	h.wantResult(h.call("delete", `{"name":"a"}`))
	h.answer("create", succeeds)
	h.wantResult(h.call("create", `{"name":"a"}`))
	h.wantReached(4)
}

// R07: a pause of the failing tool restores nothing.
func TestOtherToolsSuccessesDoNotRestoreAFailingOne(t *testing.T) {
	h := newHouse(t, map[string]toolgatev1.Effect{"a": writeEffect, "b": writeEffect})
	h.answer("a", failsWith(terminal, "no"))
	for range 3 {
		h.wantError(h.call("a", `{}`), terminal, "no")
		h.wantResult(h.call("b", `{}`))
	}
	h.wantError(h.call("a", `{}`), terminal, interceptors.CodeRejectionCap)
}

// R08: polling is no loop.
func TestTwentyIdenticalCallsThatSucceedAllReachTheTool(t *testing.T) {
	h := desk(t)
	for range 20 {
		h.wantResult(h.call("find", `{"task":7}`))
	}
	h.wantReached(20)
}

// R63: what an earlier run of the name left is gone with its time.
func TestAnIdleRunStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := desk(t)
		h.answer("book", failsWith(invalid, "bad"))
		h.call("book", `{"slot":1}`)
		h.call("book", `{"slot":2}`)
		time.Sleep(time.Hour)
		if e := h.call("book", `{"slot":3}`).Error; e.GetErrorClass() != invalid || e.GetRejectionsInRun() != 1 {
			t.Errorf("got %v", e)
		}
	})
}

func TestAResendAfterTheWaitIsDispatchedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := desk(t)
		send := func() *interceptors.Outcome {
			call := h.newCall("run", "book", `{"slot":1}`)
			call.ID = "call-1"
			return h.send(call)
		}
		wait := 30.0
		h.answer("book", failsWith(transient, "limited", func(e *toolgatev1.ToolError) { e.RetryAfter = &wait }))
		h.wantError(send(), transient, "limited")
		time.Sleep(10 * time.Second)
		if e := h.wantError(send(), transient, "limited"); e.GetRetryAfter() != 20 {
			t.Errorf("the time left is %g", e.GetRetryAfter())
		}
		h.wantReached(1)
		time.Sleep(20 * time.Second)
		h.answer("book", succeeds)
		h.wantResult(send())
		h.wantResult(send())
		h.wantReached(2)
	})
}

func TestAResendOfARejectionIsNoFurtherRejection(t *testing.T) {
	h := desk(t)
	h.answer("book", failsWith(invalid, "bad"))
	for range 6 {
		call := h.newCall("run", "book", `{"slot":1}`)
		call.ID = "call-1"
		if e := h.wantError(h.send(call), invalid, "bad"); e.GetRejectionsInRun() != 1 {
			t.Errorf("got %v", e)
		}
	}
	h.wantReached(1)
}

func TestFreshLiftsEverythingForItsCall(t *testing.T) {
	h := desk(t)
	h.answer("book", failsWith(invalid, "bad"))
	for range 4 {
		h.call("book", `{"slot":1}`)
	}
	h.answer("book", succeeds)
	call := h.newCall("run", "book", `{"slot":1}`)
	call.Fresh = true
	h.wantResult(h.send(call))
	h.wantResult(h.call("book", `{"slot":1}`))
}

func TestARejectionIsNotAnsweredTwiceOverAChain(t *testing.T) {
	// The memory keeps what the provider said, not what the cap made of it.
	h := desk(t)
	h.answer("book", failsWith(invalid, "bad"))
	for range 3 {
		h.call("book", `{"slot":1}`)
	}
	fresh := h.newCall("run", "book", `{"slot":2}`)
	fresh.Fresh = true
	h.send(fresh) // lifts the count, not the memory of the other call
	if e := h.call("book", `{"slot":1}`).Error; e.GetErrorClass() != invalid || strings.Contains(e.GetNote(), "rejected") {
		t.Errorf("got %v", e)
	}
	h.wantReached(2)
}

func mayHaveExecuted(e *toolgatev1.ToolError) { e.MaybeExecuted = true }
