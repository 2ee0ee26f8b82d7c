package grpcbackend

import (
	"context"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// A server lets a connection carry 100 calls: a tool that hangs holds up no other
// one, since further calls go by further connections.
func TestAToolThatHangsHoldsUpNoOtherOfItsServer(t *testing.T) {
	const hanging = 2*streamsEach + 50
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var there sync.WaitGroup
	there.Add(hanging)
	connections := &kept{Listener: listener}
	server := serveShopOn(t, connections, func(stream grpc.ServerStream, method string, request []byte) error {
		if method == "/"+service+"CountOrders" {
			there.Done()
			<-stream.Context().Done()
			return stream.Context().Err()
		}
		return echo(stream, method, request)
	}, grpc.MaxConcurrentStreams(streamsEach))
	pool := pooled(t)
	slow, quick := backendFor(t, pool, server.address, "CountOrders"), backendFor(t, pool, server.address, "Everything")

	ctx, leave := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range hanging {
		calls.Go(func() { attempt(ctx, slow, `{}`) })
	}
	there.Wait() // all of them reached the server
	if reply := attempt(t.Context(), quick, `{}`); reply.Failure != interceptors.FailureNone {
		t.Errorf("%v %s", reply.Failure, reply.Cause)
	}
	if n := connections.count(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	leave()
	calls.Wait()
}
