package admit_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors/admit"
)

func TestACallersQuotaIsAskedFirstAndGivenBack(t *testing.T) {
	over := errors.New("over")
	held := int64(0)
	quota := func(_ context.Context, n int64) (func(), error) {
		if n > 4 {
			return nil, over
		}
		held += n
		return func() { held -= n }, nil
	}
	room := admit.New(4).WithQuota(quota)
	during := int64(0)
	batch := func(calls int) error {
		return room.Stream()(nil, &fakeStream{calls: calls, ServerStream: contextual{ctx: t.Context()}}, streamed, func(_ any, stream grpc.ServerStream) error {
			err := stream.RecvMsg(&toolgatev1.CallToolsRequest{})
			during = held
			return err
		})
	}
	if err := batch(3); err != nil || during != 3 || held != 0 {
		t.Errorf("a batch of 3: %v, %d places during, %d after", err, during, held)
	}
	if err := batch(5); !errors.Is(err, over) || room.InFlight() != 0 {
		t.Errorf("a batch of 5: %v, %d in flight", err, room.InFlight())
	}
	leave, _ := room.Enter(4)
	_, err := room.Unary()(t.Context(), nil, unary, func(context.Context, any) (any, error) { return nil, nil })
	if status.Code(err) != codes.ResourceExhausted || held != 0 {
		t.Errorf("a full process: %v, and keeps %d of the caller's places", err, held)
	}
	leave()
}

type contextual struct {
	grpc.ServerStream
	ctx context.Context
}

func (c contextual) Context() context.Context { return c.ctx }
