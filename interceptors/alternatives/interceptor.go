package alternatives

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	outcome, err := next(ctx, call)
	if err != nil {
		return nil, err
	}
	r.complete(ctx, call, outcome)
	return outcome, nil
}
