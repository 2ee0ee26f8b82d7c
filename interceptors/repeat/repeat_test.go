package repeat_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/repeat"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

var run = interceptors.RunKey{Principal: "ann", ID: "run"}

// house is the room before scripted tools.
type house struct {
	*testing.T
	ledger interceptors.Ledger
	chain  interceptors.Next
	runs   int
	answer func(*interceptors.Call) *interceptors.Outcome
	// verified are the tools that find_payment verifies.
	verified []*interceptors.Tool
}

func newHouse(t *testing.T, ledger interceptors.Ledger) *house {
	t.Helper()
	h := &house{T: t, ledger: ledger}
	room := repeat.New(ledger, h.verifiesFor, redact, usable)
	h.chain = interceptors.Chain(func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		h.runs++
		return h.answer(call), nil
	}, room.Interceptor())
	return h
}

func (h *house) verifiesFor(tool *interceptors.Tool) []*interceptors.Tool {
	if tool.Name == "find_payment" {
		return h.verified
	}
	return nil
}

func redact(arguments []byte) []byte {
	return []byte(strings.ReplaceAll(string(arguments), "secret", "***"))
}

// usable drops what this caller may not use.
func usable(_ context.Context, _ *interceptors.Call, all []*toolgatev1.Alternative) (some []*toolgatev1.Alternative) {
	for _, a := range all {
		if a.GetTool() != "forbidden" {
			some = append(some, a)
		}
	}
	return some
}

func tool(name string, effect toolgatev1.Effect) *interceptors.Tool {
	return &interceptors.Tool{Name: name, Version: "1", Effect: effect, Policy: interceptors.DefaultPolicy()}
}

func read() *interceptors.Tool  { return tool("get", toolgatev1.Effect_EFFECT_READ) }
func write() *interceptors.Tool { return tool("pay", toolgatev1.Effect_EFFECT_WRITE) }

func (h *house) newCall(tool *interceptors.Tool, arguments string) *interceptors.Call {
	snapshot, err := h.ledger.Snapshot(h.Context(), run)
	if err != nil {
		snapshot = interceptors.Snapshot{}
	}
	return &interceptors.Call{
		Run: run, Tool: tool, Snapshot: snapshot, CorrelationID: fmt.Sprint("call-", h.runs),
		Arguments: interceptors.Checked{JSON: []byte(arguments), Key: sha256.Sum256([]byte(tool.Name + arguments))},
	}
}

func (h *house) call(tool *interceptors.Tool, arguments string) *interceptors.Outcome {
	h.Helper()
	return h.send(h.newCall(tool, arguments))
}

func (h *house) send(call *interceptors.Call) *interceptors.Outcome {
	h.Helper()
	outcome, err := h.chain(h.Context(), call)
	if err != nil {
		h.Fatal(err)
	}
	return outcome
}

func (h *house) wantRuns(want int) {
	h.Helper()
	if h.runs != want {
		h.Errorf("the tools were reached %d times, want %d", h.runs, want)
	}
}

func (h *house) fails(class toolgatev1.ErrorClass, code string, more ...func(*toolgatev1.ToolError)) {
	h.answer = func(*interceptors.Call) *interceptors.Outcome {
		e := &toolgatev1.ToolError{ErrorClass: class, Code: code, Message: "as it is", Attempts: 2,
			ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_PROVIDER, UpstreamStatus: 409, CorrelationId: "first"}
		for _, change := range more {
			change(e)
		}
		return &interceptors.Outcome{Error: e}
	}
}

func (h *house) succeeds() {
	h.answer = func(*interceptors.Call) *interceptors.Outcome {
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `{}`}}
	}
}

// isRefused has the breaker answer with the last diagnosis.
func (h *house) isRefused() {
	h.fails(interceptors.Transient, "limited", in(30))
	diagnosed := h.answer
	h.answer = func(call *interceptors.Call) *interceptors.Outcome {
		outcome := diagnosed(call)
		outcome.Verdict.Refused = true
		return outcome
	}
}

func in(seconds float64) func(*toolgatev1.ToolError) {
	return func(e *toolgatev1.ToolError) { e.RetryAfter = &seconds }
}

func TestAnAnswerFromMemoryIsTheStoredErrorWithItsOwnMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.fails(interceptors.Terminal, "taken", func(e *toolgatev1.ToolError) {
			e.FactsJson, e.BlockedBy, e.UnblockWith, e.Note = `{"balance":42.10}`, "balance", "deposit", "guessed"
			e.Alternatives = []*toolgatev1.Alternative{{Tool: "forbidden"}, {Tool: "allowed"}, {ArgumentsJson: `{"slot":2}`}}
		})
		first := h.call(read(), `{}`)
		again := h.call(read(), `{}`)
		h.wantRuns(1)
		want := proto.CloneOf(first.Error)
		want.Attempts, want.CorrelationId = 0, "call-1"
		want.ClassifiedBy = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
		want.Alternatives = want.Alternatives[1:]
		want.Alternatives[1].Tool = "get"
		want.Note = "not sent again: the identical call came back so before; guessed"
		if !proto.Equal(again.Error, want) {
			t.Errorf("got  %v\nwant %v", again.Error, want)
		}
		if !again.Exempt || !again.FromMemory {
			t.Errorf("got %+v", again)
		}
	})
}

func TestAnInvalidCallIsAnsweredFromMemoryAndCounts(t *testing.T) {
	h := newHouse(t, memory.New())
	h.fails(interceptors.InvalidRequest, "bad_date")
	h.call(read(), `{}`)
	again := h.call(read(), `{}`)
	if again.Error.GetErrorClass() != interceptors.InvalidRequest || again.Exempt || !again.FromMemory {
		t.Errorf("got %+v", again)
	}
	h.call(read(), `{"other":1}`)
	h.wantRuns(2)
}

func TestATransientFailureIsAnsweredUntilItsWaitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.fails(interceptors.Transient, "limited", in(120), func(e *toolgatev1.ToolError) { e.Exhausted = true })
		h.call(read(), `{}`)
		time.Sleep(100 * time.Second)
		again := h.call(read(), `{}`)
		if e := again.Error; e.GetRetryAfter() != 20 || !e.GetExhausted() || e.GetCode() != "limited" || !again.FromMemory {
			t.Errorf("got %v", e)
		}
		time.Sleep(20 * time.Second)
		h.call(read(), `{}`)
		h.wantRuns(2)
	})
}

func TestFreshAsksAgainAndWhatItComesBackWithIsRemembered(t *testing.T) {
	h := newHouse(t, memory.New())
	for _, code := range []string{"gone", interceptors.CodeOutcomeUnknown} {
		h.runs = 0
		h.fails(interceptors.Terminal, code, maybe)
		arguments := fmt.Sprintf(`{"for":%q}`, code)
		h.call(write(), arguments)
		h.call(write(), arguments)
		fresh := h.newCall(write(), arguments)
		fresh.Fresh = true
		h.send(fresh)
		h.wantRuns(2)
		h.call(write(), arguments)
		h.wantRuns(2)
	}
}

// strict is a ledger that listens to its context.
type strict struct{ interceptors.Ledger }

func (s strict) Remember(ctx context.Context, run interceptors.RunKey, key interceptors.Key, m *interceptors.Memory, at interceptors.Snapshot) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.Ledger.Remember(ctx, run, key, m, at)
}

func TestACallerWhoLeftLeavesTheMark(t *testing.T) {
	h := newHouse(t, strict{memory.New()})
	ctx, leave := context.WithCancel(t.Context())
	h.answer = func(*interceptors.Call) *interceptors.Outcome {
		leave()
		return &interceptors.Outcome{Error: &toolgatev1.ToolError{
			ErrorClass: interceptors.Terminal, Code: interceptors.CodeOutcomeUnknown, MaybeExecuted: true,
		}}
	}
	_, _ = h.chain(ctx, h.newCall(write(), `{}`))
	if again := h.call(write(), `{}`); again.Error.GetCode() != interceptors.CodeOutcomeUnknown {
		t.Errorf("got %v", again)
	}
	h.wantRuns(1)
}

func TestAGrpcStatusIsNotRemembered(t *testing.T) {
	ledger := memory.New()
	h := newHouse(t, ledger)
	room := repeat.New(ledger, h.verifiesFor, redact, usable)
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return nil, interceptors.StatusInternal(errors.New("x"))
	}, room.Interceptor())
	if _, err := chain(t.Context(), h.newCall(read(), `{}`)); err == nil {
		t.Error("the status is lost")
	}
	h.succeeds()
	if got := h.call(read(), `{}`); got.Result == nil {
		t.Errorf("got %v", got)
	}
}

// gone is a ledger that can't be asked.
type gone struct{ interceptors.Ledger }

var errGone = errors.New("gone")

func (gone) Snapshot(context.Context, interceptors.RunKey) (interceptors.Snapshot, error) {
	return interceptors.Snapshot{}, errGone
}

func (gone) Recall(context.Context, interceptors.RunKey, interceptors.Key) (*interceptors.Memory, error) {
	return nil, errGone
}

func (gone) Remember(context.Context, interceptors.RunKey, interceptors.Key, *interceptors.Memory, interceptors.Snapshot) error {
	return errGone
}

func (gone) Unknowns(context.Context, interceptors.RunKey, []string) ([]interceptors.Unknown, error) {
	return nil, errGone
}

func TestWithoutALedgerCallsGoOn(t *testing.T) {
	h := newHouse(t, gone{})
	h.verified = []*interceptors.Tool{write()}
	h.fails(interceptors.Terminal, "gone")
	h.call(read(), `{}`)
	h.call(tool("find_payment", toolgatev1.Effect_EFFECT_READ), `{}`)
	h.call(read(), `{}`)
	h.wantRuns(3)
}

func BenchmarkRoom(b *testing.B) {
	ledger := memory.New()
	room := repeat.New(ledger, func(*interceptors.Tool) []*interceptors.Tool { return nil }, redact, usable)
	answer := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return answer, nil }, room.Interceptor())
	snapshot, _ := ledger.Snapshot(b.Context(), run)
	call := &interceptors.Call{Run: run, Tool: read(), Snapshot: snapshot}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(b.Context(), call)
	}
}
