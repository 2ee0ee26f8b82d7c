package recovery_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors/recovery"
)

func Example() {
	room := recovery.New(func(_ context.Context, recovered any, stack []byte) {
		fmt.Println("logged:", recovered, len(stack) > 0)
	})
	_, err := room.Unary()(context.Background(), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) {
		panic("a bug")
	})
	fmt.Println(status.Code(err), "-", status.Convert(err).Message())
	// Output:
	// logged: a bug true
	// Internal - internal fault of the gateway
}
