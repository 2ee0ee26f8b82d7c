package funcbackend_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/funcbackend"
)

func function(t testing.TB, f funcbackend.Function, options ...funcbackend.Option) *funcbackend.Backend {
	t.Helper()
	backend, err := funcbackend.New(f, options...)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func TestTheContractOfABackEndIsKept(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
		switch behaviour {
		case backendtest.Drops, backendtest.Absent:
			return nil
		}
		ended := make(chan struct{})
		t.Cleanup(func() { close(ended) })
		return function(t, func(context.Context, json.RawMessage) (any, error) {
			upstream.Hit()
			switch behaviour {
			case backendtest.Hangs:
				<-ended // it does not look at its context
				return nil, nil
			case backendtest.Floods:
				return strings.Repeat("x", backendtest.FloodBytes), nil
			}
			return map[string]bool{"ok": true}, nil
		})
	})
}

func returning(t testing.TB, value any, err error) *interceptors.Reply {
	t.Helper()
	return function(t, func(context.Context, json.RawMessage) (any, error) { return value, err }).
		Attempt(t.Context(), backendtest.NewCall(`{}`))
}

func TestAnAnswerIsWhatTheFunctionReturned(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		body  string
	}{
		"a map":     {map[string]string{"a": "<&>"}, `{"a":"<&>"}`},
		"raw JSON":  {json.RawMessage(`{ "b": 1.50, "a": 12345678901234567890 }`), `{ "b": 1.50, "a": 12345678901234567890 }`},
		"bytes":     {[]byte("\x89PNG"), "\x89PNG"},
		"a message": {durationpb.New(time.Second), `"1s"`},
		"nothing":   {nil, ""},
		"a number":  {7, "7"},
	} {
		reply := returning(t, c.value, nil)
		if string(reply.Body) != c.body || reply.Failure != 0 || reply.Status != 0 || !reply.Sent || reply.ToolError != nil {
			t.Errorf("%s: got %+v", name, reply)
		}
	}
	if reply := returning(t, "hello", nil); reply.Result.GetContent()[0].GetText().GetText() != "hello" {
		t.Errorf("a string: got %+v", reply)
	}
	own := &toolgatev1.ToolResult{StructuredJson: "{}"}
	if reply := returning(t, own, nil); reply.Result.GetStructuredJson() != "{}" || reply.Result == own {
		t.Errorf("a result: got %+v", reply)
	}
	for _, odd := range []any{make(chan int), json.RawMessage("{"), map[string]any{"f": func() {}}} {
		if reply := returning(t, odd, nil); reply.Status == 0 || !strings.Contains(reply.Message, "JSON") {
			t.Errorf("%T: got %+v", odd, reply)
		}
	}
}

type silent struct{ cause error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.cause }

type group struct{ members []error }

func (group) Error() string     { return "unhandled errors in a group (1 sub-error)" }
func (g group) Unwrap() []error { return g.members }

type broken struct{}

func (*broken) Error() string { panic("no words") }

func TestAnErrorSaysItsInnermostCauseOrItsType(t *testing.T) {
	deep := errors.New("disk is full")
	for want, err := range map[string]error{
		"disk is full":                     deep,
		"save: disk is full":               fmt.Errorf("save: %w", deep),
		"funcbackend_test.silent":          silent{},
		"funcbackend_test.broken":          &broken{},
		"wrapped: funcbackend_test.silent": fmt.Errorf("wrapped: %w", silent{}),
		"unhandled errors in a group (1 sub-error): disk is full": group{[]error{deep}},
		"a\nb": errors.Join(errors.New("a"), errors.New("b")),
	} {
		if want == "disk is full" {
			if reply := returning(t, nil, silent{silent{deep}}); string(reply.Body) != want {
				t.Errorf("a silent chain says %q", reply.Body)
			}
		}
		if reply := returning(t, nil, err); string(reply.Body) != want || reply.Status == 0 || reply.Failure != 0 || !reply.Sent {
			t.Errorf("got %q (status %d), want %q", reply.Body, reply.Status, want)
		}
	}
}

func TestAFunctionThatKnowsIsBelieved(t *testing.T) {
	err := fmt.Errorf("book: %w", funcbackend.Fail(&toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "taken", Message: "gone"}))
	if reply := returning(t, nil, err); reply.ToolError.GetCode() != "taken" || reply.Status != 0 {
		t.Errorf("got %+v", reply)
	}
	if err.Error() != "book: taken: gone" {
		t.Errorf("the error says %q", err)
	}
	if reply := returning(t, nil, funcbackend.Fail(&toolgatev1.ToolError{Code: "x"})); reply.ToolError != nil || string(reply.Body) != "x" {
		t.Errorf("without a class: got %+v", reply)
	}
}

func TestAPanicFailsItsCallAndIsTold(t *testing.T) {
	var told any
	backend := function(t, func(context.Context, json.RawMessage) (any, error) { panic("secret-word") },
		funcbackend.WithPanicHook(func(_ *interceptors.Call, value any, stack []byte) {
			if told = value; !strings.Contains(string(stack), "funcbackend_test") {
				t.Error("the stack does not show where")
			}
		}))
	reply := backend.Attempt(t.Context(), backendtest.NewCall(`{}`))
	if told != "secret-word" || reply.ToolError.GetErrorClass() != interceptors.Terminal || strings.Contains(reply.ToolError.String()+reply.Cause, "secret-word") {
		t.Errorf("told %v, got %+v", told, reply)
	}
}

func TestAFunctionsOwnDeadlineIsATimeoutAndTheCallersIsTheCallers(t *testing.T) {
	if reply := returning(t, nil, fmt.Errorf("query: %w", context.DeadlineExceeded)); reply.Failure != interceptors.FailureTimeout || !reply.Sent {
		t.Errorf("got %+v", reply)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		backend := function(t, func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if reply := backend.Attempt(ctx, backendtest.NewCall(`{}`)); reply.Failure != interceptors.FailureTimeout || !reply.Sent {
			t.Errorf("got %+v", reply)
		}
	})
}

func TestAFunctionSeesItsArgumentsAndItsKey(t *testing.T) {
	call := backendtest.NewCall(``)
	call.IdempotencyKey = "k1"
	backend := function(t, func(ctx context.Context, arguments json.RawMessage) (any, error) {
		return funcbackend.IdempotencyKey(ctx) + string(arguments), nil
	})
	if reply := backend.Attempt(t.Context(), call); reply.Result.GetContent()[0].GetText().GetText() != "k1{}" {
		t.Errorf("got %v", reply.Result)
	}
}

func TestAFunctionIsNeeded(t *testing.T) {
	if _, err := funcbackend.New(nil); err == nil {
		t.Error("nil was accepted")
	}
}
