package grpcbackend

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// flight is what is seen of one rpc on its way.
type flight struct {
	left  atomic.Bool // its headers were handed to a connection
	spoke atomic.Bool // the status is the server's own
	heard atomic.Bool // something of an answer came
}

type flightKey struct{}

func watched(ctx context.Context, f *flight) context.Context {
	return context.WithValue(ctx, flightKey{}, f)
}

// watcher notes what happens to each rpc. It implements stats.Handler.
type watcher struct{}

// HandleRPC implements stats.Handler.
func (watcher) HandleRPC(ctx context.Context, event stats.RPCStats) {
	f, ok := ctx.Value(flightKey{}).(*flight)
	if !ok {
		return
	}
	switch event.(type) {
	case *stats.Begin:
		// gRPC begins again by itself where the protocol vouches that nothing of the
		// former try was processed, and only there.
		f.left.Store(false)
	case *stats.OutHeader:
		f.left.Store(true)
	case *stats.InHeader:
		f.heard.Store(true)
	case *stats.InTrailer:
		f.spoke.Store(true)
	}
}

// TagRPC implements stats.Handler.
func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn implements stats.Handler.
func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (watcher) HandleConn(context.Context, stats.ConnStats) {}
