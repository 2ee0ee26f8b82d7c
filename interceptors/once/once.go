package once

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	room   = "once"
	shards = 64 // a power of two

	// A call that runs in another process is asked after, at first often.
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// Room makes each call_id one call. It is safe for concurrent use.
type Room struct {
	ledger  interceptors.ClaimBook
	seed    maphash.Seed
	digests digests
	air     [shards]airspace
}

// airspace holds the running calls whose ids hash to it.
type airspace struct {
	mu      sync.Mutex
	flights map[callName]*flight
}

type callName struct {
	run interceptors.RunKey
	id  string
}

// New makes the room. Claims and kept outcomes are the ledger's.
func New(ledger interceptors.ClaimBook) *Room {
	r := &Room{ledger: ledger, seed: maphash.MakeSeed()}
	for i := range r.air {
		r.air[i].flights = map[callName]*flight{}
	}
	return r
}

func (r *Room) handle(ctx context.Context, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	if call.ID == "" {
		return next(ctx, call)
	}
	same := r.digests.sameness(call)
	for {
		f, leads := r.enter(ctx, call, same)
		if leads {
			return r.lead(call, f, next)
		}
		if f.same != same {
			return reused(call)
		}
		outcome, err := join(ctx, call, f)
		if outcome != nil || err != nil {
			return outcome, err
		}
		// It ended just now, or only told what was kept: ask again.
	}
}

// enter finds the running call of that id, or starts its flight, which the caller
// leads then.
func (r *Room) enter(ctx context.Context, call *interceptors.Call, same interceptors.Key) (f *flight, leads bool) {
	name := callName{run: call.Run, id: call.ID}
	air := r.airOf(name)
	air.mu.Lock()
	defer air.mu.Unlock()
	if f := air.flights[name]; f != nil {
		return f, false
	}
	f = newFlight(ctx, same)
	f.lead(ctx)
	air.flights[name] = f
	return f, true
}

func (r *Room) airOf(name callName) *airspace {
	return &r.air[maphash.Comparable(r.seed, name)%shards]
}

// lead runs the call for everybody who waits for it. A panic goes on to the
// first caller's seal; the others are told of it.
func (r *Room) lead(call *interceptors.Call, f *flight, next interceptors.Next) (outcome *interceptors.Outcome, err error) {
	broke := true
	defer func() {
		told := outcome
		if broke {
			told, err = broken(call.Tool), nil
		}
		name := callName{run: call.Run, id: call.ID}
		air := r.airOf(name)
		air.mu.Lock()
		delete(air.flights, name)
		air.mu.Unlock()
		f.land(told, err)
		f.first.leave()
	}()
	outcome, err = r.claimed(f, call, next)
	broke = false
	return outcome, err
}

// join waits for a running call. Neither an outcome nor an error: the call has to
// be asked for again.
func join(ctx context.Context, call *interceptors.Call, f *flight) (*interceptors.Outcome, error) {
	w, done := f.join(ctx)
	if w != nil {
		defer w.leave()
	}
	select {
	case <-done:
	case <-ctx.Done():
		return nil, interceptors.StatusDone(ctx)
	}
	if w == nil || call.Fresh && f.replayed {
		return nil, nil
	}
	call.Trace.Answered = room
	return clone(f.outcome), f.err
}

// claimed makes the call if its id is free, and else tells what became of it.
func (r *Room) claimed(f *flight, call *interceptors.Call, next interceptors.Next) (*interceptors.Outcome, error) {
	claim, err := r.claim(f, call)
	switch {
	case err != nil:
		return next(&f.ctx, call) // without a ledger nothing is remembered
	case claim.State == interceptors.ClaimTaken:
		return r.run(&f.ctx, call, next)
	case claim.State == interceptors.ClaimRunning:
		return nil, interceptors.StatusDone(&f.ctx) // nobody waits for it any more
	}
	f.replayed = true
	call.Trace.Answered = room
	switch claim.State {
	case interceptors.ClaimSettled:
		return replay(claim.Response), nil
	case interceptors.ClaimOther:
		return reused(call)
	case interceptors.ClaimTooLarge:
		return tooLarge(), nil
	default:
		return lost(call.Tool), nil
	}
}

// claim asks the ledger until the id is this call's or has an end. What may run
// twice is taken over where its outcome is gone.
func (r *Room) claim(f *flight, call *interceptors.Call) (interceptors.Claim, error) {
	fresh := call.Fresh
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		claim, err := r.ledger.Claim(&f.ctx, call.Run, call.ID, f.same, fresh)
		gone := claim.State == interceptors.ClaimTooLarge || claim.State == interceptors.ClaimLost
		switch {
		case err != nil:
			return claim, err
		case claim.State == interceptors.ClaimRunning:
			fresh = false // it joins the one that runs
		case gone && !call.Tool.RunsOnce() && !fresh:
			fresh = true
			continue
		default:
			return claim, nil
		}
		select {
		case <-time.After(wait):
		case <-f.ctx.Done():
			return claim, nil
		}
	}
}

// run makes the claimed call. However it ends, its claim is told.
func (r *Room) run(ctx context.Context, call *interceptors.Call, next interceptors.Next) (outcome *interceptors.Outcome, err error) {
	broke := true
	defer func() {
		ledger := context.WithoutCancel(ctx)
		switch {
		case broke || err != nil && ctx.Err() == nil:
			// It broke down on its way, nobody knows how far it came.
			_ = r.ledger.SettleClaim(ledger, call.Run, call.ID, nil)
		case final(outcome, err):
			_ = r.ledger.SettleClaim(ledger, call.Run, call.ID, outcome.Response())
		default:
			_ = r.ledger.ReleaseClaim(ledger, call.Run, call.ID)
		}
	}()
	outcome, err = next(ctx, call)
	if outcome != nil && outcome.Error != nil && outcome.Error.GetCorrelationId() == "" {
		outcome.Error.CorrelationId = call.CorrelationID // also of what is told later: it finds this call
	}
	broke = false
	return outcome, err
}

// final reports that asking again would be told the same.
func final(outcome *interceptors.Outcome, err error) bool {
	return err == nil && !outcome.FromMemory && !outcome.Failed(interceptors.Transient)
}

func replay(response *toolgatev1.CallToolResponse) *interceptors.Outcome {
	return &interceptors.Outcome{Result: response.GetResult(), Error: response.GetError(), Exempt: true, FromMemory: true}
}
