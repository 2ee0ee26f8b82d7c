package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"time"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

func execute(request *conformancev1.ExecuteRequest) *conformancev1.ExecuteResponse {
	action := request.GetAction()
	client, err := connect(request.GetConnection(), seconds(action.GetWaitTransient().GetWithin()))
	if err != nil {
		return &conformancev1.ExecuteResponse{Broken: err.Error()}
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if deadline := seconds(action.GetDeadline()); deadline > 0 {
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	if after := seconds(action.GetCancelAfter()); after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
	}
	return move(ctx, client.Run(request.GetRunId()), client, action)
}

func connect(connection *conformancev1.Connection, wait time.Duration) (*toolgate.Client, error) {
	var options []toolgate.Option
	if wait > 0 {
		options = append(options, toolgate.WithTransientWait(wait))
	}
	if authority := connection.GetCaPem(); authority != "" {
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM([]byte(authority))
		options = append(options, toolgate.WithTLS(&tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}))
	}
	if token := connection.GetToken(); token != "" {
		options = append(options, toolgate.WithToken(token))
	}
	return toolgate.Dial(connection.GetTarget(), options...)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func move(ctx context.Context, run *toolgate.Run, client *toolgate.Client, action *conformancev1.Action) *conformancev1.ExecuteResponse {
	response := &conformancev1.ExecuteResponse{}
	switch {
	case action.GetCall() != nil:
		result, err := run.Do(ctx, native(action.GetCall()))
		response.Outcomes = append(response.Outcomes, outcome(0, result, err))
	case action.GetWaitTransient() != nil:
		result, err := run.Do(ctx, native(action.GetWaitTransient().GetCall()))
		response.Outcomes = append(response.Outcomes, outcome(0, result, err))
	case action.GetCallMany() != nil:
		response.Outcomes = many(ctx, run, action.GetCallMany().GetCalls())
	case action.GetListTools() != nil:
		listed, err := client.ListTools(ctx)
		if err != nil {
			response.Outcomes = append(response.Outcomes, outcome(0, nil, err))
			break
		}
		response.Shapes = shapes(listed.GetTools())
	case action.GetEndRun() != nil:
		summary, err := run.End(ctx)
		if err != nil {
			response.Outcomes = append(response.Outcomes, outcome(0, nil, err))
		}
		response.Calls = summary.GetCalls()
	default:
		response.Broken = "an action that this executor does not know"
	}
	return response
}

func native(call *toolgatev1.ToolCall) toolgate.Call {
	return toolgate.Call{
		Tool: call.GetTool(), Args: call.GetArgumentsJson(), ID: call.GetCallId(),
		WantAlternatives: call.GetWantAlternatives(), Fresh: call.GetFresh(),
	}
}

func many(ctx context.Context, run *toolgate.Run, calls []*toolgatev1.ToolCall) (outcomes []*conformancev1.Outcome) {
	heard := make([][]*toolgatev1.CallProgress, len(calls))
	list := make([]toolgate.Call, len(calls))
	for i, call := range calls {
		list[i] = native(call)
		list[i].Progress = func(progress *toolgatev1.CallProgress) { heard[i] = append(heard[i], progress) }
	}
	for done := range run.CallMany(ctx, list) {
		one := outcome(done.Index, done.Result, done.Err)
		one.Progress = heard[done.Index]
		outcomes = append(outcomes, one)
	}
	return outcomes
}

func shapes(tools []*toolgatev1.Tool) (shapes []*conformancev1.Shape) {
	for _, shape := range []struct {
		name string
		make func([]*toolgatev1.Tool) []map[string]any
	}{
		{"openai", toolgate.OpenAITools},
		{"openai_chat", toolgate.OpenAIChatTools},
		{"anthropic", toolgate.AnthropicTools},
		{"gemini", toolgate.GeminiTools},
		{"mcp", toolgate.MCPTools},
	} {
		text, err := json.Marshal(shape.make(tools))
		if err != nil {
			text = []byte(err.Error()) // which is no JSON and compares as nothing
		}
		shapes = append(shapes, &conformancev1.Shape{Name: shape.name, Json: string(text)})
	}
	return shapes
}
