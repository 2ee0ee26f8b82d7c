package web

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// Prefix is the path below which the door answers, one path an rpc.
const Prefix = "/toolgate.v1.ToolGatewayService/"

// New makes the door's handler. It is safe for concurrent use.
func New(house door.House) http.Handler {
	mux := http.NewServeMux()
	unary(mux, toolgatev1.ToolGatewayService_ListTools_FullMethodName, house.ListTools)
	unary(mux, toolgatev1.ToolGatewayService_CallTool_FullMethodName, callTool(house))
	unary(mux, toolgatev1.ToolGatewayService_GetRun_FullMethodName, house.GetRun)
	unary(mux, toolgatev1.ToolGatewayService_EndRun_FullMethodName, house.EndRun)
	unary(mux, toolgatev1.ToolGatewayService_GetFailureReport_FullMethodName, house.GetFailureReport)
	mux.Handle(toolgatev1.ToolGatewayService_CallTools_FullMethodName, connect.NewServerStreamHandler(
		toolgatev1.ToolGatewayService_CallTools_FullMethodName, callTools(house), bounds()...))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(door.Caller(r)))
	})
}

func bounds() []connect.HandlerOption {
	return []connect.HandlerOption{connect.WithReadMaxBytes(door.MaxBodyBytes)}
}

// unary mounts one rpc of the house.
func unary[Req, Resp any](mux *http.ServeMux, procedure string, rpc func(context.Context, *Req) (*Resp, error)) {
	handle := func(ctx context.Context, req *connect.Request[Req]) (*connect.Response[Resp], error) {
		resp, err := rpc(ctx, req.Msg)
		if err != nil {
			return nil, statusOf(err)
		}
		return connect.NewResponse(resp), nil
	}
	mux.Handle(procedure, connect.NewUnaryHandler(procedure, handle, bounds()...))
}

func callTool(house door.House) func(context.Context, *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
	return func(ctx context.Context, req *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
		return house.CallTool(ctx, req, nil)
	}
}

func callTools(house door.House) func(context.Context, *connect.Request[toolgatev1.CallToolsRequest], *connect.ServerStream[toolgatev1.CallToolsResponse]) error {
	return func(ctx context.Context, req *connect.Request[toolgatev1.CallToolsRequest], stream *connect.ServerStream[toolgatev1.CallToolsResponse]) error {
		return statusOf(house.CallTools(ctx, req.Msg, stream.Send))
	}
}

// statusOf tells a gRPC status of the house in Connect's words, with its details.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	told := connect.NewError(connect.Code(st.Code()), errors.New(st.Message()))
	for _, detail := range st.Details() {
		message, ok := detail.(proto.Message)
		if !ok {
			continue
		}
		if packed, err := connect.NewErrorDetail(message); err == nil {
			told.AddDetail(packed)
		}
	}
	return told
}
