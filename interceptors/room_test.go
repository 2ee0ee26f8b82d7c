package interceptors_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

var errBroken = errors.New("broken")

// naming is a room that notes that a call came by, on its way in and out.
func naming(trail *[]string, name string) grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(func(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
		*trail = append(*trail, name)
		outcome, err := next(ctx, call)
		*trail = append(*trail, "/"+name)
		return outcome, err
	})
}

// strange is somebody else's interceptor, which knows nothing of rooms.
func strange(trail *[]string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		*trail = append(*trail, "strange")
		// It may hand on an info of its own.
		return handler(ctx, req)
	}
}

func TestAChainPassesItsRoomsInOrderWhoeverMadeThem(t *testing.T) {
	var trail []string
	result := &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: "1"}}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		trail = append(trail, "end")
		return result, nil
	}, naming(&trail, "a"), strange(&trail), naming(&trail, "b"))
	for range 2 {
		trail = nil
		outcome, err := chain(t.Context(), &interceptors.Call{})
		if outcome != result || err != nil || !slices.Equal(trail, []string{"a", "strange", "b", "end", "/b", "/a"}) {
			t.Errorf("got %v, %v by way of %v", outcome, err, trail)
		}
	}
}

func TestAStatusComesBackWithoutAnOutcome(t *testing.T) {
	var trail []string
	for _, rooms := range [][]grpc.UnaryServerInterceptor{nil, {naming(&trail, "a")}, {strange(&trail)}, {naming(&trail, "a"), strange(&trail)}} {
		outcome, err := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
			return nil, errBroken
		}, rooms...)(t.Context(), &interceptors.Call{})
		if outcome != nil || !errors.Is(err, errBroken) {
			t.Errorf("got %v, %v", outcome, err)
		}
	}
}

// A room is an ordinary interceptor, also without a chain around it.
func TestARoomWorksAsAnOrdinaryInterceptor(t *testing.T) {
	var trail []string
	result := &interceptors.Outcome{Error: &toolgatev1.ToolError{}}
	room := naming(&trail, "a")
	handler := func(context.Context, any) (any, error) { return result, nil }
	for _, info := range []*grpc.UnaryServerInfo{nil, {}, {Server: "a service"}} {
		if resp, err := room(t.Context(), &interceptors.Call{}, info, handler); resp != result || err != nil {
			t.Errorf("got %v, %v", resp, err)
		}
	}
	if _, err := room(t.Context(), "no call", nil, handler); err == nil {
		t.Error("something else than a call passes")
	}
}
