package admit

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	defaultMaxInFlight = 4096
	retryDelay         = time.Second

	// grpcServices is how methods of gRPC's own services begin: health,
	// reflection. They make no calls, and a full process is a healthy one.
	grpcServices = "/grpc."
)

// Quota takes n places out of what the caller of ctx may have, or says why not with a
// gRPC status. leave must be called once after a nil error.
type Quota func(ctx context.Context, n int64) (leave func(), err error)

// Room admits calls. It is safe for concurrent use.
type Room struct {
	quota    Quota // nil: callers have no bounds of their own
	limit    int64
	inFlight atomic.Int64
	draining atomic.Bool
}

// New makes the room. maxInFlight is the number of calls in flight; 0 means
// 4,096.
func New(maxInFlight int) *Room {
	if maxInFlight <= 0 {
		maxInFlight = defaultMaxInFlight
	}
	return &Room{limit: int64(maxInFlight)}
}

// WithQuota bounds what each caller asks for, before it takes a place. Call it before
// the room is used.
func (r *Room) WithQuota(quota Quota) *Room {
	r.quota = quota
	return r
}

// enter takes n places for the caller of ctx.
func (r *Room) enter(ctx context.Context, n int64) (leave func(), err error) {
	if r.quota == nil {
		return r.Enter(n)
	}
	leaveQuota, err := r.quota(ctx, n)
	if err != nil {
		return nil, err
	}
	leaveRoom, err := r.Enter(n)
	if err != nil {
		leaveQuota()
		return nil, err
	}
	return func() {
		leaveRoom()
		leaveQuota()
	}, nil
}

// Drain refuses every later call; those in flight finish.
func (r *Room) Drain() { r.draining.Store(true) }

// InFlight returns the calls in flight now.
func (r *Room) InFlight() int64 { return r.inFlight.Load() }

// Enter takes n places or says why not. leave must be called once after a nil
// error. Who wants more places than there are gets them all, when they are free:
// to come back later would never help.
func (r *Room) Enter(n int64) (leave func(), err error) {
	n = min(n, r.limit)
	if r.draining.Load() {
		return nil, interceptors.StatusDraining()
	}
	if r.inFlight.Add(n) > r.limit {
		r.inFlight.Add(-n)
		return nil, interceptors.StatusFull(retryDelay)
	}
	return func() { r.inFlight.Add(-n) }, nil
}

// Unary returns the room for unary rpcs.
func (r *Room) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if strings.HasPrefix(info.FullMethod, grpcServices) {
			return handler(ctx, req)
		}
		leave, err := r.enter(ctx, 1)
		if err != nil {
			return nil, err
		}
		defer leave()
		return handler(ctx, req)
	}
}

// Stream returns the room's twin for streaming rpcs: the places are taken when
// the request with its calls has been read.
func (r *Room) Stream() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if strings.HasPrefix(info.FullMethod, grpcServices) {
			return handler(srv, stream)
		}
		if r.draining.Load() {
			return interceptors.StatusDraining()
		}
		admitted := &weighed{ServerStream: stream, room: r}
		defer admitted.leave()
		return handler(srv, admitted)
	}
}

// weighed is a stream that takes its places with its first message.
type weighed struct {
	grpc.ServerStream
	room  *Room
	taken []func()
}

func (s *weighed) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	places := int64(1)
	if batch, ok := m.(*toolgatev1.CallToolsRequest); ok {
		places = max(1, int64(len(batch.GetCalls())))
	}
	leave, err := s.enter(places)
	if err != nil {
		return err
	}
	s.taken = append(s.taken, leave)
	return nil
}

func (s *weighed) enter(places int64) (leave func(), err error) {
	if s.room.quota == nil {
		return s.room.Enter(places)
	}
	return s.room.enter(s.Context(), places)
}

func (s *weighed) leave() {
	for _, leave := range s.taken {
		leave()
	}
}
