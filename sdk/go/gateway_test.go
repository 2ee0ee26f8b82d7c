package toolgate_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// gateway is a gateway that answers as it is told and remembers what came.
type gateway struct {
	toolgatev1.UnimplementedToolGatewayServiceServer

	one  func(ctx context.Context, n int, call *toolgatev1.ToolCall) (*toolgatev1.CallToolResponse, error)
	many func(ctx context.Context, request *toolgatev1.CallToolsRequest, send func(*toolgatev1.CallToolsResponse)) error

	ending time.Duration // of a run, takes so long

	mu    sync.Mutex // guards calls
	calls []*toolgatev1.ToolCall
}

func (g *gateway) CallTool(ctx context.Context, request *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
	g.mu.Lock()
	g.calls = append(g.calls, request.GetCall())
	n := len(g.calls)
	g.mu.Unlock()
	return g.one(ctx, n, request.GetCall())
}

func (g *gateway) CallTools(request *toolgatev1.CallToolsRequest, stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]) error {
	g.mu.Lock()
	g.calls = append(g.calls, request.GetCalls()...)
	g.mu.Unlock()
	return g.many(stream.Context(), request, func(event *toolgatev1.CallToolsResponse) { _ = stream.Send(event) })
}

func (g *gateway) ListTools(context.Context, *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return &toolgatev1.ListToolsResponse{Contract: "the contract", Tools: []*toolgatev1.Tool{{Name: "t"}}}, nil
}

func (g *gateway) EndRun(_ context.Context, request *toolgatev1.EndRunRequest) (*toolgatev1.EndRunResponse, error) {
	<-time.After(g.ending)
	return &toolgatev1.EndRunResponse{Run: &toolgatev1.RunSummary{RunId: request.GetRunId(), Calls: 7}}, nil
}

func (g *gateway) texts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var texts []string
	for _, call := range g.calls {
		texts = append(texts, call.GetArgumentsJson())
	}
	return texts
}

// dial serves g in memory for the rest of the test.
func dial(t *testing.T, g *gateway, options ...toolgate.Option) *toolgate.Client {
	t.Helper()
	pipe := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	toolgatev1.RegisterToolGatewayServiceServer(server, g)
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(pipe) }()
	options = append(options, toolgate.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	))
	client, err := toolgate.Dial("passthrough:///memory", options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(); server.Stop(); <-served })
	return client
}

func result(json string) *toolgatev1.CallToolResponse {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{
		Result: &toolgatev1.ToolResult{StructuredJson: json, Attempts: 1}}}
}

func failure(e *toolgatev1.ToolError) *toolgatev1.CallToolResponse {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: e}}
}

func transient(seconds float64) *toolgatev1.ToolError {
	return &toolgatev1.ToolError{ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, Code: "busy", RetryAfter: &seconds}
}

func done(index uint32, response *toolgatev1.CallToolResponse) *toolgatev1.CallToolsResponse {
	return &toolgatev1.CallToolsResponse{Index: index, Event: &toolgatev1.CallToolsResponse_Done{Done: response}}
}

func progress(index, attempt uint32) *toolgatev1.CallToolsResponse {
	return &toolgatev1.CallToolsResponse{Index: index, Event: &toolgatev1.CallToolsResponse_Progress{
		Progress: &toolgatev1.CallProgress{Phase: toolgatev1.CallProgress_PHASE_WAIT, Attempt: attempt, Wait: 2}}}
}
