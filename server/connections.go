package server

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// Connections bounds the connections of clients. The zero value means every
// default.
type Connections struct {
	// MaxAge has a client connect anew after that long, so that a balancer
	// spreads old clients over new replicas. Calls in flight end undisturbed. It
	// varies by 10 %, so that not all come at once. 0 means 30 min, negative: no
	// connection is too old.
	MaxAge time.Duration
	// Grace is how long the calls of a connection that is too old may still take;
	// 0 means 10 min. A deadline that is longer is cut off there.
	Grace time.Duration
	// PingAfter asks a client that said nothing for so long whether it is alive; 0
	// means 30 s.
	PingAfter time.Duration
	// PingTimeout closes the connection of one that does not answer, and cancels
	// its calls; 0 means 20 s.
	PingTimeout time.Duration
	// MinPing is how often a client may ask the same. Whoever asks more often is
	// disconnected. 0 means 10 s.
	MinPing time.Duration
	// Handshake bounds the time to become a connection; 0 means 20 s.
	Handshake time.Duration
}

func (c Connections) options() []grpc.ServerOption {
	either := func(value, otherwise time.Duration) time.Duration {
		if value == 0 {
			return otherwise
		}
		return value
	}
	age := keepalive.ServerParameters{
		MaxConnectionAge:      either(c.MaxAge, 30*time.Minute),
		MaxConnectionAgeGrace: either(c.Grace, 10*time.Minute),
		Time:                  either(c.PingAfter, 30*time.Second),
		Timeout:               either(c.PingTimeout, 20*time.Second),
	}
	if age.MaxConnectionAge < 0 {
		age.MaxConnectionAge = 0 // gRPC's word for never
	}
	return []grpc.ServerOption{
		grpc.KeepaliveParams(age),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: either(c.MinPing, 10*time.Second), PermitWithoutStream: true,
		}),
		grpc.ConnectionTimeout(either(c.Handshake, 20*time.Second)),
	}
}
