package interceptors

import (
	"context"
	"fmt"
	"slices"

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
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		call, ok := req.(*Call)
		if !ok {
			return nil, StatusInternal(fmt.Errorf("a room of the tool chain was given %T", req))
		}
		outcome, err := handle(ctx, call, nextOf(info, handler))
		if err != nil {
			return nil, err
		}
		return outcome, nil
	}
}

// link is what Chain tells a room by way of the rpc's info, which of a tool call
// there is none: a call may come through any door. It holds the handler as a Next,
// made once and not for every call.
type link struct{ next Next }

func nextOf(info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) Next {
	if info != nil {
		if l, ok := info.Server.(*link); ok {
			return l.next
		}
	}
	return func(ctx context.Context, call *Call) (*Outcome, error) { return outcomeOf(handler(ctx, call)) }
}

func outcomeOf(resp any, err error) (*Outcome, error) {
	if err != nil {
		return nil, err
	}
	return resp.(*Outcome), nil
}

// Chain joins interceptors, the first listed outermost, around the handler of
// the last room.
func Chain(last Next, rooms ...grpc.UnaryServerInterceptor) Next {
	next := last
	for _, room := range slices.Backward(rooms) {
		next = join(room, next)
	}
	return next
}

func join(room grpc.UnaryServerInterceptor, next Next) Next {
	info := &grpc.UnaryServerInfo{Server: &link{next: next}} // shared and not to be written to
	handler := func(ctx context.Context, req any) (any, error) {
		outcome, err := next(ctx, req.(*Call))
		if err != nil {
			return nil, err // no typed nil
		}
		return outcome, nil
	}
	return func(ctx context.Context, call *Call) (*Outcome, error) {
		return outcomeOf(room(ctx, call, info, handler))
	}
}
