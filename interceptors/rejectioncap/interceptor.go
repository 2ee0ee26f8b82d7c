package rejectioncap

import (
	"context"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "rejectioncap"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	v := r.receive(ctx, call)
	if v.standing.Capped && !v.takeOffer(ctx) {
		call.Trace.Answered = room
		return v.refuse(ctx), nil
	}
	outcome, err := next(ctx, call)
	ctx = context.WithoutCancel(ctx) // what happened counts, whoever has left
	switch {
	case err != nil:
		v.returnOffer(ctx)
		return nil, err
	case outcome.Error == nil:
		_ = r.ledger.Forgive(ctx, call.Run, call.Tool.Name)
		return outcome, nil
	}
	return v.weigh(ctx, outcome), nil
}
