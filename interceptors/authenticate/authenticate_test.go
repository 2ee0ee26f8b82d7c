package authenticate_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/authenticate"
)

func TestWhoIsRefusedGoesNoFurther(t *testing.T) {
	refusal := interceptors.StatusDraining()
	room := authenticate.New(func(context.Context) (string, error) { return "", refusal })
	_, err := room.Unary()(context.Background(), nil, nil, func(context.Context, any) (any, error) {
		t.Error("a refused caller went on")
		return nil, nil
	})
	if err != refusal { //nolint:errorlint // the very status of the identity function
		t.Errorf("got %v", err)
	}
	err = room.Stream()(nil, stream{ctx: context.Background()}, nil, func(any, grpc.ServerStream) error {
		t.Error("a refused caller went on")
		return nil
	})
	if err != refusal { //nolint:errorlint // as above
		t.Errorf("got %v", err)
	}
}

func TestAStreamKnowsItsCallerToo(t *testing.T) {
	room := authenticate.New(func(context.Context) (string, error) { return "ann", nil })
	_ = room.Stream()(nil, stream{ctx: context.Background()}, nil, func(_ any, s grpc.ServerStream) error {
		if got := interceptors.PrincipalFrom(s.Context()); got != "ann" {
			t.Errorf("got %q", got)
		}
		return nil
	})
}

func TestUntilCallersAreAuthenticatedEverybodyIsAnonymous(t *testing.T) {
	principal, err := authenticate.Nobody(context.Background())
	if principal != interceptors.Anonymous || err != nil {
		t.Errorf("got %q, %v", principal, err)
	}
}

type stream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s stream) Context() context.Context { return s.ctx }
