package server

import (
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// CallTools runs a model's parallel calls and streams what happens as it
// happens. One broken call never fails the others; only the runtime's own
// mistakes, seen before anything is dispatched, fail the rpc.
func (s *service) CallTools(req *toolgatev1.CallToolsRequest, stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]) error {
	ctx := stream.Context()
	run, err := runOf(ctx, req.GetRunId())
	if err != nil {
		return err
	}
	if err := checkBatch(req.GetCalls()); err != nil {
		return err
	}
	arrived := time.Now()
	ctx, snapshot := s.arrive(ctx, run, idsOf(req.GetCalls())...) // one for all, before any queue
	events := newEvents(stream)
	var calls sync.WaitGroup
	for i, msg := range req.GetCalls() {
		call := interceptors.NewCall(run, msg, arrived, snapshot)
		call.Batch = true
		index := uint32(i) //nolint:gosec // at most 64
		call.Progress = func(p *toolgatev1.CallProgress) { events.progress(index, p) }
		calls.Go(func() {
			response, err := s.run(ctx, call)
			if err != nil {
				events.fail(err)
				return
			}
			events.done(index, response)
		})
	}
	calls.Wait()
	return events.close()
}

func idsOf(calls []*toolgatev1.ToolCall) []string {
	ids := make([]string, len(calls))
	for i, call := range calls {
		ids[i] = call.GetCallId()
	}
	return ids
}

func checkBatch(calls []*toolgatev1.ToolCall) error {
	if len(calls) < 1 || len(calls) > maxBatchCalls {
		return interceptors.StatusInvalid("BATCH_SIZE", "calls", fmt.Sprintf("%d calls; 1 to %d are accepted", len(calls), maxBatchCalls))
	}
	for i, call := range calls {
		if err := checkCall(call, fmt.Sprintf("calls[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// events serialises what the calls of one batch send. A stream takes one Send
// at a time.
type events struct {
	turn   chan struct{} // of one, guards the rest: a Send may take as long as its reader does
	stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]
	err    error // the first status; the rpc ends with it
}

func newEvents(stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]) *events {
	return &events{turn: make(chan struct{}, 1), stream: stream}
}

func (e *events) progress(index uint32, p *toolgatev1.CallProgress) {
	e.send(&toolgatev1.CallToolsResponse{Index: index, Event: &toolgatev1.CallToolsResponse_Progress{Progress: p}})
}

func (e *events) done(index uint32, response *toolgatev1.CallToolResponse) {
	e.send(&toolgatev1.CallToolsResponse{Index: index, Event: &toolgatev1.CallToolsResponse_Done{Done: response}})
}

func (e *events) send(event *toolgatev1.CallToolsResponse) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if e.err == nil {
		e.err = e.stream.Send(event)
	}
}

func (e *events) fail(err error) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if e.err == nil {
		e.err = err
	}
}

func (e *events) close() error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	return e.err
}
