package interceptors

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
)

// Next runs the rest of the chain. A room may call it any number of times, from
// one goroutine at a time. It returns an Outcome or a gRPC status, never both.
type Next func(ctx context.Context, call *Call) (*Outcome, error)

// Handle is a room's work: look at the call, let it pass or answer it, look at
// the outcome. It must be safe for concurrent use by different calls.
type Handle func(ctx context.Context, call *Call, next Next) (*Outcome, error)

// Interceptor makes the ordinary gRPC interceptor of a room. The request that
// travels through the chain is a *Call, the response an *Outcome.
func Interceptor(handle Handle) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		call, ok := req.(*Call)
		if !ok {
			return nil, StatusInternal(fmt.Errorf("a room of the tool chain was given %T", req))
		}
		outcome, err := handle(ctx, call, func(ctx context.Context, call *Call) (*Outcome, error) {
			resp, err := handler(ctx, call)
			if err != nil {
				return nil, err
			}
			return resp.(*Outcome), nil
		})
		if err != nil {
			return nil, err
		}
		return outcome, nil
	}
}

// insideInfo is what rooms of the tool chain are told of the rpc: nothing, since
// a call may come through any door. It is shared and not to be written to.
var insideInfo = &grpc.UnaryServerInfo{}

// Chain joins interceptors, the first listed outermost, around the handler of
// the last room.
func Chain(last Next, rooms ...grpc.UnaryServerInterceptor) Next {
	handler := grpc.UnaryHandler(func(ctx context.Context, req any) (any, error) {
		outcome, err := last(ctx, req.(*Call))
		if err != nil {
			return nil, err
		}
		return outcome, nil
	})
	for i := len(rooms) - 1; i >= 0; i-- {
		room, inner := rooms[i], handler
		handler = func(ctx context.Context, req any) (any, error) {
			return room(ctx, req, insideInfo, inner)
		}
	}
	return func(ctx context.Context, call *Call) (*Outcome, error) {
		resp, err := handler(ctx, call)
		if err != nil {
			return nil, err
		}
		return resp.(*Outcome), nil
	}
}
