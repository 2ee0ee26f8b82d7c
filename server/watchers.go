package server

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"toolgate.dev/toolgate/interceptors"
)

// watchGrace is the time for watchers to hear of a drain before they are sent
// away.
const watchGrace = time.Second

// watchedHealth ends the streams of watchers in a drain, which would wait for
// them as for calls.
type watchedHealth struct {
	*health.Server
	leave chan struct{} // closed: watchers have to go
}

func newHealth() *watchedHealth {
	return &watchedHealth{Server: health.NewServer(), leave: make(chan struct{})}
}

// drain says NOT_SERVING for good, and sends watchers away soon. Call it once.
func (h *watchedHealth) drain() {
	h.Shutdown()
	time.AfterFunc(watchGrace, func() { close(h.leave) })
}

// Watch is the rpc of that name.
func (h *watchedHealth) Watch(request *healthv1.HealthCheckRequest, stream healthv1.Health_WatchServer) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	go func() {
		select {
		case <-h.leave:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := h.Server.Watch(request, &watch{ServerStreamingServer: stream, ctx: ctx})
	if stream.Context().Err() == nil && ctx.Err() != nil {
		return interceptors.StatusDraining()
	}
	return err
}

// watch is a stream that ends when its watcher has to go.
type watch struct {
	grpc.ServerStreamingServer[healthv1.HealthCheckResponse]
	ctx context.Context //nolint:containedctx // a stream's context is its own
}

// Context ends with the stream, and when the watcher has to go.
func (w *watch) Context() context.Context { return w.ctx }
