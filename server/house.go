package server

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// house is what doors other than gRPC's lead to: the service behind the same
// rooms, without a connection. It implements door.House.
type house struct {
	service *service
	unary   grpc.UnaryServerInterceptor
	stream  grpc.StreamServerInterceptor
}

func newHouse(p *parts) *house {
	return &house{service: p.service, unary: joinedUnary(p.unary), stream: joinedStream(p.stream)}
}

// within runs one rpc inside the rooms.
func within[Req, Resp any](ctx context.Context, h *house, method string, req Req, run func(context.Context, Req) (Resp, error)) (Resp, error) {
	info := &grpc.UnaryServerInfo{Server: h.service, FullMethod: method}
	resp, err := h.unary(ctx, req, info, func(ctx context.Context, req any) (any, error) { return run(ctx, req.(Req)) })
	typed, _ := resp.(Resp)
	return typed, err
}

// ListTools implements door.House.
func (h *house) ListTools(ctx context.Context, req *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return within(ctx, h, toolgatev1.ToolGatewayService_ListTools_FullMethodName, req, h.service.ListTools)
}

// CallTool implements door.House.
func (h *house) CallTool(ctx context.Context, req *toolgatev1.CallToolRequest, progress func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error) {
	return within(ctx, h, toolgatev1.ToolGatewayService_CallTool_FullMethodName, req,
		func(ctx context.Context, req *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
			return h.service.callTool(ctx, req, progress)
		})
}

// GetRun implements door.House.
func (h *house) GetRun(ctx context.Context, req *toolgatev1.GetRunRequest) (*toolgatev1.GetRunResponse, error) {
	return within(ctx, h, toolgatev1.ToolGatewayService_GetRun_FullMethodName, req, h.service.GetRun)
}

// EndRun implements door.House.
func (h *house) EndRun(ctx context.Context, req *toolgatev1.EndRunRequest) (*toolgatev1.EndRunResponse, error) {
	return within(ctx, h, toolgatev1.ToolGatewayService_EndRun_FullMethodName, req, h.service.EndRun)
}

// GetFailureReport implements door.House.
func (h *house) GetFailureReport(ctx context.Context, req *toolgatev1.GetFailureReportRequest) (*toolgatev1.GetFailureReportResponse, error) {
	return within(ctx, h, toolgatev1.ToolGatewayService_GetFailureReport_FullMethodName, req, h.service.GetFailureReport)
}

// CallTools implements door.House.
func (h *house) CallTools(ctx context.Context, req *toolgatev1.CallToolsRequest, send func(*toolgatev1.CallToolsResponse) error) error {
	info := &grpc.StreamServerInfo{FullMethod: toolgatev1.ToolGatewayService_CallTools_FullMethodName, IsServerStream: true}
	return h.stream(h.service, &sending{ctx: ctx, send: send}, info, func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(req); err != nil { // admit weighs what is received
			return err
		}
		return h.service.CallTools(req, &grpc.GenericServerStream[toolgatev1.CallToolsRequest, toolgatev1.CallToolsResponse]{ServerStream: stream})
	})
}

// sending is a stream whose messages go to a function.
type sending struct {
	grpc.ServerStream // nil: doors have no headers of gRPC's

	ctx  context.Context //nolint:containedctx // a stream is its context
	send func(*toolgatev1.CallToolsResponse) error
}

func (s *sending) Context() context.Context { return s.ctx }

func (s *sending) SendMsg(message any) error { return s.send(message.(*toolgatev1.CallToolsResponse)) }

// RecvMsg receives the request that is there already.
func (*sending) RecvMsg(any) error { return nil }

func (*sending) SetHeader(metadata.MD) error  { return nil }
func (*sending) SendHeader(metadata.MD) error { return nil }
func (*sending) SetTrailer(metadata.MD)       {}

func joinedUnary(rooms []grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, last grpc.UnaryHandler) (any, error) {
		next := last
		for _, room := range slices.Backward(rooms) {
			inner := next
			next = func(ctx context.Context, req any) (any, error) { return room(ctx, req, info, inner) }
		}
		return next(ctx, req)
	}
}

func joinedStream(rooms []grpc.StreamServerInterceptor) grpc.StreamServerInterceptor {
	return func(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, last grpc.StreamHandler) error {
		next := last
		for _, room := range slices.Backward(rooms) {
			inner := next
			next = func(service any, stream grpc.ServerStream) error { return room(service, stream, info, inner) }
		}
		return next(service, stream)
	}
}

// callTool runs one call of any door.
func (s *service) callTool(ctx context.Context, req *toolgatev1.CallToolRequest, progress func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error) {
	run, err := runOf(ctx, req.GetRunId())
	if err != nil {
		return nil, err
	}
	if err := checkCall(req.GetCall(), "call"); err != nil {
		return nil, err
	}
	arrived := time.Now()
	ctx, snapshot := s.arrive(ctx, run, req.GetCall().GetCallId())
	call := interceptors.NewCall(run, req.GetCall(), arrived, snapshot)
	if progress != nil {
		call.Progress = progress
	}
	return s.run(ctx, call)
}
