package grpcbackend

import (
	"context"
	"math"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	_ "google.golang.org/grpc/encoding/gzip" // some servers compress without being asked
	"google.golang.org/grpc/keepalive"
)

// generation is one connection and the calls on it. When it is gone it is not made
// again: the next one is another generation.
type generation struct {
	*grpc.ClientConn

	dialer *dialer
	born   time.Time

	// Guarded by the server's mu.
	users   int  // calls that it carries
	retired bool // it takes no more calls, and is closed behind the last
}

// alive reports whether calls can be sent on it.
func (g *generation) alive() bool { return g.GetState() == connectivity.Ready }

// connect makes a generation. ctx is nobody's call.
func (s *Server) connect(ctx context.Context) (*generation, *failure) {
	d := &dialer{server: s}
	conn, err := grpc.NewClient("passthrough:///"+s.settings.Address, s.options(d)...)
	if err != nil {
		return nil, &failure{cause: err}
	}
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		gone := state == connectivity.TransientFailure || state == connectivity.Shutdown || state == connectivity.Idle && d.tries.Load() > 0
		if gone || !conn.WaitForStateChange(ctx, state) {
			_ = conn.Close() // it never was one
			return nil, connectFailure(d)
		}
	}
	return &generation{ClientConn: conn, dialer: d, born: time.Now()}, nil
}

func (s *Server) options(d *dialer) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(d.dial),
		grpc.WithTransportCredentials(d.credentials()),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithUserAgent(s.pool.agent),
		grpc.WithStatsHandler(watcher{}),
		grpc.WithIdleTimeout(s.settings.IdleTimeout),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.DefaultConfig, MinConnectTimeout: s.settings.ConnectTimeout + s.settings.TLSTimeout,
		}),
		grpc.WithReadBufferSize(bufferBytes),
		grpc.WithWriteBufferSize(bufferBytes),
		grpc.WithMaxHeaderListSize(maxHeaderBytes),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(frames{}), grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(math.MaxInt32),
		),
	}
}
