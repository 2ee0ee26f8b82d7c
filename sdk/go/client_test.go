package toolgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

func always(response *toolgatev1.CallToolResponse) func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
	return func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		return response, nil
	}
}

func TestArgumentsTravelAsTheyWereWritten(t *testing.T) {
	g := &gateway{one: always(result(`{}`))}
	client := dial(t, g)
	for _, tc := range []struct {
		args any
		want string
	}{
		{nil, ""},
		{`{"amount": 150.00}`, `{"amount": 150.00}`},
		{`{"broken": `, `{"broken": `},
		{[]byte(`{"b":1}`), `{"b":1}`},
		{json.RawMessage(`{"n":12345678901234567890}`), `{"n":12345678901234567890}`},
		{map[string]any{"q": "a<b & c"}, `{"q":"a<b & c"}`},
		{struct {
			Amount json.Number `json:"amount"`
		}{"42.10"}, `{"amount":42.10}`},
	} {
		if _, err := client.Call(t.Context(), "run", "t", tc.args); err != nil {
			t.Fatal(err)
		}
		if texts := g.texts(); texts[len(texts)-1] != tc.want {
			t.Errorf("%v travelled as %s, want %s", tc.args, texts[len(texts)-1], tc.want)
		}
	}
	if _, err := client.Call(t.Context(), "run", "t", func() {}); err == nil || len(g.texts()) != 7 {
		t.Errorf("what has no JSON was sent: %v", err)
	}
}

func TestAResultIsTextAndJSON(t *testing.T) {
	g := &gateway{one: func(_ context.Context, n int, _ *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		if n == 1 {
			return result(`{"balance":42.10}`), nil
		}
		return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: &toolgatev1.ToolResult{
			Content: []*toolgatev1.ContentBlock{
				{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "one"}}},
				{Block: &toolgatev1.ContentBlock_Image{Image: &toolgatev1.BlobBlock{Data: []byte{1}}}},
				{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "two"}}},
			}}}}, nil
	}}
	client := dial(t, g)
	structured, err := client.Call(t.Context(), "run", "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	var into struct{ Balance json.Number }
	if err := structured.Decode(&into); err != nil || into.Balance != "42.10" || structured.Text() != `{"balance":42.10}` {
		t.Errorf("decoded %v from %s: %v", into, structured.Text(), err)
	}
	plain, err := client.Call(t.Context(), "run", "t", nil)
	if err != nil || plain.Text() != "one\ntwo" {
		t.Errorf("got %q, %v", plain.Text(), err)
	}
	if plain.Decode(&into) == nil {
		t.Error("text was decoded as JSON")
	}
}

func TestAFailureIsAToolError(t *testing.T) {
	sent := &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "insufficient_funds", Message: "Balance 42.10 below requested 150.00",
		BlockedBy: "balance", UnblockWith: "request_deposit", Observation: "{}",
		Violations:   []*toolgatev1.Violation{{Field: "amount"}},
		Alternatives: []*toolgatev1.Alternative{{Tool: "other"}},
	}
	_, err := dial(t, &gateway{one: always(failure(sent))}).Call(t.Context(), "run", "t", nil)
	var failed *toolgate.ToolError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if failed.Class != toolgate.Terminal || failed.UnblockWith != "request_deposit" || failed.BlockedBy != "balance" ||
		failed.Violations[0].GetField() != "amount" || failed.Alternatives[0].GetTool() != "other" ||
		failed.Observation != "{}" || failed.Proto().GetCode() != "insufficient_funds" {
		t.Errorf("lost on the way: %+v", failed)
	}
	if got := err.Error(); got != "toolgate: terminal: insufficient_funds: Balance 42.10 below requested 150.00" {
		t.Errorf("reads %q", got)
	}
}

func TestAClassThatNobodyKnowsIsTerminal(t *testing.T) {
	for number, want := range map[toolgatev1.ErrorClass]toolgate.Class{0: toolgate.Terminal, 1: toolgate.Transient, 2: toolgate.InvalidRequest, 3: toolgate.Terminal, 77: toolgate.Terminal} {
		_, err := dial(t, &gateway{one: always(failure(&toolgatev1.ToolError{ErrorClass: number}))}).Call(t.Context(), "run", "t", nil)
		var failed *toolgate.ToolError
		if !errors.As(err, &failed) || failed.Class != want {
			t.Errorf("class %d reads %v, want %s", number, err, want)
		}
	}
}

func TestSecondsBecomeADurationThatIsNeverShorter(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{
		0: 0, 2: 2 * time.Second, 0.0015: 1500 * time.Microsecond, 1e-10: 1,
		-1: 0, math.Inf(1): math.MaxInt64, 1e300: math.MaxInt64, math.NaN(): 0,
	} {
		_, err := dial(t, &gateway{one: always(failure(transient(seconds)))}).Call(t.Context(), "run", "t", nil)
		var failed *toolgate.ToolError
		if !errors.As(err, &failed) || failed.RetryAfter != want {
			t.Errorf("%v s became %v, want %v", seconds, failed.RetryAfter, want)
		}
	}
}

func TestAStatusIsNotAToolErrorAndNamesItsReason(t *testing.T) {
	full, _ := status.New(codes.ResourceExhausted, "full").WithDetails(&errdetails.ErrorInfo{Reason: "GATEWAY_FULL", Domain: "toolgate.dev"})
	g := &gateway{one: func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		return nil, full.Err()
	}}
	_, err := dial(t, g, toolgate.WithTransientWait(time.Hour)).Call(t.Context(), "run", "t", nil)
	var failed *toolgate.ToolError
	if errors.As(err, &failed) || status.Code(err) != codes.ResourceExhausted || toolgate.Reason(err) != "GATEWAY_FULL" {
		t.Errorf("got %v, reason %q", err, toolgate.Reason(err))
	}
	if len(g.texts()) != 1 {
		t.Errorf("the client retried: %d calls", len(g.texts()))
	}
	if reason := toolgate.Reason(errors.New("other")); reason != "" {
		t.Errorf("a strange error has reason %q", reason)
	}
}

func TestAnUnavailableGatewayIsAskedOnce(t *testing.T) {
	g := &gateway{one: func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		return nil, status.Error(codes.Unavailable, "draining")
	}}
	_, err := dial(t, g).Call(t.Context(), "run", "t", nil)
	if status.Code(err) != codes.Unavailable || len(g.texts()) != 1 {
		t.Errorf("%d calls, %v", len(g.texts()), err)
	}
}

func TestAnOutcomeThatNobodyKnowsIsAnError(t *testing.T) {
	if _, err := dial(t, &gateway{one: always(&toolgatev1.CallToolResponse{})}).Call(t.Context(), "run", "t", nil); err == nil {
		t.Error("no outcome passed for a result")
	}
}

func TestTransientFailuresAreWaitedOut(t *testing.T) {
	exhausted := transient(1)
	exhausted.Exhausted = true
	for _, tc := range []struct {
		name     string
		patience time.Duration
		deadline time.Duration
		failures []*toolgatev1.ToolError // then a result
		calls    int
		slept    time.Duration
		succeeds bool
	}{
		{"a client without patience asks once", 0, 0, []*toolgatev1.ToolError{transient(1)}, 1, 0, false},
		{"a patient one sleeps what it is told", time.Minute, 0, []*toolgatev1.ToolError{transient(2), transient(3)}, 3, 5 * time.Second, true},
		{"a wait that does not fit is not slept", 4 * time.Second, 0, []*toolgatev1.ToolError{transient(2), transient(3)}, 2, 2 * time.Second, false},
		{"nor one beyond the deadline", time.Hour, 10 * time.Second, []*toolgatev1.ToolError{transient(120)}, 1, 0, false},
		{"exhausted means that the gateway has waited", time.Minute, 0, []*toolgatev1.ToolError{exhausted}, 1, 0, false},
		{"zero seconds are no busy loop", time.Second, 0, slices.Repeat([]*toolgatev1.ToolError{transient(0)}, 1000), 21, time.Second, false},
		{"no other class is repeated", time.Minute, 0, []*toolgatev1.ToolError{{ErrorClass: 2}}, 1, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gateway{one: func(_ context.Context, n int, _ *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
					if n <= len(tc.failures) {
						return failure(tc.failures[n-1]), nil
					}
					return result(`{}`), nil
				}}
				client := dial(t, g, toolgate.WithTransientWait(tc.patience))
				ctx := t.Context()
				if tc.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.deadline)
					defer cancel()
				}
				start := time.Now()
				_, err := client.Call(ctx, "run", "t", `{"a":1}`)
				if len(g.texts()) != tc.calls || time.Since(start) != tc.slept || (err == nil) != tc.succeeds {
					t.Errorf("%d calls in %v, %v; want %d in %v", len(g.texts()), time.Since(start), err, tc.calls, tc.slept)
				}
				for _, text := range g.texts() {
					if text != `{"a":1}` {
						t.Errorf("the repeated call differs: %s", text)
					}
				}
			})
		})
	}
}

// The limit is of the call, and not of its sleeps alone.
func TestAttemptsTakeOfThePatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := dial(t, &gateway{one: func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
			<-time.After(4 * time.Second)
			return failure(transient(2)), nil
		}}, toolgate.WithTransientWait(10*time.Second))
		start := time.Now()
		_, err := client.Call(t.Context(), "run", "t", nil)
		if took := time.Since(start); took != 10*time.Second || err == nil {
			t.Errorf("took %v, %v", took, err)
		}
	})
}

func TestACallerWhoLeavesWhileTheClientWaitsGetsTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := dial(t, &gateway{one: always(failure(transient(5)))}, toolgate.WithTransientWait(time.Hour))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := client.Call(ctx, "run", "t", nil)
		if _, ok := errors.AsType[*toolgate.ToolError](err); !ok {
			t.Errorf("got %v", err)
		}
	})
}

func TestToolsAreListedAndRunsEnd(t *testing.T) {
	client := dial(t, &gateway{})
	listed, err := client.ListTools(t.Context())
	if err != nil || listed.GetContract() != "the contract" || listed.GetTools()[0].GetName() != "t" {
		t.Errorf("got %v, %v", listed, err)
	}
	ended, err := client.EndRun(t.Context(), "night")
	if err != nil || ended.GetRunId() != "night" || ended.GetCalls() != 7 {
		t.Errorf("got %v, %v", ended, err)
	}
}

func TestWhatCantBeDialledIsToldAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		target, token, want string
	}{
		"a URL":               {"http://127.0.0.1:7440", "", "http://127.0.0.1:7440 is not host:port"},
		"a URL with TLS":      {"https://gateway:7440", "", "https://gateway:7440 is not host:port"},
		"a token with a line": {"127.0.0.1:7440", "tg_secret\n", "end of line"},
		"host and port":       {"127.0.0.1:7440", "tg_secret", ""},
		"gRPC's own":          {"dns:///gateway:7440", "", ""},
	} {
		client, err := toolgate.Dial(c.target, toolgate.WithToken(c.token))
		if err == nil {
			_ = client.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
