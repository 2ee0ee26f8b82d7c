package recovery_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors/recovery"
)

type stream struct{ grpc.ServerStream }

func (stream) Context() context.Context { return context.Background() }

func TestAPanicOfAStreamBecomesInternalAndShowsNothing(t *testing.T) {
	var logged any
	room := recovery.New(func(_ context.Context, recovered any, _ []byte) { logged = recovered })
	err := room.Stream()(nil, stream{}, &grpc.StreamServerInfo{}, func(any, grpc.ServerStream) error { panic("secret") })
	if status.Code(err) != codes.Internal || strings.Contains(status.Convert(err).String(), "secret") {
		t.Errorf("got %v", err)
	}
	if logged != "secret" {
		t.Errorf("logged %v", logged)
	}
}
