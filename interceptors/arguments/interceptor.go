package arguments

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "arguments"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	if rejection := r.check(call); rejection != nil {
		call.Trace.Answered = room
		return rejection, nil
	}
	outcome, err := next(ctx, call)
	if err != nil {
		return nil, err
	}
	declare(call, outcome)
	return outcome, nil
}
