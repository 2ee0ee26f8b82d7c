package mcp

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

func (d *Door) callTool(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	wanted, err := wishesOf(req.Params.Meta)
	if err != nil {
		return nil, err
	}
	run, err := d.runOf(ctx, req, wanted)
	if err != nil {
		return nil, err
	}
	tell, told := report(ctx, req)
	defer told()
	rpc, done := d.within(ctx, req)
	defer done()
	response, err := d.house.CallTool(rpc, &toolgatev1.CallToolRequest{RunId: run, Call: &toolgatev1.ToolCall{
		CallId: wanted.call, Tool: called(ctx), ArgumentsJson: d.argumentsOf(req.Params.Arguments),
		WantAlternatives: wanted.alternatives, Fresh: wanted.fresh,
	}}, tell)
	if err != nil {
		return nil, faultOf(err)
	}
	result := failed(response.GetError())
	if response.GetError() == nil {
		result = succeeded(response.GetResult(), req.ProtocolVersion(), wanted.program)
	}
	result.Meta[MetaRunID] = run
	return result, nil
}

// argumentsOf is the text that the client sent, digit for digit.
func (d *Door) argumentsOf(raw json.RawMessage) string {
	if rawjson.KindOf(raw) == rawjson.String {
		if text, ok := strings.CutPrefix(rawjson.Text(raw), d.seal); ok { // see tame
			return text
		}
	}
	return string(raw)
}

// runOf names the run of a call: see the package comment.
func (d *Door) runOf(ctx context.Context, req *sdk.CallToolRequest, wanted wishes) (string, error) {
	if wanted.run != "" {
		return wanted.run, nil
	}
	if p := pipeFrom(ctx); p != nil {
		return p.use(), nil
	}
	caller := callerFrom(req.Extra)
	switch {
	case caller == nil: // a transport of the embedding program's
		return runName("session", req.Session.ID()), nil
	case len(caller.run) > maxIDBytes:
		return "", invalidParams("RUN_ID_TOO_LONG", HeaderRunID, "at most 128 bytes are accepted")
	case caller.run != "":
		return caller.run, nil
	case req.Session.ID() != "":
		return d.sessions.run(req.Session.ID(), caller), nil
	}
	client := ""
	if info := req.ClientInfo(); info != nil {
		client = info.Name + " " + info.Version
	}
	return runName("connection", caller.principal, caller.origin, client), nil
}
