package grpcbackend

import (
	"context"
	"net"
	"os"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

const service = "shop.v1.ShopService/"

// shopSet is the description of a service that has everything.
func shopSet(t testing.TB) []byte {
	t.Helper()
	set, err := os.ReadFile("methods/testdata/shop.binpb")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func shopServices(t testing.TB) *methods.Services {
	t.Helper()
	services, err := methods.Parse(shopSet(t))
	if err != nil {
		t.Fatal(err)
	}
	return services
}

func shopFiles(t testing.TB) *protoregistry.Files {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(shopSet(t), &set); err != nil {
		t.Fatal(err)
	}
	files := &protoregistry.Files{}
	for _, file := range set.GetFile() {
		made, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
		if err != nil {
			t.Fatal(err)
		}
		if err := files.RegisterFile(made); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// either is a server's codec for messages and for frames.
type either struct{ frames }

func (e either) Marshal(v any) (mem.BufferSlice, error) {
	if message, ok := v.(proto.Message); ok {
		text, err := proto.Marshal(message)
		return mem.BufferSlice{mem.SliceBuffer(text)}, err
	}
	return e.frames.Marshal(v)
}

func (e either) Unmarshal(data mem.BufferSlice, v any) error {
	if message, ok := v.(proto.Message); ok {
		return proto.Unmarshal(data.Materialize(), message)
	}
	return e.frames.Unmarshal(data, v)
}

// shop is a server whose methods are one function.
type shop struct {
	*grpc.Server

	address string
}

// serveShop serves on loopback until the test ends. Each call gets the encoded
// request.
func serveShop(t testing.TB, handle func(stream grpc.ServerStream, method string, request []byte) error, options ...grpc.ServerOption) *shop {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveShopOn(t, listener, handle, options...)
}

func serveShopOn(
	t testing.TB, listener net.Listener, handle func(stream grpc.ServerStream, method string, request []byte) error, options ...grpc.ServerOption,
) *shop {
	t.Helper()
	options = append(options, grpc.ForceServerCodecV2(either{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		request := &frame{}
		if err := stream.RecvMsg(request); err != nil {
			return err
		}
		return handle(stream, method, request.text)
	}))
	server := &shop{Server: grpc.NewServer(options...), address: listener.Addr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return server
}

// listing is what reflection lists.
type listing struct{}

// GetServiceInfo implements reflection.ServiceInfoProvider.
func (listing) GetServiceInfo() map[string]grpc.ServiceInfo {
	return map[string]grpc.ServiceInfo{"shop.v1.ShopService": {}}
}

// reflecting has a server tell what its services are, under that method alone.
func reflecting(t testing.TB, method string) grpc.ServerOption {
	return grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		switch {
		case info.FullMethod == method:
			return answerReflection(t, stream)
		case slices.Contains(reflectionMethods, info.FullMethod):
			return status.Error(codes.Unimplemented, "no such service")
		}
		return next(srv, stream)
	})
}

func answerReflection(t testing.TB, stream grpc.ServerStream) error {
	mirror := reflection.NewServerV1(reflection.ServerOptions{Services: listing{}, DescriptorResolver: shopFiles(t)})
	return mirror.ServerReflectionInfo(&grpc.GenericServerStream[reflectionv1.ServerReflectionRequest, reflectionv1.ServerReflectionResponse]{ServerStream: stream})
}

func pooled(t testing.TB, options ...PoolOption) *Pool {
	t.Helper()
	pool := NewPool(options...)
	t.Cleanup(pool.Close)
	return pool
}

// backendFor makes a back end for a method of the shop at an address.
func backendFor(t testing.TB, pool *Pool, address, method string, change ...func(*Spec)) *Backend {
	t.Helper()
	spec := Spec{
		Server: pool.Server("shop", Transport{Address: address}), Services: shopServices(t),
		Call: &catalogv1.GrpcCall{Method: service + method}, MaxResultBytes: 1 << 20,
	}
	for _, f := range change {
		f(&spec)
	}
	backend, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// attempt makes one attempt with arguments.
func attempt(ctx context.Context, b *Backend, arguments string) *interceptors.Reply {
	return b.Attempt(ctx, &interceptors.Call{
		Name: "tool", Tool: &interceptors.Tool{Name: "tool"}, Arguments: interceptors.Checked{JSON: []byte(arguments)},
	})
}

// encoded makes the encoded message of a JSON text, as the shop would answer it.
func encoded(t testing.TB, method, text string) []byte {
	t.Helper()
	found, ok := shopServices(t).Find(service + method)
	if !ok {
		t.Fatalf("no method %s", method)
	}
	message, err := found.Encode([]byte(text), "", "")
	if err != nil {
		t.Fatal(err)
	}
	return message
}
