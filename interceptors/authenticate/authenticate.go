package authenticate

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// healthService is how the methods of gRPC's health service begin.
const healthService = "/grpc.health.v1.Health/"

// Identity tells who calls. The error must be a gRPC status.
type Identity func(ctx context.Context) (principal string, err error)

// Nobody takes every caller for interceptors.Anonymous.
func Nobody(context.Context) (string, error) { return interceptors.Anonymous, nil }

// Room authenticates rpcs. It is safe for concurrent use.
type Room struct{ identity Identity }

// New makes the room.
func New(identity Identity) *Room { return &Room{identity: identity} }

// Unary returns the room for unary rpcs.
func (r *Room) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if info != nil && strings.HasPrefix(info.FullMethod, healthService) {
			return handler(ctx, req)
		}
		principal, err := r.identity(ctx)
		if err != nil {
			return nil, err
		}
		return handler(interceptors.WithPrincipal(ctx, principal), req)
	}
}

// Stream returns the room's twin for streaming rpcs.
func (r *Room) Stream() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if info != nil && strings.HasPrefix(info.FullMethod, healthService) {
			return handler(srv, stream)
		}
		principal, err := r.identity(stream.Context())
		if err != nil {
			return err
		}
		return handler(srv, &known{ServerStream: stream, ctx: interceptors.WithPrincipal(stream.Context(), principal)})
	}
}

// known is a stream whose caller is known.
type known struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // a stream is its context
}

func (s *known) Context() context.Context { return s.ctx }
