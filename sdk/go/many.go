package toolgate

import (
	"context"
	"errors"
	"io"
	"iter"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Outcome is how one call of CallMany ended.
type Outcome struct {
	Index  int // of the call in the list
	Result *Result
	Err    error // as Call returns it; nil: there is a Result
}

// CallMany runs a model's parallel calls of one turn, 1 to 64, and yields each
// outcome once, as it arrives. One broken call never fails the others; where
// the stream itself breaks, each call without an outcome gets the status.
// Breaking out of the loop cancels what is still running. Transient failures
// are yielded and not waited out.
func (c *Client) CallMany(ctx context.Context, run string, calls []Call) iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		batch := batch{calls: calls, yield: yield}
		request := &toolgatev1.CallToolsRequest{RunId: run, Calls: batch.messages()}
		if batch.left || len(request.Calls) == 0 {
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := c.receive(ctx, request, &batch)
		batch.rest(err)
	}
}

// receive hands every event to the batch until all calls are done, the stream
// breaks or the reader leaves.
func (c *Client) receive(ctx context.Context, request *toolgatev1.CallToolsRequest, batch *batch) error {
	stream, err := c.gateway.CallTools(ctx, request)
	if err != nil {
		return err
	}
	for !batch.finished() {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("toolgate: the gateway ended the stream before every call had its outcome")
		}
		if err != nil {
			return err
		}
		batch.take(event)
	}
	if !batch.left {
		_, _ = stream.Recv() // the end of the stream: without it the rpc would count as cancelled
	}
	return nil
}

func (c *Client) stream(ctx context.Context, run string, msg *toolgatev1.ToolCall, progress func(*toolgatev1.CallProgress)) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var last Outcome
	batch := batch{
		calls: []Call{{Progress: progress}}, sent: []int{0}, open: map[int]bool{0: true},
		yield: func(done Outcome) bool { last = done; return true },
	}
	batch.rest(c.receive(ctx, &toolgatev1.CallToolsRequest{RunId: run, Calls: []*toolgatev1.ToolCall{msg}}, &batch))
	return last.Result, last.Err
}

// batch is what has been sent and not yet answered.
type batch struct {
	calls []Call
	yield func(Outcome) bool
	sent  []int        // index in calls, by index on the wire
	open  map[int]bool // indexes in calls that wait for their outcome
	left  bool         // the reader left
}

// messages makes the wire form; a call that has none gets its error at once.
func (b *batch) messages() []*toolgatev1.ToolCall {
	var msgs []*toolgatev1.ToolCall
	b.open = make(map[int]bool, len(b.calls))
	for i, call := range b.calls {
		msg, err := call.message()
		if err != nil {
			b.give(Outcome{Index: i, Err: err})
			continue
		}
		b.sent, b.open[i] = append(b.sent, i), true
		msgs = append(msgs, msg)
	}
	return msgs
}

func (b *batch) finished() bool { return b.left || len(b.open) == 0 }

func (b *batch) give(done Outcome) { b.left = b.left || !b.yield(done) }

// take reads one event. Events and indexes that it does not know are ignored.
func (b *batch) take(event *toolgatev1.CallToolsResponse) {
	if int(event.GetIndex()) >= len(b.sent) {
		return
	}
	i := b.sent[event.GetIndex()]
	if !b.open[i] {
		return
	}
	if progress := event.GetProgress(); progress != nil && b.calls[i].Progress != nil {
		b.calls[i].Progress(progress)
	}
	if response := event.GetDone(); response != nil {
		delete(b.open, i)
		result, err := outcome(response)
		b.give(Outcome{Index: i, Result: result, Err: err})
	}
}

// rest gives err to every call that has no outcome, in the order of the list.
func (b *batch) rest(err error) {
	for _, i := range b.sent {
		if b.open[i] && !b.left {
			b.give(Outcome{Index: i, Err: err})
		}
	}
}
