package grpcbackend_test

import (
	"context"
	"fmt"
	"os"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// A back end for one method of a server, which is described by a file. Nobody
// listens there.
func Example() {
	set, err := os.ReadFile("methods/testdata/shop.binpb")
	if err != nil {
		return
	}
	services, err := methods.Parse(set)
	if err != nil {
		return
	}
	pool := grpcbackend.NewPool(grpcbackend.WithVersion("1.0.0"))
	defer pool.Close()
	backend, err := grpcbackend.New(grpcbackend.Spec{
		Server:   pool.Server("shop", grpcbackend.Transport{Address: "127.0.0.1:1"}),
		Services: services, Call: &catalogv1.GrpcCall{Method: "shop.v1.ShopService/ListOrders"}, MaxResultBytes: 1 << 20,
	})
	if err != nil {
		return
	}
	reply := backend.Attempt(context.Background(), &interceptors.Call{Arguments: interceptors.Checked{JSON: []byte(`{"page_size":5}`)}})
	fmt.Println(reply.Failure == interceptors.FailureRefused, reply.Sent)
	// Output: true false
}
