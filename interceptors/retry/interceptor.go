package retry

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

const room = "retry"

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	if ctx.Err() != nil {
		return nil, interceptors.StatusDone(ctx)
	}
	now := time.Now()
	e := engine{
		room: r, call: call, next: next, policy: &call.Tool.Policy, start: now,
		budget: r.budgets.of(call.Tool.Upstream),
	}
	if end, _ := e.end(ctx); !now.Before(end) {
		call.Trace.Answered = room
		return e.tooShort(), nil
	}
	e.budget.called(now)
	e.narrows = call.Tool.Narrow != "" && call.Tool.Reads() && r.narrow.timedOut(narrowKeyOf(call), now)
	if call.Tool.HasIdempotencyKey {
		e.takeKey(ctx)
		defer e.keepKey(ctx) // a panic keeps it, too
	}
	return e.run(ctx)
}
