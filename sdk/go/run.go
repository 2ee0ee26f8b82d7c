package toolgate

import (
	"context"
	"crypto/rand"
	"iter"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Run is one run of an agent: what the gateway remembers, counts and refuses
// belongs to it. It is safe for concurrent use.
type Run struct {
	client *Client
	id     string
}

// Run begins a run; an empty id makes one up. End it when the agent is done:
//
//	run := client.Run("")
//	defer run.End(context.WithoutCancel(ctx))
func (c *Client) Run(id string) *Run {
	if id == "" {
		id = rand.Text()
	}
	return &Run{client: c, id: id}
}

// ID is the run's id.
func (r *Run) ID() string { return r.id }

// Call is [Client.Call] within the run.
func (r *Run) Call(ctx context.Context, tool string, args any) (*Result, error) {
	return r.client.Call(ctx, r.id, tool, args)
}

// Do is [Client.Do] within the run.
func (r *Run) Do(ctx context.Context, call Call) (*Result, error) {
	return r.client.Do(ctx, r.id, call)
}

// CallMany is [Client.CallMany] within the run.
func (r *Run) CallMany(ctx context.Context, calls []Call) iter.Seq[Outcome] {
	return r.client.CallMany(ctx, r.id, calls)
}

const farewell = 5 * time.Second

// End is [Client.EndRun] of the run. A run that is not ended is forgotten by the
// gateway after an hour without a call, so nobody waits longer than five seconds for
// its end.
func (r *Run) End(ctx context.Context) (*toolgatev1.RunSummary, error) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	return r.client.EndRun(ctx, r.id)
}
