package repeat_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

// byReference is a verification that compares references: found means that it
// was executed, not found that it was not.
func byReference(outcome *interceptors.Outcome, arguments, unknown []byte) interceptors.Settlement {
	switch {
	case string(arguments) != string(unknown):
		return interceptors.StillUnknown
	case outcome.Result != nil:
		return interceptors.DidExecute
	case outcome.Error.GetCode() == "not_found":
		return interceptors.DidNotExecute
	}
	return interceptors.StillUnknown
}

// bank has a write whose outcomes are unknown, and the read that tells.
type bank struct {
	*house
	pay, find *interceptors.Tool
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{house: newHouse(t, memory.New()), pay: write(), find: tool("find_payment", toolgatev1.Effect_EFFECT_READ)}
	b.pay.Verification = &interceptors.Verification{Tool: "find_payment", Settle: byReference}
	b.verified = []*interceptors.Tool{b.pay}
	return b
}

// timeOut leaves unknown outcomes behind.
func (b *bank) timeOut(arguments ...string) {
	b.fails(interceptors.Terminal, interceptors.CodeOutcomeUnknown, func(e *toolgatev1.ToolError) {
		e.BlockedBy, e.UnblockWith, e.MaybeExecuted = interceptors.BlockedByUnknownOutcome, "find_payment", true
		e.ClassifiedBy = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
	})
	for _, a := range arguments {
		b.call(b.pay, a)
	}
	b.runs = 0
}

func (b *bank) wantPay(arguments, code string) {
	b.Helper()
	before := b.runs
	b.succeeds()
	got := b.call(b.pay, arguments)
	switch {
	case got.Error.GetCode() != code:
		b.Errorf("%s: got %v, want %q", arguments, got.Error, code)
	case (b.runs > before) != (code == ""):
		b.Errorf("%s: reached the tool %d times", arguments, b.runs-before)
	case code != "" && (!got.FromMemory || !got.Exempt || got.Error.GetErrorClass() != interceptors.Terminal):
		b.Errorf("%s: got %+v", arguments, got)
	}
}

func TestAnUnknownOutcomeIsRefusedAsLongAsTheRunLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBank(t)
		b.timeOut(`{"ref":1}`)
		for range 30 {
			time.Sleep(30 * time.Minute)
			b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
		}
		b.wantPay(`{"ref":2}`, "") // a success that changes the world lifts nothing
		b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
		changed := *b.pay
		changed.Version = "2"
		b.pay = &changed
		b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
	})
}

func TestAVerifyingErrorLiftsTheEntriesForWhichItIsTrue(t *testing.T) {
	b := newBank(t)
	b.timeOut(`{"ref":1}`, `{"ref":2}`)
	b.fails(interceptors.InvalidRequest, "not_found")
	call := b.newCall(b.find, `{"ref":1}`)
	b.send(call)
	if !call.Verifying {
		t.Error("the call is not marked as verifying")
	}
	b.wantPay(`{"ref":2}`, interceptors.CodeOutcomeUnknown)
	b.wantPay(`{"ref":1}`, "")
}

func TestAVerifyingResultTurnsTheEntryIntoAlreadyExecuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBank(t)
		b.timeOut(`{"ref":1}`, `{"ref":2}`)
		b.succeeds()
		b.call(b.find, `{"ref":1}`)
		b.wantPay(`{"ref":1}`, interceptors.CodeAlreadyExecuted)
		b.wantPay(`{"ref":2}`, interceptors.CodeOutcomeUnknown)
		time.Sleep(15 * time.Minute)
		b.wantPay(`{"ref":1}`, interceptors.CodeAlreadyExecuted)
	})
}

func TestAnOutcomeThatSaysNothingLeavesTheEntry(t *testing.T) {
	b := newBank(t)
	b.timeOut(`{"ref":1}`)
	b.fails(interceptors.Transient, "busy", in(30))
	b.call(b.find, `{"ref":1}`)
	b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
}

func TestAVerifyingCallIsNeverAnsweredFromMemory(t *testing.T) {
	b := newBank(t)
	b.fails(interceptors.InvalidRequest, "not_found")
	b.call(b.find, `{"ref":1}`)
	b.call(b.find, `{"ref":1}`) // nothing is unknown yet: from memory
	b.wantRuns(1)
	b.timeOut(`{"ref":1}`)
	b.fails(interceptors.InvalidRequest, "not_found")
	b.call(b.find, `{"ref":1}`)
	b.wantRuns(1)
	b.wantPay(`{"ref":1}`, "")
}

func TestOnlyItsVerificationIsVerifying(t *testing.T) {
	b := newBank(t)
	b.timeOut(`{"ref":1}`)
	b.succeeds()
	other := b.newCall(read(), `{"ref":1}`)
	b.send(other)
	if other.Verifying {
		t.Error("any read verifies")
	}
	b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
}

func TestAVerdictOnAnOlderOutcomeSettlesNothing(t *testing.T) {
	b := newBank(t)
	b.timeOut(`{"ref":1}`)
	b.answer = func(*interceptors.Call) *interceptors.Outcome {
		// While it is asked, another verification lifts the entry, and the write
		// is sent again and is unknown again.
		unknowns, _ := b.ledger.Unknowns(t.Context(), run, []string{"pay"})
		_ = b.ledger.Settle(t.Context(), run, unknowns[0], interceptors.DidNotExecute, nil)
		_ = b.ledger.Remember(t.Context(), run, unknowns[0].Key, unknowns[0].Memory, interceptors.Snapshot{})
		return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: interceptors.InvalidRequest, Code: "not_found"}}
	}
	b.call(b.find, `{"ref":1}`)
	b.wantPay(`{"ref":1}`, interceptors.CodeOutcomeUnknown)
}

func TestTheArgumentsOfAnUnknownOutcomeAreKeptRedactedAndSmall(t *testing.T) {
	b := newBank(t)
	b.timeOut(`{"ref":"secret"}`, `{"ref":"`+strings.Repeat("x", 5<<10)+`"}`)
	unknowns, err := b.ledger.Unknowns(t.Context(), run, []string{"pay"})
	if err != nil || len(unknowns) != 2 {
		t.Fatalf("got %d, %v", len(unknowns), err)
	}
	if got := string(unknowns[0].Memory.Arguments); got != `{"ref":"***"}` {
		t.Errorf("kept %s", got)
	}
	if got := unknowns[1].Memory.Arguments; len(got) > 4<<10 {
		t.Errorf("kept %d bytes", len(got))
	}
}
