package resolve

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(func(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
		r.pin(call)
		return next(ctx, call)
	})
}
