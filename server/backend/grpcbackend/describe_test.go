package grpcbackend

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
)

func TestAServerIsAskedInBothVersionsOfReflection(t *testing.T) {
	for _, method := range reflectionMethods {
		t.Run(method, func(t *testing.T) {
			server := serveShop(t, echo, reflecting(t, method))
			services, err := pooled(t).Server("shop", Transport{Address: server.address}).Describe(t.Context(), Asking{})
			if err != nil {
				t.Fatal(err)
			}
			if _, found := services.Find(service + "ListOrders"); !found || len(services.Methods()) != 8 {
				t.Errorf("methods %v", services.Names())
			}
		})
	}
}

func TestAServerThatDoesNotTellIsNoToolThatCouldBeTriedAgain(t *testing.T) {
	server := serveShop(t, echo, reflecting(t, "none"))
	pool := pooled(t)
	_, err := pool.Server("shop", Transport{Address: server.address}).Describe(t.Context(), Asking{})
	if !Undescribable(err) {
		t.Errorf("%v", err)
	}
	b := backendFor(t, pool, server.address, "Everything", func(s *Spec) { s.Services = nil })
	if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureRequest || reply.Sent {
		t.Errorf("%+v", reply)
	}
}

func TestADescriptionIsAskedForWithTheHeadersAndTheTokenOfTheUpstream(t *testing.T) {
	var seen metadata.MD
	server := serveShop(t, echo, grpc.StreamInterceptor(func(_ any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, _ grpc.StreamHandler) error {
		seen, _ = metadata.FromIncomingContext(stream.Context())
		return answerReflection(t, stream)
	}))
	asking := Asking{Headers: Metadata(map[string]string{"X-Key": "k"}), Bearer: &bearer{tokens: []string{"t"}}}
	if _, err := pooled(t).Server("shop", Transport{Address: server.address}).Describe(t.Context(), asking); err != nil {
		t.Fatal(err)
	}
	if strings.Join(seen.Get("x-key"), "") != "k" || strings.Join(seen.Get("authorization"), "") != "Bearer t" {
		t.Errorf("metadata %v", seen)
	}
}

// Services that change are noticed with the next connection, and told once.
func TestServicesAreAskedForAgainOnANewConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mirrors atomic.Bool
		listening, count := inMemory(t, echo, grpc.StreamInterceptor(
			func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
				if !mirrors.Load() || info.FullMethod != reflectionMethods[0] {
					return next(srv, stream)
				}
				return answerReflection(t, stream)
			}))
		pool := pooled(t, listening)
		server := pool.Server("shop", Transport{Address: "shop:1"})
		var told atomic.Int32
		if _, err := server.Describe(t.Context(), Asking{Changed: func() { told.Add(1) }}); err == nil {
			t.Error("a server without reflection is described")
		}
		mirrors.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if told.Load() != 1 || server.described.Load() == nil {
			t.Fatalf("told %d times", told.Load())
		}
		b := backendFor(t, pool, "shop:1", "Everything", func(s *Spec) { s.Services = nil })
		for range 10 { // new connections, the same services
			attempt(context.Background(), b, `{}`)
			time.Sleep(2 * time.Minute)
		}
		synctest.Wait()
		if told.Load() != 1 || count() < 5 {
			t.Errorf("told %d times over %d connections", told.Load(), count())
		}
		pool.Close()
	})
}
