package once

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// flight is one running call and everybody who waits for it. The first of them
// runs it in their own goroutine; whoever comes later waits for done.
type flight struct {
	same interceptors.Key
	ctx  flightContext
	end  context.CancelCauseFunc
	done chan struct{}

	mu      sync.Mutex
	waiting map[*waiter]struct{}
	boarded int  // waiters there ever were
	closed  bool // nobody joins any more: it landed, or was given up

	// Written before done is closed, read behind it.
	outcome *interceptors.Outcome
	err     error
	// replayed: the outcome was kept; nothing ran.
	replayed bool
}

// waiter is one caller. The zero deadline: none.
type waiter struct{ deadline time.Time }

func newFlight(ctx context.Context, same interceptors.Key) *flight {
	f := &flight{same: same, done: make(chan struct{}), waiting: map[*waiter]struct{}{}}
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	f.ctx, f.end = flightContext{Context: base, flight: f}, end
	return f
}

// board lets a caller wait. The caller leaves by the function returned, or by
// the end of its context, whichever is first. False: it is too late to join.
func (f *flight) board(ctx context.Context) (leave func(), ok bool) {
	w := &waiter{}
	w.deadline, _ = ctx.Deadline()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, false
	}
	f.waiting[w] = struct{}{}
	f.boarded++
	stop := context.AfterFunc(ctx, func() { f.leave(w, ctx.Err()) })
	return func() {
		stop()
		why := ctx.Err() // its deadline may be why it leaves
		if why == nil {
			why = context.Canceled
		}
		f.leave(w, why)
	}, true
}

// leave lets a waiter go. With the last of them the call ends.
func (f *flight) leave(w *waiter, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.waiting, w)
	if len(f.waiting) == 0 && !f.closed {
		f.closed = true
		f.end(why)
	}
}

// land ends the flight. Those who joined get a copy of the outcome, made here:
// the first caller's own is no longer theirs to read.
func (f *flight) land(outcome *interceptors.Outcome, err error) {
	f.mu.Lock()
	f.closed = true
	shared := f.boarded > 1
	f.mu.Unlock()
	if shared {
		f.outcome, f.err = clone(outcome), err
	}
	close(f.done)
	f.end(context.Canceled)
}

// latest returns the deadline of the caller who waits longest; false where one
// of them would wait for ever.
func (f *flight) latest() (deadline time.Time, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.waiting {
		if w.deadline.IsZero() {
			return time.Time{}, false
		}
		if w.deadline.After(deadline) {
			deadline = w.deadline
		}
	}
	return deadline, !deadline.IsZero()
}

// flightContext is the context of a running call: the first caller's values, the
// latest waiter's deadline, and an end when the last waiter has gone. It keeps no
// timer: at the latest deadline the last waiter goes. The embedded context is the
// standard library's own, so that contexts made from this one need no goroutine.
type flightContext struct {
	context.Context
	flight *flight
}

func (c flightContext) Deadline() (time.Time, bool) { return c.flight.latest() }

func (c flightContext) Err() error {
	err := c.Context.Err()
	if err != nil && errors.Is(context.Cause(c.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

func clone(outcome *interceptors.Outcome) *interceptors.Outcome {
	if outcome == nil {
		return nil
	}
	copied := *outcome
	copied.Result = proto.CloneOf[*toolgatev1.ToolResult](outcome.Result)
	copied.Error = proto.CloneOf[*toolgatev1.ToolError](outcome.Error)
	return &copied
}
