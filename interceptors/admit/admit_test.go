package admit_test

import (
	"context"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors/admit"
)

func TestAFullProcessSaysWhenToComeBack(t *testing.T) {
	room := admit.New(1)
	leave, err := room.Enter(1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = room.Unary()(context.Background(), nil, unary, func(context.Context, any) (any, error) { return nil, nil })
	st := status.Convert(err)
	if st.Code() != codes.ResourceExhausted || !hasRetryInfo(st) {
		t.Errorf("got %v with %v, want RESOURCE_EXHAUSTED with RetryInfo", st.Code(), st.Details())
	}
	leave()
	if _, err := room.Enter(1); err != nil {
		t.Errorf("a place that was given back is not free: %v", err)
	}
}

func TestAfterDrainingBeganNobodyEnters(t *testing.T) {
	room := admit.New(0)
	room.Drain()
	if _, err := room.Enter(1); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v, want UNAVAILABLE", err)
	}
}

func TestABatchTakesAPlaceForEachOfItsCallsAndGivesThemBack(t *testing.T) {
	room := admit.New(5)
	batch := &fakeStream{calls: 4}
	during := int64(-1)
	err := room.Stream()(nil, batch, streamed, func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(&toolgatev1.CallToolsRequest{}); err != nil {
			return err
		}
		during = room.InFlight()
		return nil
	})
	if err != nil || during != 4 || room.InFlight() != 0 {
		t.Errorf("err %v, %d places during, %d after", err, during, room.InFlight())
	}
	leave, err := room.Enter(2)
	if err != nil {
		t.Fatal(err)
	}
	err = room.Stream()(nil, batch, streamed, func(_ any, stream grpc.ServerStream) error {
		return stream.RecvMsg(&toolgatev1.CallToolsRequest{})
	})
	if status.Code(err) != codes.ResourceExhausted || room.InFlight() != 2 {
		t.Errorf("got %v and %d in flight, want RESOURCE_EXHAUSTED and the two of before", err, room.InFlight())
	}
	leave()
}

func TestABatchOfMoreCallsThanThereArePlacesEntersAnEmptyHouse(t *testing.T) {
	room := admit.New(3)
	leave, err := room.Enter(64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := room.Enter(1); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("got %v beside it, want RESOURCE_EXHAUSTED", err)
	}
	leave()
	if room.InFlight() != 0 {
		t.Errorf("%d in flight after it", room.InFlight())
	}
}

func TestHealthIsToldByAFullProcessAndByOneThatDrains(t *testing.T) {
	room := admit.New(1)
	if _, err := room.Enter(1); err != nil {
		t.Fatal(err)
	}
	check := &grpc.UnaryServerInfo{FullMethod: healthv1.Health_Check_FullMethodName}
	watch := &grpc.StreamServerInfo{FullMethod: healthv1.Health_Watch_FullMethodName}
	for _, draining := range []bool{false, true} {
		if draining {
			room.Drain()
		}
		_, err := room.Unary()(context.Background(), nil, check, func(context.Context, any) (any, error) { return nil, nil })
		if err != nil {
			t.Errorf("draining %v: Check: %v", draining, err)
		}
		err = room.Stream()(nil, nil, watch, func(any, grpc.ServerStream) error { return nil })
		if err != nil || room.InFlight() != 1 {
			t.Errorf("draining %v: Watch: %v, %d in flight", draining, err, room.InFlight())
		}
	}
}

var (
	unary    = &grpc.UnaryServerInfo{FullMethod: toolgatev1.ToolGatewayService_CallTool_FullMethodName}
	streamed = &grpc.StreamServerInfo{FullMethod: toolgatev1.ToolGatewayService_CallTools_FullMethodName}
)

type fakeStream struct {
	grpc.ServerStream
	calls int
}

func (s *fakeStream) RecvMsg(m any) error {
	m.(*toolgatev1.CallToolsRequest).Calls = make([]*toolgatev1.ToolCall, s.calls)
	return nil
}

func hasRetryInfo(st *status.Status) bool {
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.GetRetryDelay().AsDuration() > 0 {
			return true
		}
	}
	return false
}
