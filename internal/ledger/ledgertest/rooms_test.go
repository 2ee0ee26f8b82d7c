package ledgertest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/once"
	"toolgate.dev/toolgate/interceptors/rejectioncap"
	"toolgate.dev/toolgate/interceptors/repeat"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

// house holds the three rooms of the ledger in their order, before scripted
// tools. Arguments are parsed and nothing else.
type house struct {
	*testing.T
	ledger  *memory.Ledger
	chain   interceptors.Next
	tools   map[string]*interceptors.Tool
	reached atomic.Int32
	// answers by tool; what is missing succeeds.
	mu      sync.Mutex
	answers map[string]answer
}

type answer func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome

const (
	readEffect  = toolgatev1.Effect_EFFECT_READ
	writeEffect = toolgatev1.Effect_EFFECT_WRITE
)

func newHouse(t *testing.T, effects map[string]toolgatev1.Effect) *house {
	t.Helper()
	h := &house{T: t, ledger: memory.New(), tools: map[string]*interceptors.Tool{}, answers: map[string]answer{}}
	for name, effect := range effects {
		h.tools[name] = &interceptors.Tool{Name: name, Version: "1", Effect: effect, Policy: interceptors.DefaultPolicy()}
	}
	h.chain = interceptors.Chain(h.dispatch,
		once.New(h.ledger).Interceptor(),
		rejectioncap.New(h.ledger, keyOf, usable).Interceptor(),
		interceptors.Interceptor(parse),
		repeat.New(h.ledger, h.verifiesFor, func(arguments []byte) []byte { return arguments }, usable).Interceptor(),
	)
	return h
}

func (h *house) dispatch(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
	h.reached.Add(1)
	h.mu.Lock()
	answer := h.answers[call.Tool.Name]
	h.mu.Unlock()
	if answer == nil {
		answer = succeeds
	}
	return answer(ctx, call), nil
}

func (h *house) verifiesFor(tool *interceptors.Tool) (verified []*interceptors.Tool) {
	for _, other := range h.tools {
		if other.Verification != nil && other.Verification.Tool == tool.Name {
			verified = append(verified, other)
		}
	}
	return verified
}

// parse stands in for the arguments room.
func parse(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	if call.Tool.Unknown {
		return interceptors.RejectArguments(interceptors.CodeUnknownTool, "no such tool"), nil
	}
	key, ok := keyOf(call, call.Tool.Name, call.Text)
	if !ok {
		return interceptors.RejectArguments(interceptors.CodeMalformedJSON, "not JSON", &toolgatev1.Violation{Problem: "at offset 0"}), nil
	}
	call.Arguments = interceptors.Checked{JSON: []byte(call.Text), Key: key}
	return next(ctx, call)
}

func keyOf(_ *interceptors.Call, tool, arguments string) (interceptors.Key, bool) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(arguments)); err != nil {
		return interceptors.Key{}, false
	}
	return sha256.Sum256(append([]byte(tool+"\x00"), compact.Bytes()...)), true
}

func usable(_ context.Context, _ *interceptors.Call, all []*toolgatev1.Alternative) []*toolgatev1.Alternative {
	return all
}

func succeeds(context.Context, *interceptors.Call) *interceptors.Outcome {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `{}`, Attempts: 1}}
}

// failsWith answers with a failure that a provider explained.
func failsWith(class toolgatev1.ErrorClass, code string, change ...func(*toolgatev1.ToolError)) answer {
	return func(context.Context, *interceptors.Call) *interceptors.Outcome {
		e := &toolgatev1.ToolError{
			ErrorClass: class, Code: code, Message: code, Attempts: 1,
			ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_PROVIDER,
			Violations:   []*toolgatev1.Violation{{Field: "f", Problem: code}},
		}
		for _, change := range change {
			change(e)
		}
		return &interceptors.Outcome{Error: e}
	}
}

// together holds every call back until n of them are in flight.
func together(n int, then answer) answer {
	var arrived atomic.Int32
	open := make(chan struct{})
	return func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
		if int(arrived.Add(1)) == n {
			close(open)
		}
		<-open
		return then(ctx, call)
	}
}

func (h *house) answer(tool string, a answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[tool] = a
}

// newCall is a call whose rpc arrives now.
func (h *house) newCall(run, tool, arguments string) *interceptors.Call {
	key := interceptors.RunKey{Principal: "ann", ID: run}
	snapshot, err := h.ledger.Snapshot(h.Context(), key)
	if err != nil {
		h.Error(err)
	}
	call := &interceptors.Call{
		Run: key, Name: tool, Text: arguments, Tool: h.tools[tool], Snapshot: snapshot, CorrelationID: interceptors.NewCorrelationID(),
	}
	if call.Tool == nil {
		call.Tool = &interceptors.Tool{Name: "unknown_tool", Unknown: true, Policy: interceptors.DefaultPolicy()}
	}
	return call
}

func (h *house) call(tool, arguments string) *interceptors.Outcome {
	h.Helper()
	return h.send(h.newCall("run", tool, arguments))
}

func (h *house) send(call *interceptors.Call) *interceptors.Outcome {
	h.Helper()
	outcome, err := h.chain(h.Context(), call)
	if err != nil {
		h.Error(err)
		return &interceptors.Outcome{}
	}
	return outcome
}

// wave sends calls whose rpcs arrive together and returns how often each
// (class, code, count) came back.
func (h *house) wave(n int, arguments func(i int) string) map[string]int {
	calls := make([]*interceptors.Call, n)
	for i := range calls {
		calls[i] = h.newCall("run", "book", arguments(i))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	came := map[string]int{}
	for _, call := range calls {
		wg.Go(func() {
			e := h.send(call).Error
			mu.Lock()
			defer mu.Unlock()
			came[fmt.Sprint(e.GetErrorClass(), " ", e.GetCode(), " ", e.GetRejectionsInRun())]++
		})
	}
	wg.Wait()
	return came
}

func (h *house) wantReached(want int32) {
	h.Helper()
	if got := h.reached.Load(); got != want {
		h.Errorf("tools were reached %d times, want %d", got, want)
	}
}

func (h *house) wantError(outcome *interceptors.Outcome, class toolgatev1.ErrorClass, code string) *toolgatev1.ToolError {
	h.Helper()
	e := outcome.Error
	if e.GetErrorClass() != class || e.GetCode() != code {
		h.Errorf("got %v, want %s %s", outcome.Response(), class, code)
	}
	return e
}

func (h *house) wantResult(outcome *interceptors.Outcome) {
	h.Helper()
	if outcome.Result == nil {
		h.Errorf("got %v, want a result", outcome.Error)
	}
}
