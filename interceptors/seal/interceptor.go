package seal

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (outcome *interceptors.Outcome, err error) {
	defer func() {
		if value := recover(); value != nil {
			outcome, err = r.Recovered(ctx, call, value), nil
		}
	}()
	return next(ctx, call)
}
