package toolgate_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

func TestARunNamesItselfOnEveryCallAndEnds(t *testing.T) {
	g := &gateway{one: func(context.Context, int, *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		return result(`{}`), nil
	}, many: func(_ context.Context, request *toolgatev1.CallToolsRequest, send func(*toolgatev1.CallToolsResponse)) error {
		send(done(0, result(`"`+request.GetRunId()+`"`)))
		return nil
	}}
	run := dial(t, g).Run("r1")
	if _, err := run.Call(t.Context(), "t", nil); err != nil || run.ID() != "r1" {
		t.Fatal(run.ID(), err)
	}
	for outcome := range run.CallMany(t.Context(), []toolgate.Call{{Tool: "t"}}) {
		if outcome.Err != nil || outcome.Result.Text() != `"r1"` {
			t.Error(outcome.Result, outcome.Err)
		}
	}
	if summary, err := run.End(t.Context()); err != nil || summary.GetRunId() != "r1" {
		t.Error(summary, err)
	}
}

func TestNobodyWaitsLongForTheEndOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := dial(t, &gateway{ending: 10 * time.Second})
		if _, err := client.Run("r").End(t.Context()); status.Code(err) != codes.DeadlineExceeded {
			t.Error(err)
		}
		if _, err := client.EndRun(t.Context(), "r"); err != nil {
			t.Error(err)
		}
	})
}

func TestARunWithoutAnIDMakesOneUp(t *testing.T) {
	client := dial(t, &gateway{})
	if a, b := client.Run("").ID(), client.Run("").ID(); a == "" || a == b {
		t.Error(a, b)
	}
}

func TestATokenIsShownWithEveryCall(t *testing.T) {
	var shown []string
	client := dial(t, &gateway{one: func(ctx context.Context, _ int, _ *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error) {
		shown = metadata.ValueFromIncomingContext(ctx, "authorization")
		return result(`{}`), nil
	}}, toolgate.WithToken("secret"))
	if _, err := client.Call(t.Context(), "r", "t", nil); err != nil || len(shown) != 1 || shown[0] != "Bearer secret" {
		t.Error(shown, err)
	}
}

func TestTheShapesAreWhatTheModelAPIsTake(t *testing.T) {
	tools := []*toolgatev1.Tool{
		{Name: "read", Description: "Reads.", Effect: toolgatev1.Effect_EFFECT_READ, InputSchemaJson: `{"type":"object","maximum":1.10}`},
		{Name: "write", Effect: toolgatev1.Effect_EFFECT_WRITE},
	}
	const schema = `{"type":"object","maximum":1.10}`
	for name, c := range map[string]struct {
		got  []map[string]any
		want string
	}{
		"openai": {
			toolgate.OpenAITools(tools[:1]),
			`[{"description":"Reads.","name":"read","parameters":` + schema + `,"strict":false,"type":"function"}]`,
		},
		"openai_chat": {
			toolgate.OpenAIChatTools(tools[:1]),
			`[{"function":{"description":"Reads.","name":"read","parameters":` + schema + `},"type":"function"}]`,
		},
		"anthropic": {toolgate.AnthropicTools(tools[:1]), `[{"description":"Reads.","input_schema":` + schema + `,"name":"read"}]`},
		"gemini":    {toolgate.GeminiTools(tools[:1]), `[{"description":"Reads.","name":"read","parametersJsonSchema":` + schema + `}]`},
		"mcp": {
			toolgate.MCPTools(tools[1:]),
			`[{"annotations":{"idempotentHint":false,"readOnlyHint":false},"description":"","inputSchema":{"type":"object"},"name":"write"}]`,
		},
		"no schema of an object": {
			toolgate.AnthropicTools([]*toolgatev1.Tool{{InputSchemaJson: "true"}, {InputSchemaJson: ` { } `}, {InputSchemaJson: ` { "required":["a"]}`}}),
			`[{"description":"","input_schema":{"type":"object"},"name":""},{"description":"","input_schema":{"type":"object"},"name":""},` +
				`{"description":"","input_schema":{"type":"object","required":["a"]},"name":""}]`,
		},
		"none": {toolgate.MCPTools(nil), `[]`},
	} {
		text, err := json.Marshal(c.got)
		if err != nil || string(text) != c.want {
			t.Errorf("%s: %s, want %s (%v)", name, text, c.want, err)
		}
	}
}
