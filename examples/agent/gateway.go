package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// Gateway is the tool layer that toolgate is: one run of one client.
type Gateway struct {
	// Slept is what the gateway has waited within the calls so far, as its
	// progress told.
	Slept time.Duration

	client    *toolgate.Client
	run       string
	arguments map[string][]string
}

// NewGateway lists the tools of a gateway for one run.
func NewGateway(ctx context.Context, client *toolgate.Client, run string) (*Gateway, error) {
	listed, err := client.ListTools(ctx)
	if err != nil {
		return nil, err
	}
	g := &Gateway{client: client, run: run, arguments: map[string][]string{}}
	for _, tool := range listed.GetTools() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal([]byte(tool.GetInputSchemaJson()), &schema); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", tool.GetName(), err)
		}
		for name := range schema.Properties {
			g.arguments[tool.GetName()] = append(g.arguments[tool.GetName()], name)
		}
	}
	return g, nil
}

// Arguments names the arguments of a tool.
func (g *Gateway) Arguments(tool string) []string { return g.arguments[tool] }

// Call runs one call. A status of the gateway itself is a failure without a
// type: there is nothing in it for a model.
func (g *Gateway) Call(ctx context.Context, call Call) Answer {
	result, err := g.client.Do(ctx, g.run, toolgate.Call{
		Tool: call.Tool, Args: call.Arguments,
		Progress: func(p *toolgatev1.CallProgress) { g.Slept += time.Duration(p.GetWait() * float64(time.Second)) },
	})
	var failure *toolgate.ToolError
	switch {
	case err == nil:
		return Answer{OK: true, Text: result.Text(), Coercions: result.GetCoercions()}
	case errors.As(err, &failure):
		return Answer{Text: failure.Observation, Failure: failure}
	}
	return Answer{Text: err.Error(), Failure: &toolgate.ToolError{Class: toolgate.Terminal, Code: "gateway"}}
}
