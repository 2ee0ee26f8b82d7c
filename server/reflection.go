package server

import (
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"

	"toolgate.dev/toolgate/interceptors"
)

// registerReflection lets tools ask for the services. Their streams stay open as
// long as they like, and end when leave is closed: a drain would wait for them as
// for calls.
func registerReflection(server *grpc.Server, leave <-chan struct{}) {
	reflection.Register(leaving{server, leave})
}

// leaving registers services whose streams end when leave is closed.
type leaving struct {
	*grpc.Server

	leave <-chan struct{}
}

// RegisterService is grpc's.
func (l leaving) RegisterService(service *grpc.ServiceDesc, implementation any) {
	polite := *service
	polite.Streams = slices.Clone(service.Streams)
	for i := range polite.Streams {
		polite.Streams[i].Handler = l.wrap(polite.Streams[i].Handler)
	}
	l.Server.RegisterService(&polite, implementation)
}

func (l leaving) wrap(handler grpc.StreamHandler) grpc.StreamHandler {
	return func(service any, stream grpc.ServerStream) error {
		guest := &guest{ServerStream: stream, leave: l.leave}
		if err := handler(service, guest); err != nil || !guest.left {
			return err
		}
		return interceptors.StatusDraining()
	}
}

// guest is a stream that ends, as if its client had no more to say, when it has
// to leave.
type guest struct {
	grpc.ServerStream

	leave <-chan struct{}
	left  bool
}

// RecvMsg waits for a message or the end. A wait that nobody hears of any more
// ends with the rpc.
func (g *guest) RecvMsg(message any) error {
	received := make(chan error, 1)
	go func() { received <- g.ServerStream.RecvMsg(message) }()
	select {
	case err := <-received:
		return err
	case <-g.leave:
		g.left = true
		return io.EOF
	}
}
