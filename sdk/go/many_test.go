package toolgate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

type send = func(*toolgatev1.CallToolsResponse)

func read(ctx context.Context, client *toolgate.Client, calls []toolgate.Call) (indexes []int, errs map[int]error) {
	errs = map[int]error{}
	for done := range client.CallMany(ctx, "run", calls) {
		indexes, errs[done.Index] = append(indexes, done.Index), done.Err
	}
	return indexes, errs
}

func TestOutcomesComeAsTheyFinishAndEachOnce(t *testing.T) {
	g := &gateway{many: func(_ context.Context, _ *toolgatev1.CallToolsRequest, send send) error {
		send(progress(0, 1))
		send(done(2, result(`{"n":2}`)))
		send(done(2, result(`{"again":2}`)))          // a second outcome is ignored
		send(done(9, result(`{}`)))                   // so is an index that was never sent
		send(&toolgatev1.CallToolsResponse{Index: 0}) // and an event from a later version
		send(done(0, failure(&toolgatev1.ToolError{ErrorClass: 3, Code: "gone"})))
		send(done(1, result(`{"n":1}`)))
		return nil
	}}
	var heard []uint32
	calls := []toolgate.Call{{Tool: "a", Progress: func(p *toolgatev1.CallProgress) { heard = append(heard, p.GetAttempt()) }}, {Tool: "b"}, {Tool: "c"}}
	indexes, errs := read(t.Context(), dial(t, g), calls)
	if !slices.Equal(indexes, []int{2, 0, 1}) || !slices.Equal(heard, []uint32{1}) {
		t.Errorf("order %v, progress %v", indexes, heard)
	}
	var failed *toolgate.ToolError
	if !errors.As(errs[0], &failed) || failed.Code != "gone" || errs[1] != nil || errs[2] != nil {
		t.Errorf("errors %v", errs)
	}
}

func TestACallWithoutJSONFailsAlone(t *testing.T) {
	g := &gateway{many: func(_ context.Context, request *toolgatev1.CallToolsRequest, send send) error {
		for i, call := range request.GetCalls() {
			send(done(uint32(i), result(fmt.Sprintf(`{"tool":%q}`, call.GetTool()))))
		}
		return nil
	}}
	tools := map[int]string{}
	for done := range dial(t, g).CallMany(t.Context(), "run", []toolgate.Call{{Tool: "a"}, {Tool: "b", Args: func() {}}, {Tool: "b", Args: "\xff"}, {Tool: "c"}}) {
		if done.Err == nil {
			tools[done.Index] = done.Result.Text()
		}
	}
	if len(tools) != 2 || tools[0] != `{"tool":"a"}` || tools[3] != `{"tool":"c"}` {
		t.Errorf("got %v", tools)
	}
}

func TestABrokenStreamFailsOnlyWhatIsOpen(t *testing.T) {
	for name, end := range map[string]error{"a status": status.Error(codes.Unavailable, "gone"), "an early end": nil} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{many: func(_ context.Context, _ *toolgatev1.CallToolsRequest, send send) error {
				send(done(1, result(`{}`)))
				return end
			}}
			indexes, errs := read(t.Context(), dial(t, g), []toolgate.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}})
			if !slices.Equal(indexes, []int{1, 0, 2}) || errs[1] != nil || errs[0] == nil || errs[2] == nil {
				t.Errorf("order %v, errors %v", indexes, errs)
			}
			if end != nil && status.Code(errs[0]) != codes.Unavailable {
				t.Errorf("the status is lost: %v", errs[0])
			}
		})
	}
}

func TestLeavingTheLoopCancelsTheRest(t *testing.T) {
	cancelled := make(chan error, 1)
	g := &gateway{many: func(ctx context.Context, _ *toolgatev1.CallToolsRequest, send send) error {
		send(done(0, result(`{}`)))
		<-ctx.Done()
		cancelled <- ctx.Err()
		return ctx.Err()
	}}
	for range dial(t, g).CallMany(t.Context(), "run", []toolgate.Call{{Tool: "a"}, {Tool: "b"}}) {
		break
	}
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the server saw %v", err)
	}
}

func TestNoCallsAskNothing(t *testing.T) {
	if indexes, _ := read(t.Context(), dial(t, &gateway{}), nil); len(indexes) != 0 {
		t.Errorf("got %v", indexes)
	}
}

func TestACallWithProgressIsHeardAndAnswered(t *testing.T) {
	g := &gateway{many: func(_ context.Context, _ *toolgatev1.CallToolsRequest, send send) error {
		send(progress(0, 1))
		send(progress(0, 2))
		send(done(0, result(`{"ok":true}`)))
		return nil
	}}
	heard := 0
	got, err := dial(t, g).Do(t.Context(), "run", toolgate.Call{Tool: "t", ID: "c1", Fresh: true, WantAlternatives: true,
		Progress: func(*toolgatev1.CallProgress) { heard++ }})
	if err != nil || got.Text() != `{"ok":true}` || heard != 2 {
		t.Errorf("got %v, %v, heard %d", got, err, heard)
	}
	if call := g.calls[0]; call.GetCallId() != "c1" || !call.GetFresh() || !call.GetWantAlternatives() {
		t.Errorf("lost on the way: %v", call)
	}
}
