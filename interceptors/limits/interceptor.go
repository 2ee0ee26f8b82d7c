package limits

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "limits"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	if refusal := tooLarge(call); refusal != nil {
		return answered(call, refusal)
	}
	held := stay{run: r.runs.pin(call.Run), tool: r.tools.of(call.Tool.Name)}
	defer r.runs.unpin(call.Run)
	refusal, err := r.enter(ctx, call, &held)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return answered(call, refusal)
	}
	held.since = time.Now()
	defer held.leave()
	if refusal := r.overBudget(ctx, call); refusal != nil {
		return answered(call, refusal)
	}
	return next(ctx, call)
}

func answered(call *interceptors.Call, refusal *interceptors.Outcome) (*interceptors.Outcome, error) {
	call.Trace.Answered = room
	return refusal, nil
}
