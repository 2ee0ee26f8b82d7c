package repeat

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "repeat"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	v := r.receive(ctx, call)
	if answer := v.answer(ctx); answer != nil {
		call.Trace.Answered = room
		return answer, nil
	}
	outcome, err := next(ctx, call)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // what happened is remembered, whoever has left
	if outcome.Error == nil {
		v.succeeded(ctx)
	} else {
		v.failed(ctx, outcome)
	}
	v.settle(ctx, outcome)
	return outcome, nil
}
