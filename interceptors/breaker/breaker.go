package breaker

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	probeWait    = time.Second      // told to others while a probe is out, at most
	defaultLease = 30 * time.Second // of a probe whose tool has no attempt timeout
	leaseGrace   = time.Second      // for a probe to tell that it timed out
)

// Room breaks circuits and holds calls back. It is safe for concurrent use.
type Room struct {
	epoch time.Time
	book  *book
	board interceptors.Board // nil: this replica is alone
}

// New makes the room. Its limits come with each call's tool.
func New(options ...Option) *Room {
	r := &Room{epoch: time.Now(), book: newBook()}
	for _, option := range options {
		option(r)
	}
	return r
}

func (r *Room) now() moment { return time.Since(r.epoch) }

// pass is what an attempt holds while it is out.
type pass struct {
	account, tool *entry
	tickets       [2]ticket // of account and tool
	permits       [2]permit
}

// admit lets an attempt pass or refuses it.
func (r *Room) admit(ctx context.Context, call *interceptors.Call, p *pass) *interceptors.Outcome {
	start := r.now()
	upstream := call.Tool.Upstream
	p.account, p.tool = r.book.of(key{upstream, ""}, start), r.book.of(key{upstream, call.Tool.Name}, start)
	// An open circuit is worse news than a cooldown, and nobody should wait for a
	// turn only to hear of it.
	if wait := max(p.account.circuit.wait(start), p.tool.circuit.wait(start)); wait > 0 {
		return refuseOpen(wait)
	}
	refusal := r.queue(ctx, call, p, start)
	now, lease := r.now(), leaseOf(call)
	call.Trace.Queued += now - start
	if refusal != nil {
		return refusal
	}
	var wait time.Duration
	if p.permits[0], wait = p.account.circuit.enter(now, lease); wait == 0 {
		if p.permits[1], wait = p.tool.circuit.enter(now, lease); wait > 0 {
			p.account.circuit.leave(p.permits[0], newsNone, now, numbers{})
		}
	}
	if wait > 0 {
		r.leaveGates(p, now, false)
		return refuseOpen(wait)
	}
	return nil
}

// queue passes both gates or refuses.
func (r *Room) queue(ctx context.Context, call *interceptors.Call, p *pass, start moment) *interceptors.Outcome {
	v := visitor{now: start, epoch: r.epoch, arrived: call.Arrived, patience: patience(ctx), lease: leaseOf(call)}
	var wait time.Duration
	if p.tickets[0], wait = p.account.gate.enter(ctx, v); wait > 0 {
		return refuseCooling(wait)
	}
	if p.tickets[0].place != nil { // it may have waited
		v.now = r.now()
	}
	if p.tickets[1], wait = p.tool.gate.enter(ctx, v); wait > 0 {
		p.account.gate.leave(p.tickets[0], v.now, false)
		return refuseCooling(wait)
	}
	if ctx.Err() != nil { // its time ended while it waited
		r.leaveGates(p, r.now(), false)
		return refuseCooling(turnWait)
	}
	return nil
}

// patience leaves an attempt at least half of its time.
func patience(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(turnWait, time.Until(deadline)/2)
	}
	return turnWait
}

func leaseOf(call *interceptors.Call) time.Duration {
	if timeout := call.Tool.Policy.AttemptTimeout; timeout > 0 {
		return timeout + leaseGrace
	}
	return defaultLease
}

func refuseOpen(wait time.Duration) *interceptors.Outcome {
	outcome := interceptors.RefuseTransient(interceptors.CodeCircuitOpen,
		"the tool failed again and again and is left alone for a while; no attempt was made", wait.Seconds())
	outcome.Error.Exhausted = true
	outcome.Verdict = interceptors.Verdict{Executed: interceptors.ExecutedNo, Hold: interceptors.HoldOpen, Refused: true}
	return outcome
}

func refuseCooling(wait time.Duration) *interceptors.Outcome {
	outcome := interceptors.RefuseTransient(interceptors.CodeCoolingDown,
		"the tool asked for a pause; no attempt was made", wait.Seconds())
	outcome.Verdict = interceptors.Verdict{Executed: interceptors.ExecutedNo, Hold: interceptors.HoldCooldown, Refused: true}
	return outcome
}

// release gives everything back; learn was told what there was to learn.
func (r *Room) release(call *interceptors.Call, p *pass, news [2]news, n numbers, answered bool) {
	now := r.now()
	r.post(call, "", p.account.circuit.leave(p.permits[0], news[0], now, n), n.open, n.open)
	r.post(call, call.Tool.Name, p.tool.circuit.leave(p.permits[1], news[1], now, n), n.open, n.open)
	r.leaveGates(p, now, answered)
}

func (r *Room) leaveGates(p *pass, now moment, answered bool) {
	p.account.gate.leave(p.tickets[0], now, answered)
	p.tool.gate.leave(p.tickets[1], now, answered)
}

// learn takes in how an attempt ended, gives its places back, and notes on the
// outcome what holds the next attempt back.
func (r *Room) learn(ctx context.Context, call *interceptors.Call, p *pass, outcome *interceptors.Outcome) {
	policy := &call.Tool.Policy
	n := numbers{failures: policy.BreakerFailures, open: policy.BreakerOpen, lease: leaseOf(call)}
	if outcome == nil { // a status or a panic: nothing is known
		r.release(call, p, [2]news{}, n, false)
		return
	}
	if wait, hinted, asked := asksForPause(outcome); asked && policy.CooldownMax > 0 {
		gate, ticket, of := &p.tool.gate, p.tickets[1], call.Tool.Name
		if outcome.Verdict.Scope == interceptors.ScopeAccount {
			gate, ticket, of = &p.account.gate, p.tickets[0], ""
		}
		hold, hint, news := gate.cool(ticket, r.now(), pause{
			hinted: hinted, hint: wait, first: policy.Backoff, most: policy.BackoffMax, max: policy.CooldownMax,
		})
		if news {
			r.post(call, of, interceptors.NoticePaused, hold, hint)
		}
	}
	r.release(call, p, newsOf(ctx, p, outcome), n, ctx.Err() == nil)
	if outcome.Failed(interceptors.Transient) {
		r.note(p, outcome)
	}
}

// note writes what holds further attempts back on a transient outcome, so that
// nobody waits for what is known to be refused, or comes back too soon.
func (r *Room) note(p *pass, outcome *interceptors.Outcome) {
	now := r.now()
	wait, hold := max(p.account.circuit.wait(now), p.tool.circuit.wait(now)), interceptors.HoldOpen
	if wait == 0 {
		wait, hold = max(p.account.gate.left(now), p.tool.gate.left(now)), interceptors.HoldCooldown
	}
	if wait == 0 {
		return
	}
	outcome.Verdict.Hold = hold
	seconds := max(wait.Seconds(), outcome.Error.GetRetryAfter())
	outcome.Error.RetryAfter = &seconds
}

// asksForPause tells whether an outcome holds others back, too, and how long
// where the upstream said so.
func asksForPause(outcome *interceptors.Outcome) (wait time.Duration, hinted, asked bool) {
	if !outcome.Failed(interceptors.Transient) {
		return 0, false, false
	}
	if seconds := outcome.Error.GetRetryAfter(); outcome.Verdict.Hinted && seconds > 0 {
		const longest = 365 * 24 * time.Hour // a duration has no room for more than 292 years
		return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second)), true, true
	}
	return 0, false, outcome.Verdict.RateLimited
}

// newsOf tells what an outcome says of the upstream and of the tool.
func newsOf(ctx context.Context, p *pass, outcome *interceptors.Outcome) (says [2]news) {
	health := outcome.Verdict.Health
	if outcome.Error == nil {
		health = interceptors.HealthAlive
	}
	switch {
	case health == interceptors.HealthAlive:
		return [2]news{newsGood, newsGood}
	case health == interceptors.HealthNeutral || endedByCaller(ctx):
		return [2]news{}
	case health == interceptors.HealthToolDown:
		says[1] = newsBad
	case health == interceptors.HealthUpstreamDown:
		says[0] = newsBad
	}
	// A probe must decide: whoever does not reach the upstream has not seen the
	// tool come back, and a tool that answers at all shows that its upstream has.
	if p.permits[1].probe != 0 {
		says[1] = newsBad
	}
	if p.permits[0].probe != 0 && says[0] == newsNone {
		says[0] = newsGood
		if outcome.Verdict.TimedOut {
			says[0] = newsBad
		}
	}
	return says
}

// gone reports that the caller went away or its own deadline passed, and not
// only an attempt's time.
func gone(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && !errors.Is(cause, interceptors.ErrAttemptTimeout) && !errors.Is(cause, interceptors.ErrCallNearsEnd)
}

// endedByCaller reports that the caller's patience ended the attempt: nobody
// knows whether the upstream would have answered in time.
func endedByCaller(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), interceptors.ErrAttemptTimeout)
}

// Ready reports whether an attempt would be let through now: no circuit is
// open, nobody asked for a pause, and there is no queue.
func (r *Room) Ready(upstream, tool string) bool {
	now, entries := r.now(), r.book.all()
	for _, k := range [...]key{{upstream, ""}, {upstream, tool}} {
		if e := entries[k]; e != nil && (e.circuit.wait(now) > 0 || e.gate.crowded(now)) {
			return false
		}
	}
	return true
}

// Forget drops what is known of a tool of an upstream, or of the whole upstream
// where tool is empty. What is not forgotten survives a reload.
func (r *Room) Forget(upstream, tool string) { r.book.forget(upstream, tool) }

// State is what a key does to attempts.
type State int

// The states.
const (
	Closed   State = iota // lets them through
	Open                  // refuses them: too many failed in a row
	HalfOpen              // lets one through, to see
	Cooling               // holds them back: the upstream asked for it
)

// Condition is the state of one key.
type Condition struct {
	Upstream string
	Tool     string // empty: the whole upstream
	State    State
	Left     time.Duration // of Open and Cooling
}

// Snapshot lists the keys that are not simply closed, for metrics, by upstream
// and tool. A key may be both half-open and cooling.
func (r *Room) Snapshot() []Condition {
	var conditions []Condition
	now := r.now()
	for k, e := range r.book.all() {
		if state, left := e.circuit.state(now); state != Closed {
			conditions = append(conditions, Condition{k.upstream, k.tool, state, left})
		}
		if left := e.gate.left(now); left > 0 {
			conditions = append(conditions, Condition{k.upstream, k.tool, Cooling, left})
		}
	}
	slices.SortFunc(conditions, func(a, b Condition) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.State, b.State))
	})
	return conditions
}
