package authenticate_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/authenticate"
)

func Example() {
	room := authenticate.New(func(ctx context.Context) (string, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		return "team-" + md.Get("team")[0], nil
	})
	ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs("team", "billing"))
	_, _ = room.Unary()(ctx, nil, &grpc.UnaryServerInfo{}, func(ctx context.Context, _ any) (any, error) {
		fmt.Println(interceptors.PrincipalFrom(ctx))
		return nil, nil
	})
	// Output: team-billing
}
