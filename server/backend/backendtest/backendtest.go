// Package backendtest is the contract that every back end keeps, as a test
// suite: it honours deadline and cancellation, tells honestly whether bytes
// left, sends once per attempt, bounds what it reads, and may be used by many
// calls at a time. A back end's own test runs it against real servers in the
// process.
package backendtest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// Behaviour is how the upstream of a back end under test behaves.
type Behaviour string

// The behaviours.
const (
	Answers Behaviour = "answers" // a small JSON object at once
	Hangs   Behaviour = "hangs"   // takes the call and never answers it
	Drops   Behaviour = "drops"   // takes the call and goes away without an answer
	Floods  Behaviour = "floods"  // answers FloodBytes of JSON text
	Absent  Behaviour = "absent"  // there is nobody
)

// FloodBytes is the size of a flooding answer, MaxResultBytes the limit that the
// back end under test is to be made with.
const (
	FloodBytes     = 4 << 20
	MaxResultBytes = 64 << 10
)

// Upstream counts the calls that reached it.
type Upstream struct {
	mu      sync.Mutex
	hits    int
	reached chan struct{}
}

// NewUpstream makes a counter.
func NewUpstream() *Upstream { return &Upstream{reached: make(chan struct{}, 1024)} }

// Hit is called by the upstream for each call, before it behaves in any way.
func (u *Upstream) Hit() {
	u.mu.Lock()
	u.hits++
	u.mu.Unlock()
	u.reached <- struct{}{}
}

// Hits is how many calls arrived.
func (u *Upstream) Hits() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.hits
}

// Make makes a back end whose upstream behaves so and calls Hit; nil where this
// kind of upstream can't behave so.
type Make func(t *testing.T, behaviour Behaviour, upstream *Upstream) interceptors.Backend

// Run runs the suite.
func Run(t *testing.T, newBackend Make) {
	for name, test := range map[string]struct {
		behaviour Behaviour
		check     func(*testing.T, interceptors.Backend, *Upstream)
	}{
		"an answer comes back after one sending":           {Answers, answers},
		"many calls at a time don't disturb each other":    {Answers, concurrent},
		"a call whose time is over is not sent":            {Answers, over},
		"the deadline of an attempt ends it":               {Hangs, deadline},
		"a caller that goes away ends the attempt":         {Hangs, cancelled},
		"an upstream that goes away was still asked, once": {Drops, drops},
		"an answer that is too large is bounded or whole":  {Floods, floods},
		"where nobody is nothing is sent":                  {Absent, absent},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := NewUpstream()
			backend := newBackend(t, test.behaviour, upstream)
			if backend == nil {
				t.Skip("this kind of upstream can't behave so")
			}
			test.check(t, backend, upstream)
		})
	}
}

// NewCall makes a call with arguments that are valid JSON.
func NewCall(arguments string) *interceptors.Call {
	return &interceptors.Call{
		Name: "tool", Text: arguments, Tool: &interceptors.Tool{Name: "tool"},
		Arguments: interceptors.Checked{JSON: []byte(arguments)},
	}
}

// patience is how long a test waits for what should happen at once.
const patience = 10 * time.Second

func answers(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	reply := backend.Attempt(t.Context(), NewCall(`{}`))
	wantAnswer(t, reply)
	if upstream.Hits() != 1 {
		t.Errorf("%d calls arrived, want 1", upstream.Hits())
	}
}

func wantAnswer(t *testing.T, reply *interceptors.Reply) {
	t.Helper()
	if reply.Failure != interceptors.FailureNone || !reply.Sent {
		t.Errorf("failure %v (%s), sent %v; want an answer", reply.Failure, reply.Cause, reply.Sent)
	}
	if reply.Result == nil && !json.Valid(reply.Body) {
		t.Errorf("the answer is %q", reply.Body)
	}
	if reply.BodySize != 0 {
		t.Errorf("body size %d of a whole body", reply.BodySize)
	}
}

func concurrent(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	const calls = 64
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			wantAnswer(t, backend.Attempt(t.Context(), NewCall(`{}`)))
		})
	}
	all.Wait()
	if upstream.Hits() != calls {
		t.Errorf("%d calls arrived, want %d", upstream.Hits(), calls)
	}
}

func over(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if reply := backend.Attempt(gone, NewCall(`{}`)); reply.Failure != interceptors.FailureCancelled || reply.Sent {
		t.Errorf("cancelled: failure %v, sent %v", reply.Failure, reply.Sent)
	}
	if reply := backend.Attempt(late, NewCall(`{}`)); reply.Failure != interceptors.FailureTimeout || reply.Sent {
		t.Errorf("late: failure %v, sent %v", reply.Failure, reply.Sent)
	}
	if upstream.Hits() != 0 {
		t.Errorf("%d calls arrived", upstream.Hits())
	}
}

func deadline(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	reply := within(t, func() *interceptors.Reply { return backend.Attempt(ctx, NewCall(`{}`)) })
	if reply.Failure != interceptors.FailureTimeout || !reply.Sent || upstream.Hits() != 1 {
		t.Errorf("failure %v (%s), sent %v, %d calls arrived", reply.Failure, reply.Cause, reply.Sent, upstream.Hits())
	}
}

func cancelled(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-upstream.reached
		cancel()
	}()
	reply := within(t, func() *interceptors.Reply { return backend.Attempt(ctx, NewCall(`{}`)) })
	if reply.Failure != interceptors.FailureCancelled || !reply.Sent || upstream.Hits() != 1 {
		t.Errorf("failure %v (%s), sent %v, %d calls arrived", reply.Failure, reply.Cause, reply.Sent, upstream.Hits())
	}
}

func drops(t *testing.T, backend interceptors.Backend, upstream *Upstream) {
	reply := within(t, func() *interceptors.Reply { return backend.Attempt(t.Context(), NewCall(`{}`)) })
	if reply.Failure != interceptors.FailureReset || !reply.Sent || upstream.Hits() != 1 {
		t.Errorf("failure %v (%s), sent %v, %d calls arrived", reply.Failure, reply.Cause, reply.Sent, upstream.Hits())
	}
}

func floods(t *testing.T, backend interceptors.Backend, _ *Upstream) {
	reply := within(t, func() *interceptors.Reply { return backend.Attempt(t.Context(), NewCall(`{}`)) })
	if reply.Failure != interceptors.FailureNone {
		t.Fatalf("failure %v (%s)", reply.Failure, reply.Cause)
	}
	switch held := len(reply.Body); {
	case reply.Result != nil || held >= FloodBytes:
		if reply.BodySize != 0 {
			t.Errorf("body size %d of a whole body", reply.BodySize)
		}
	case held < MaxResultBytes || held > MaxResultBytes+(1<<20):
		t.Errorf("%d bytes are held of a limit of %d", held, MaxResultBytes)
	case reply.BodySize != -1 && reply.BodySize < FloodBytes:
		t.Errorf("body size %d, want %d or -1", reply.BodySize, FloodBytes)
	}
}

func absent(t *testing.T, backend interceptors.Backend, _ *Upstream) {
	reply := within(t, func() *interceptors.Reply { return backend.Attempt(t.Context(), NewCall(`{}`)) })
	if reply.Failure == interceptors.FailureNone || reply.Sent {
		t.Errorf("failure %v, sent %v", reply.Failure, reply.Sent)
	}
}

// within fails the test where an attempt does not come back.
func within(t *testing.T, attempt func() *interceptors.Reply) *interceptors.Reply {
	t.Helper()
	done := make(chan *interceptors.Reply, 1)
	go func() { done <- attempt() }()
	select {
	case reply := <-done:
		return reply
	case <-time.After(patience):
		t.Fatal("the attempt did not come back")
		return nil
	}
}
