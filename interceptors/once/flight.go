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
// runs it in their own goroutine; whoever comes later waits for it to land. Nearly
// all flights have one passenger, and what the others need is made when they come.
type flight struct {
	same interceptors.Key
	ctx  flightContext
	end  context.CancelCauseFunc

	mu      sync.Mutex // guards the rest
	first   waiter     // who runs it
	others  []*waiter
	boarded int           // waiters there ever were
	waiting int           // of these
	closed  bool          // nobody joins any more: it landed, or was given up
	landed  bool          // and what follows stands
	done    chan struct{} // closed when it lands; nil: nobody asked

	// Written before it lands, read behind that.
	outcome *interceptors.Outcome
	err     error
	// replayed: the outcome was kept; nothing ran.
	replayed bool
}

// waiter is one caller. Its fields are guarded by the flight's lock.
type waiter struct {
	flight   *flight
	ctx      context.Context
	deadline time.Time // zero: none
	gone     bool
	stop     func() bool
}

func newFlight(ctx context.Context, same interceptors.Key) *flight {
	f := &flight{same: same}
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	f.ctx, f.end = flightContext{Context: base, flight: f}, end
	return f
}

// lead has the first caller wait.
func (f *flight) lead(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seat(ctx, &f.first)
}

// join lets another caller wait: for done, which is closed when the flight lands.
// A nil waiter: it is too late to be counted among those whom it flies for.
func (f *flight) join(ctx context.Context) (w *waiter, done <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done == nil {
		f.done = make(chan struct{})
		if f.landed {
			close(f.done)
		}
	}
	if f.closed {
		return nil, f.done
	}
	w = &waiter{}
	f.others = append(f.others, w)
	f.seat(ctx, w)
	return w, f.done
}

// seat is called with the lock held. The caller leaves by leave, or by the end of
// its context, whichever is first.
func (f *flight) seat(ctx context.Context, w *waiter) {
	w.flight, w.ctx = f, ctx
	w.deadline, _ = ctx.Deadline()
	f.boarded++
	f.waiting++
	w.stop = context.AfterFunc(ctx, w.ended)
}

// ended is called when the caller's context is done.
func (w *waiter) ended() { w.depart(w.ctx.Err()) }

// leave lets a waiter go.
func (w *waiter) leave() {
	w.flight.mu.Lock()
	stop := w.stop
	w.flight.mu.Unlock()
	stop()
	why := w.ctx.Err() // its deadline may be why it leaves
	if why == nil {
		why = context.Canceled
	}
	w.depart(why)
}

// depart takes a waiter out. With the last of them the call ends.
func (w *waiter) depart(why error) {
	f := w.flight
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.gone {
		return
	}
	w.gone = true
	if f.waiting--; f.waiting == 0 && !f.closed {
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
	f.mu.Lock()
	f.landed = true
	if f.done != nil {
		close(f.done)
	}
	f.mu.Unlock()
	f.end(context.Canceled)
}

// latest returns the deadline of the caller who waits longest; false where one
// of them would wait for ever.
func (f *flight) latest() (deadline time.Time, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range len(f.others) + 1 {
		w := &f.first
		if i > 0 {
			w = f.others[i-1]
		}
		switch {
		case w.gone:
		case w.deadline.IsZero():
			return time.Time{}, false
		case w.deadline.After(deadline):
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

func (c *flightContext) Deadline() (time.Time, bool) { return c.flight.latest() }

func (c *flightContext) Err() error {
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
