package recovery

import (
	"context"
	"fmt"
	"runtime/debug"

	grpcrecovery "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// Report tells the log about a panic. It must be safe for concurrent use.
type Report func(ctx context.Context, recovered any, stack []byte)

// Room recovers rpcs. It is safe for concurrent use.
type Room struct{ report Report }

// New makes the room.
func New(report Report) *Room { return &Room{report: report} }

func (r *Room) handle(ctx context.Context, recovered any) error {
	r.report(ctx, recovered, debug.Stack())
	return interceptors.StatusInternal(fmt.Errorf("panic: %v", recovered))
}

// Unary returns the room for unary rpcs.
func (r *Room) Unary() grpc.UnaryServerInterceptor {
	return grpcrecovery.UnaryServerInterceptor(grpcrecovery.WithRecoveryHandlerContext(r.handle))
}

// Stream returns the room's twin for streaming rpcs.
func (r *Room) Stream() grpc.StreamServerInterceptor {
	return grpcrecovery.StreamServerInterceptor(grpcrecovery.WithRecoveryHandlerContext(r.handle))
}
