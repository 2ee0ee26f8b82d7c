package limits

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Spender counts the calls of a run before they are made. The ledger is one.
type Spender interface {
	// Spend counts one call and returns the count, this one included.
	Spend(ctx context.Context, run interceptors.RunKey) (uint64, error)
}

// Room limits what is in flight. It is safe for concurrent use.
type Room struct {
	spender Spender
	runs    *runBook
	tools   *toolBook
	turns   atomic.Uint64 // numbers the calls that wait
}

// New makes the room. A nil spender switches run budgets off.
func New(spender Spender) *Room {
	return &Room{spender: spender, runs: newRunBook(), tools: newToolBook()}
}

// tooLarge answers a call whose arguments are over the tool's limit.
func tooLarge(call *interceptors.Call) *interceptors.Outcome {
	limit, size := int(call.Tool.Policy.MaxArgumentsBytes), len(call.Text)
	if limit == 0 || size <= limit {
		return nil
	}
	return interceptors.RejectArguments(interceptors.CodeArgumentsTooLarge,
		fmt.Sprintf("the arguments have %d bytes; at most %d are accepted", size, limit),
		&toolgatev1.Violation{
			Problem: fmt.Sprintf("%d bytes", size),
			Range:   fmt.Sprintf("at most %d bytes", limit),
		})
}

// overBudget counts the call and answers it when the run has spent its calls.
func (r *Room) overBudget(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
	limit := uint64(call.Tool.Policy.MaxCallsPerRun)
	if limit == 0 || r.spender == nil {
		return nil
	}
	spent, err := r.spender.Spend(ctx, call.Run)
	if err != nil || spent <= limit { // a keeper that can't be asked stops nobody
		return nil
	}
	return interceptors.RefuseTerminal(interceptors.CodeRunBudget,
		fmt.Sprintf("this run has made its %d %s", limit, calls(limit)))
}

func calls(n uint64) string {
	if n == 1 {
		return "call"
	}
	return "calls"
}

// stay is what a call inside holds: a place of its run and one of its tool.
type stay struct {
	run, tool *slots
	since     time.Time
}

func (s *stay) leave() {
	for _, places := range [...]*slots{s.run, s.tool} {
		if places.waiting.Load() > 0 { // an estimate is wanted only then
			places.held(time.Since(s.since))
		}
		places.release()
	}
}

// side is one of the two things that a call needs.
type side struct {
	places *slots
	limit  int64
	whose  string
}

// enter takes a place of the run and one of the tool, or says why not.
func (r *Room) enter(ctx context.Context, call *interceptors.Call, s *stay) (*interceptors.Outcome, error) {
	policy := &call.Tool.Policy
	run := side{s.run, int64(policy.MaxInFlightPerRun), "run"}
	tool := side{s.tool, int64(policy.MaxInFlightPerTool), "tool"}
	if call.Tool.Unknown {
		tool.limit = 0 // a name that does not exist keeps nobody waiting
	}
	if !run.places.take(run.limit) {
		return r.queue(ctx, call, run, tool)
	}
	if tool.places.take(tool.limit) {
		return nil, nil
	}
	run.places.release()
	return r.queue(ctx, call, tool, run)
}

// queue waits for both sides, holding neither meanwhile: it waits for the full
// one, then takes the other if it is free, else gives back and waits for that.
func (r *Room) queue(ctx context.Context, call *interceptors.Call, full, other side) (*interceptors.Outcome, error) {
	start, policy := time.Now(), &call.Tool.Policy
	late := make(chan struct{})
	timer := time.AfterFunc(patience(ctx, call, start), func() { close(late) })
	defer timer.Stop()
	defer func() { call.Trace.Queued += time.Since(start) }()
	call.Progress(&toolgatev1.CallProgress{
		Phase:       toolgatev1.CallProgress_PHASE_QUEUED,
		MaxAttempts: policy.MaxAttempts,
	})
	turn, room := r.turns.Add(1), int64(policy.MaxQueued)
	for {
		w := &waiter{limit: full.limit, turn: turn}
		switch full.places.wait(ctx, w, room, late) {
		case waitDone:
			return nil, interceptors.StatusDone(ctx)
		case waitFull, waitLate:
			return busy(full), nil
		case waitTaken:
		}
		if other.places.takeAt(other.limit, turn) {
			return nil, nil
		}
		full.places.release()
		full, other = other, full
		room++ // it had its place in the queue already
	}
}

// patience is how long a call may wait for its turn: the tool's queue timeout,
// and never so long that `busy` would come too late for the caller.
func patience(ctx context.Context, call *interceptors.Call, now time.Time) time.Duration {
	timeout := call.Tool.Policy.QueueTimeout
	if by, ok := interceptors.AnswerBy(ctx, call); ok {
		timeout = min(timeout, by.Sub(now))
	}
	return max(timeout, 0)
}

func busy(full side) *interceptors.Outcome {
	return interceptors.RefuseTransient(interceptors.CodeBusy,
		fmt.Sprintf("too many calls of this %s are in flight", full.whose),
		full.places.estimate(full.limit).Seconds())
}
