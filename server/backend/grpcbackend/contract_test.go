package grpcbackend

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
)

func TestTheContractOfABackEndIsKept(t *testing.T) {
	for method, answer := range map[string]string{ // its answer looks like what another method takes
		"Everything": `Everything {"text":%q}`, "FollowOrders": `Upload {"id":%q}`,
	} {
		t.Run(method, func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
				return backendFor(t, pooled(t), behave(t, behaviour, upstream, answer), method, func(s *Spec) { s.MaxResultBytes = backendtest.MaxResultBytes })
			})
		})
	}
}

// behave starts a server that behaves so. The answer is a method, whose request it
// looks like, and its text.
func behave(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream, answer string) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if behaviour == backendtest.Absent {
		_ = listener.Close()
		return listener.Addr().String()
	}
	like, form, _ := strings.Cut(answer, " ")
	small := encoded(t, like, fmt.Sprintf(form, "ok"))
	large := encoded(t, like, fmt.Sprintf(form, strings.Repeat("x", backendtest.FloodBytes)))
	connections := &kept{Listener: listener}
	serveShopOn(t, connections, func(stream grpc.ServerStream, _ string, _ []byte) error {
		upstream.Hit()
		switch behaviour {
		case backendtest.Hangs:
			<-stream.Context().Done()
			return context.Cause(stream.Context())
		case backendtest.Drops:
			connections.drop()
			<-stream.Context().Done()
			return context.Cause(stream.Context())
		case backendtest.Floods:
			return stream.SendMsg(&frame{large})
		default:
			return stream.SendMsg(&frame{small})
		}
	})
	return listener.Addr().String()
}
