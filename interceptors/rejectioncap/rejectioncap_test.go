package rejectioncap_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/rejectioncap"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

var run = interceptors.RunKey{Principal: "ann", ID: "run"}

// house is the room before a scripted tool.
type house struct {
	*testing.T
	ledger rejectioncap.Ledger
	chain  interceptors.Next
	runs   int
	answer func(*interceptors.Call) (*interceptors.Outcome, error)
	// forbidden alternatives are not usable.
	forbidden string
}

func newHouse(t *testing.T, ledger rejectioncap.Ledger) *house {
	t.Helper()
	h := &house{T: t, ledger: ledger}
	h.answer = reject("bad_slot")
	room := rejectioncap.New(ledger, keyOf, func(_ context.Context, _ *interceptors.Call, all []*toolgatev1.Alternative) (some []*toolgatev1.Alternative) {
		for _, a := range all {
			if a.GetTool() != h.forbidden {
				some = append(some, a)
			}
		}
		return some
	})
	h.chain = interceptors.Chain(func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		h.runs++
		call.Arguments.Key, _ = keyOf(call, call.Tool.Name, call.Text)
		return h.answer(call)
	}, room.Interceptor())
	return h
}

func keyOf(_ *interceptors.Call, tool, arguments string) (interceptors.Key, bool) {
	return sha256.Sum256([]byte(tool + arguments)), strings.HasPrefix(arguments, "{")
}

func book() *interceptors.Tool {
	return &interceptors.Tool{Name: "book", Version: "1", Policy: interceptors.DefaultPolicy()}
}

func (h *house) call(tool *interceptors.Tool, text string, change ...func(*interceptors.Call)) *interceptors.Outcome {
	h.Helper()
	snapshot, err := h.ledger.Snapshot(h.Context(), run)
	if err != nil {
		snapshot = interceptors.Snapshot{}
	}
	call := &interceptors.Call{Run: run, Name: tool.Name, Text: text, Tool: tool, Snapshot: snapshot}
	for _, change := range change {
		change(call)
	}
	outcome, err := h.chain(h.Context(), call)
	if err != nil {
		h.Fatal(err)
	}
	return outcome
}

func fresh(call *interceptors.Call) { call.Fresh = true }

func (h *house) wantRuns(want int) {
	h.Helper()
	if h.runs != want {
		h.Errorf("the tool was reached %d times, want %d", h.runs, want)
	}
}

func want(t *testing.T, outcome *interceptors.Outcome, class toolgatev1.ErrorClass, code string, count uint32) {
	t.Helper()
	e := outcome.Error
	if e.GetErrorClass() != class || e.GetCode() != code || e.GetRejectionsInRun() != count {
		t.Errorf("got %s %s with count %d, want %s %s with %d", e.GetErrorClass(), e.GetCode(), e.GetRejectionsInRun(), class, code, count)
	}
}

func reject(code string, alternatives ...string) func(*interceptors.Call) (*interceptors.Outcome, error) {
	return func(*interceptors.Call) (*interceptors.Outcome, error) {
		e := &toolgatev1.ToolError{ErrorClass: interceptors.InvalidRequest, Code: code, Note: "the class is a guess",
			Violations: []*toolgatev1.Violation{{Field: "slot"}}, ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS}
		for _, arguments := range alternatives {
			e.Alternatives = append(e.Alternatives, &toolgatev1.Alternative{ArgumentsJson: arguments})
		}
		return &interceptors.Outcome{Error: e}, nil
	}
}

func succeed(*interceptors.Call) (*interceptors.Outcome, error) {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil
}

func TestTheThirdRejectionComesBackTerminalAndLaterCallsAreRefused(t *testing.T) {
	h := newHouse(t, memory.New())
	want(t, h.call(book(), `{"slot":1}`), interceptors.InvalidRequest, "bad_slot", 1)
	want(t, h.call(book(), `{"slot":2}`), interceptors.InvalidRequest, "bad_slot", 2)
	third := h.call(book(), `{"slot":3}`)
	want(t, third, interceptors.Terminal, "bad_slot", 3)
	if e := third.Error; !strings.HasPrefix(e.GetNote(), "this tool has rejected 3 calls") || len(e.GetViolations()) != 1 {
		t.Errorf("the third says %v", e)
	}
	for range 3 {
		later := h.call(book(), `{"slot":4}`)
		want(t, later, interceptors.Terminal, interceptors.CodeRejectionCap, 3)
		if later.Error.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY || !later.Exempt || !later.FromMemory {
			t.Errorf("got %+v", later)
		}
	}
	h.wantRuns(3)
	other := book()
	other.Name = "list"
	want(t, h.call(other, `{}`), interceptors.InvalidRequest, "bad_slot", 1)
}

func TestASuccessForgives(t *testing.T) {
	h := newHouse(t, memory.New())
	h.call(book(), `{"slot":1}`)
	h.call(book(), `{"slot":2}`)
	h.answer = succeed
	h.call(book(), `{"slot":3}`)
	h.answer = reject("bad_slot")
	want(t, h.call(book(), `{"slot":4}`), interceptors.InvalidRequest, "bad_slot", 1)
}

func TestWhatCountsAsARejection(t *testing.T) {
	gateway := toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
	for name, c := range map[string]struct {
		outcome *interceptors.Outcome
		counts  bool
	}{
		"invalid_request": {outcome: failure(interceptors.InvalidRequest, "bad", 0), counts: true},
		"terminal":        {outcome: failure(interceptors.Terminal, "taken", 0), counts: true},
		"a schema's":      {outcome: interceptors.RejectArguments(interceptors.CodeInvalidArguments, "x"), counts: true},
		"a parser's":      {outcome: interceptors.RejectArguments(interceptors.CodeMalformedJSON, "x"), counts: true},
		"said again": {outcome: &interceptors.Outcome{Error: failure(interceptors.InvalidRequest, "bad", gateway).Error,
			FromMemory: true}, counts: true},
		"a provider's code that sounds like ours": {outcome: failure(interceptors.Terminal, "internal", toolgatev1.ClassifiedBy_CLASSIFIED_BY_PROVIDER), counts: true},
		"transient":                    {outcome: failure(interceptors.Transient, "busy", 0)},
		"our refusal":                  {outcome: interceptors.RefuseTerminal(interceptors.CodeRunBudget, "x")},
		"a provider's outcome_unknown": {outcome: failure(interceptors.Terminal, interceptors.CodeOutcomeUnknown, 0), counts: true},
		"an unknown outcome":           {outcome: &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: interceptors.CodeOutcomeUnknown, MaybeExecuted: true}}},
		"a fault of ours":              {outcome: failure(interceptors.Terminal, interceptors.CodeInternal, gateway)},
		"one that may have executed":   {outcome: &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "exists", MaybeExecuted: true}}},
		"one that nobody classified":   {outcome: failure(0, "odd", 0)},
		"an exempt one":                {outcome: &interceptors.Outcome{Error: failure(interceptors.InvalidRequest, "narrow", 0).Error, Exempt: true}},
		"a wait that is the caller's":  {outcome: interceptors.RefuseTransient(interceptors.CodeBusy, "x", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.answer = func(*interceptors.Call) (*interceptors.Outcome, error) { return c.outcome, nil }
			for n := range uint32(4) {
				got := h.call(book(), fmt.Sprintf(`{"slot":%d}`, n))
				if !c.counts && got.Error.GetRejectionsInRun() != 0 {
					t.Errorf("call %d counted: %d", n, got.Error.GetRejectionsInRun())
				}
				if c.counts && got.Error.GetRejectionsInRun() != min(n+1, 3) {
					t.Errorf("call %d did not count: %d", n, got.Error.GetRejectionsInRun())
				}
			}
		})
	}
}

func failure(class toolgatev1.ErrorClass, code string, by toolgatev1.ClassifiedBy) *interceptors.Outcome {
	return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: class, Code: code, ClassifiedBy: by}}
}

func TestAVerifyingCallCountsAsNothing(t *testing.T) {
	h := newHouse(t, memory.New())
	h.answer = func(call *interceptors.Call) (*interceptors.Outcome, error) {
		call.Verifying = true
		return failure(interceptors.InvalidRequest, "not_found", 0), nil
	}
	for range 5 {
		want(t, h.call(book(), `{}`), interceptors.InvalidRequest, "not_found", 0)
	}
}

func TestTheOutcomeOfTheRoomWithinIsLeftAsItWas(t *testing.T) {
	h := newHouse(t, memory.New())
	kept := failure(interceptors.InvalidRequest, "bad", 0)
	h.answer = func(*interceptors.Call) (*interceptors.Outcome, error) { return kept, nil }
	for range 3 {
		h.call(book(), `{}`)
	}
	if e := kept.Error; e.GetErrorClass() != interceptors.InvalidRequest || e.GetNote() != "" || e.GetRejectionsInRun() != 0 {
		t.Errorf("it became %v", e)
	}
}

func TestFreshLiftsTheCountAndItsOwnRejectionCounts(t *testing.T) {
	h := newHouse(t, memory.New())
	for range 4 {
		h.call(book(), `{}`)
	}
	want(t, h.call(book(), `{}`, fresh), interceptors.InvalidRequest, "bad_slot", 1)
	want(t, h.call(book(), `{}`), interceptors.InvalidRequest, "bad_slot", 2)
	h.wantRuns(5)
}

func TestACapOverAllToolsStopsTheRun(t *testing.T) {
	h := newHouse(t, memory.New())
	tool := func(name string) *interceptors.Tool {
		tool := book()
		tool.Name, tool.Policy.RejectionCap, tool.Policy.RejectionCapPerRun = name, 0, 3
		return tool
	}
	want(t, h.call(tool("a"), `{}`), interceptors.InvalidRequest, "bad_slot", 1)
	want(t, h.call(tool("b"), `{}`), interceptors.InvalidRequest, "bad_slot", 1)
	want(t, h.call(tool("a"), `{}`), interceptors.Terminal, "bad_slot", 2)
	want(t, h.call(tool("c"), `{}`), interceptors.Terminal, interceptors.CodeRejectionCap, 0)
	h.wantRuns(3)
}

func TestNoCapOnlyCounts(t *testing.T) {
	h := newHouse(t, memory.New())
	tool := book()
	tool.Policy.RejectionCap = 0
	for n := range uint32(10) {
		want(t, h.call(tool, `{}`), interceptors.InvalidRequest, "bad_slot", n+1)
	}
}

func TestTenMinutesWithoutARejectionForgive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		for range 4 {
			h.call(book(), `{}`)
		}
		time.Sleep(10 * time.Minute)
		want(t, h.call(book(), `{}`), interceptors.InvalidRequest, "bad_slot", 1)
	})
}

func TestAChangeOfTheToolForgives(t *testing.T) {
	h := newHouse(t, memory.New())
	for range 4 {
		h.call(book(), `{}`)
	}
	changed := book()
	changed.Version = "2"
	want(t, h.call(changed, `{}`), interceptors.InvalidRequest, "bad_slot", 1)
}

func TestUnknownNamesOfARunAreOneTool(t *testing.T) {
	h := newHouse(t, memory.New())
	h.answer = func(*interceptors.Call) (*interceptors.Outcome, error) {
		return interceptors.RejectArguments(interceptors.CodeUnknownTool, "no such tool"), nil
	}
	pseudo := &interceptors.Tool{Name: "unknown_tool", Unknown: true, Policy: interceptors.DefaultPolicy()}
	for n := range 5 {
		h.call(pseudo, `{}`, func(call *interceptors.Call) { call.Name = fmt.Sprint("invented", n) })
	}
	h.wantRuns(3)
}

// strict is a ledger that listens to its context.
type strict struct{ rejectioncap.Ledger }

func (s strict) Reject(ctx context.Context, r interceptors.Rejection) (uint32, error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return s.Ledger.Reject(ctx, r)
}

func TestARejectionCountsWhoeverHasLeft(t *testing.T) {
	h := newHouse(t, strict{memory.New()})
	ctx, leave := context.WithCancel(t.Context())
	h.answer = func(call *interceptors.Call) (*interceptors.Outcome, error) {
		leave()
		return reject("bad_slot")(call)
	}
	snapshot, _ := h.ledger.Snapshot(ctx, run)
	_, _ = h.chain(ctx, &interceptors.Call{Run: run, Tool: book(), Text: `{}`, Snapshot: snapshot})
	want(t, h.call(book(), `{}`), interceptors.InvalidRequest, "bad_slot", 2)
}

// gone is a ledger that can't be asked.
type gone struct{ rejectioncap.Ledger }

func (gone) Snapshot(context.Context, interceptors.RunKey) (interceptors.Snapshot, error) {
	return interceptors.Snapshot{}, errors.New("gone")
}

func (gone) Standing(context.Context, interceptors.StandingQuery) (interceptors.Standing, error) {
	return interceptors.Standing{}, errors.New("gone")
}

func (gone) Reject(context.Context, interceptors.Rejection) (uint32, error) {
	return 0, errors.New("gone")
}

func (gone) TakeOffer(context.Context, interceptors.RunKey, interceptors.Offer) (bool, error) {
	return false, errors.New("gone")
}

func TestWithoutALedgerNothingIsCapped(t *testing.T) {
	h := newHouse(t, gone{})
	for range 9 {
		want(t, h.call(book(), `{}`), interceptors.InvalidRequest, "bad_slot", 0)
	}
}

func BenchmarkRoom(b *testing.B) {
	ledger := memory.New()
	room := rejectioncap.New(ledger, keyOf, nil)
	answer := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return answer, nil }, room.Interceptor())
	snapshot, _ := ledger.Snapshot(b.Context(), run)
	call := &interceptors.Call{Run: run, Tool: book(), Text: `{}`, Snapshot: snapshot}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(b.Context(), call)
	}
}
