package breaker

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "breaker"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	var p pass
	if refusal := r.admit(ctx, call, &p); refusal != nil {
		if gone(ctx) { // while it waited for its turn
			return nil, interceptors.StatusDone(ctx)
		}
		call.Trace.Answered = room
		return refusal, nil
	}
	var outcome *interceptors.Outcome
	defer func() { r.learn(ctx, call, &p, outcome) }() // a panic gives its places back, too
	var err error
	outcome, err = next(ctx, call)
	return outcome, err
}
