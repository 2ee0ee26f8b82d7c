package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// standIn is the one tool that the SDK keeps, and that no list names: every call
// goes through it, and when it is added anew clients are told that the tools have
// changed. Those are the house's, and other for each principal.
const standIn = "toolgate"

type calledKey struct{}

// throughStandIn has the SDK call the stand-in: it completes the result as the
// client's version wants it.
func throughStandIn(ctx context.Context, req *sdk.CallToolRequest, next sdk.MethodHandler) (sdk.Result, error) {
	params := *req.Params
	params.Name = standIn
	stand := &sdk.CallToolRequest{Session: req.Session, Params: &params, Extra: req.Extra}
	return next(context.WithValue(ctx, calledKey{}, req.Params.Name), "tools/call", stand)
}

// called is the name that the client called.
func called(ctx context.Context) string {
	name, _ := ctx.Value(calledKey{}).(string)
	return name
}

// methods answers what is the house's and leaves the protocol to the SDK.
func (d *Door) methods(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListToolsRequest:
			return answered(d.listTools(ctx, req))
		case *sdk.CallToolRequest:
			return throughStandIn(ctx, req, next)
		case *sdk.ServerRequest[*sdk.InitializeParams]:
			return d.initialize(ctx, req, next)
		case *sdk.ServerRequest[*sdk.DiscoverParams]:
			return d.discover(ctx, req, next)
		}
		return next(ctx, method, req)
	}
}

// answered keeps a nil result from becoming an interface that is not nil.
func answered[R sdk.Result](result R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (d *Door) initialize(ctx context.Context, req *sdk.ServerRequest[*sdk.InitializeParams], next sdk.MethodHandler) (sdk.Result, error) {
	contract, err := d.contract(ctx, req)
	if err != nil {
		return nil, err
	}
	result, err := next(ctx, methodInitialize, req)
	if result, ok := result.(*sdk.InitializeResult); ok && err == nil {
		result.Instructions = contract
		if caller := callerFrom(req.Extra); caller != nil && req.Session.ID() != "" {
			d.sessions.add(req.Session, caller)
		}
	}
	return result, err
}

func (d *Door) discover(ctx context.Context, req *sdk.ServerRequest[*sdk.DiscoverParams], next sdk.MethodHandler) (sdk.Result, error) {
	contract, err := d.contract(ctx, req)
	if err != nil {
		return nil, err
	}
	result, err := next(ctx, "server/discover", req)
	if result, ok := result.(*sdk.DiscoverResult); ok && err == nil {
		result.Instructions = contract
	}
	return result, err
}

// contract is the sentence for the system prompt. Whoever may not list tools gets
// no session.
func (d *Door) contract(ctx context.Context, req sdk.Request) (string, error) {
	ctx, done := d.within(ctx, req)
	defer done()
	listed, err := d.house.ListTools(ctx, &toolgatev1.ListToolsRequest{})
	if err != nil {
		return "", faultOf(err)
	}
	return listed.GetContract(), nil
}
