package seal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/seal"
)

const secret = "hunter2-canary"

func asIs(_ *interceptors.Call, o *interceptors.Outcome) *interceptors.Outcome { return o }

func silent(context.Context, *interceptors.Call, seal.Panic) {}

func call() *interceptors.Call {
	return &interceptors.Call{CorrelationID: "c0ffee", Tool: &interceptors.Tool{Effect: toolgatev1.Effect_EFFECT_WRITE}}
}

func panics(value any) interceptors.Next {
	return func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { panic(value) }
}

func run(t *testing.T, room *seal.Room, c *interceptors.Call, last interceptors.Next) *interceptors.Outcome {
	t.Helper()
	outcome, err := interceptors.Chain(last, room.Interceptor())(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestAPanicEndsTheCallAsATerminalInternalFault(t *testing.T) {
	var logged seal.Panic
	room := seal.New(asIs, func(_ context.Context, _ *interceptors.Call, fault seal.Panic) { logged = fault })
	outcome := run(t, room, call(), panics(errors.New(secret)))
	e := outcome.Error
	if e.GetErrorClass() != interceptors.Terminal || e.GetCode() != interceptors.CodeInternal || e.GetCorrelationId() != "c0ffee" {
		t.Errorf("got %v", e)
	}
	if !outcome.Exempt {
		t.Error("a fault of the gateway counts as a rejection by the tool")
	}
	if strings.Contains(e.String(), secret) {
		t.Errorf("the panic's value left: %v", e)
	}
	if logged.Value.(error).Error() != secret || !strings.Contains(string(logged.Stack), "seal_test.go") {
		t.Errorf("the log got %v and a stack of %d bytes", logged.Value, len(logged.Stack))
	}
}

func TestAWriteThatHadStartedMayHaveExecuted(t *testing.T) {
	for name, tc := range map[string]struct {
		effect   toolgatev1.Effect
		attempts uint32
		want     bool
	}{
		"a write with an attempt":      {toolgatev1.Effect_EFFECT_WRITE, 1, true},
		"a write before its attempt":   {toolgatev1.Effect_EFFECT_WRITE, 0, false},
		"a read with an attempt":       {toolgatev1.Effect_EFFECT_READ, 1, false},
		"a tool that says nothing":     {toolgatev1.Effect_EFFECT_UNSPECIFIED, 1, true},
		"an idempotent one, attempted": {toolgatev1.Effect_EFFECT_IDEMPOTENT, 1, false},
	} {
		c := call()
		c.Tool.Effect, c.Trace.Attempts = tc.effect, tc.attempts
		if got := run(t, seal.New(asIs, silent), c, panics("x")).Error.GetMaybeExecuted(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Whatever panics, a call has an answer.
func TestNothingThatItWasGivenCanBreakTheSeal(t *testing.T) {
	for name, room := range map[string]*seal.Room{
		"finishing panics":        seal.New(func(*interceptors.Call, *interceptors.Outcome) *interceptors.Outcome { panic(secret) }, silent),
		"finishing gives nothing": seal.New(func(*interceptors.Call, *interceptors.Outcome) *interceptors.Outcome { return nil }, silent),
		"reporting panics":        seal.New(func(*interceptors.Call, *interceptors.Outcome) *interceptors.Outcome { return nil }, func(context.Context, *interceptors.Call, seal.Panic) { panic(secret) }),
	} {
		t.Run(name, func(t *testing.T) {
			c := call()
			c.Trace.Attempts = 1
			e := run(t, room, c, panics(secret)).Error
			var seen struct {
				Error, Class  string
				MaybeExecuted bool `json:"maybe_executed"`
			}
			if err := json.Unmarshal([]byte(e.GetObservation()), &seen); err != nil || seen.Error != "internal" || seen.Class != "terminal" || !seen.MaybeExecuted {
				t.Errorf("observation %s: %v", e.GetObservation(), err)
			}
			if e.GetHttpStatus() != 422 || e.GetGrpcCode() != 9 {
				t.Errorf("codes %d, %d", e.GetHttpStatus(), e.GetGrpcCode())
			}
		})
	}
}

func TestAnotherCallIsNotTouched(t *testing.T) {
	room := seal.New(asIs, silent)
	run(t, room, call(), panics("x"))
	want := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	got := run(t, room, call(), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return want, nil })
	if got != want {
		t.Errorf("got %v", got)
	}
}

func TestAPanicBeforeTheToolIsKnownIsSealedToo(t *testing.T) {
	if e := run(t, seal.New(asIs, silent), &interceptors.Call{CorrelationID: "1"}, panics("x")).Error; e.GetCode() != interceptors.CodeInternal {
		t.Errorf("got %v", e)
	}
}

func BenchmarkACallPasses(b *testing.B) {
	want := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return want, nil },
		seal.New(asIs, silent).Interceptor())
	c := call()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(b.Context(), c)
	}
}
