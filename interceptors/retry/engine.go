package retry

import (
	"context"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// engine runs one call. It belongs to one goroutine.
type engine struct {
	room   *Room
	call   *interceptors.Call
	next   interceptors.Next
	policy *interceptors.Policy
	budget *budget
	start  time.Time

	attempts uint32        // made, refusals not counted
	unhinted uint32        // of these, failed without a hint
	waited   time.Duration // between them
	narrows  bool          // a call of this read timed out in this run before

	// maybe: an attempt that went before may have taken effect, of this call or
	// of the identical one whose key was kept.
	maybe   bool
	out     bool                  // an attempt is under way
	settled bool                  // the call's effect is known
	last    *interceptors.Outcome // of the last attempt
}

// step is what follows a try.
type step struct {
	again  bool
	wait   time.Duration // before it
	code   string        // of what is waited out
	answer *interceptors.Outcome
}

func done(answer *interceptors.Outcome) step { return step{answer: answer} }

func (e *engine) run(ctx context.Context) (*interceptors.Outcome, error) {
	for {
		outcome, err := e.try(ctx)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil && outcome.Failed(interceptors.Transient) {
			e.count(outcome)
			return nil, interceptors.StatusDone(ctx) // nobody waits for a repetition
		}
		next := e.judge(ctx, outcome)
		if !next.again {
			return next.answer, nil
		}
		if err := e.sleep(ctx, next); err != nil {
			return nil, err
		}
	}
}

// try makes one attempt, unless the breaker refuses it.
func (e *engine) try(ctx context.Context) (*interceptors.Outcome, error) {
	now := time.Now()
	ctx, cancel := e.within(ctx, now)
	defer cancel()
	e.call.Progress(&toolgatev1.CallProgress{
		Phase: toolgatev1.CallProgress_PHASE_ATTEMPT, Attempt: e.attempts + 1, MaxAttempts: e.maxAttempts(),
	})
	e.out = true
	outcome, err := e.next(ctx, e.call)
	if err == nil {
		e.out = false
	}
	if err == nil && outcome.Verdict.Refused { // it may have waited for its turn
		e.waited += time.Since(now)
	}
	return outcome, err
}

// judge decides what follows a try.
func (e *engine) judge(ctx context.Context, outcome *interceptors.Outcome) step {
	switch {
	case outcome.Verdict.Refused:
		return e.refused(ctx, outcome)
	case outcome.Failed(interceptors.Transient):
		e.count(outcome)
		e.last = outcome
		return e.failed(ctx, outcome)
	default:
		before := e.maybe
		if !outcome.Verdict.Unasked {
			e.count(outcome)
		}
		e.conclude(outcome, before)
		return done(outcome)
	}
}

// count notes an attempt that was made.
func (e *engine) count(outcome *interceptors.Outcome) {
	if outcome.Verdict.Refused {
		return
	}
	e.attempts++
	e.call.Trace.Attempts = e.attempts
	e.call.Trace.Answered = ""
	if outcome.Error != nil && !outcome.Verdict.Hinted {
		e.unhinted++
	}
	if outcome.Verdict.Executed == interceptors.ExecutedMaybe && !e.call.Tool.Reads() {
		e.maybe = true
	}
}

// failed decides about a transient failure.
func (e *engine) failed(ctx context.Context, outcome *interceptors.Outcome) step {
	verdict := outcome.Verdict
	switch {
	case e.narrows && verdict.TimedOut:
		return done(e.askForLess(outcome))
	case e.attempts >= e.maxAttempts(), verdict.Hold == interceptors.HoldOpen:
		return done(e.giveUp(outcome, true))
	case verdict.NeverRetry, e.couldDoHarm(verdict):
		return done(e.giveUp(outcome, false))
	}
	wait, fits := e.wait(ctx, outcome)
	if !fits || !e.budget.allows(time.Now(), e.policy.RetryBudget, e.room.floor(e.policy.RetryBudgetFloor)) {
		return done(e.giveUp(outcome, e.unhinted >= 2 && !verdict.Hinted))
	}
	return step{again: true, wait: wait, code: outcome.Error.GetCode()}
}

// refused decides about a try that the breaker refused: it waits for a
// cooldown that fits, and gives back what this call knows already, if anything.
func (e *engine) refused(ctx context.Context, refusal *interceptors.Outcome) step {
	open := refusal.Verdict.Hold == interceptors.HoldOpen
	if wait, fits := e.wait(ctx, refusal); fits && !open {
		return step{again: true, wait: wait, code: refusal.Error.GetCode()}
	}
	answer := refusal
	if e.last != nil {
		answer = e.last
		left := max(refusal.Error.GetRetryAfter(), answer.Error.GetRetryAfter())
		answer.Error.RetryAfter = &left
		answer.Verdict.Hold = refusal.Verdict.Hold
	}
	return done(e.giveUp(answer, open))
}

// couldDoHarm reports that a repetition might be a second execution. Diagnosis
// makes no such failure transient; this is the last line.
func (e *engine) couldDoHarm(verdict interceptors.Verdict) bool {
	return verdict.Executed == interceptors.ExecutedMaybe && e.call.Tool.RunsOnce() && e.call.IdempotencyKey == ""
}

// giveUp completes a transient error that goes back to the caller.
func (e *engine) giveUp(outcome *interceptors.Outcome, exhausted bool) *interceptors.Outcome {
	failure := outcome.Error
	failure.Attempts = e.attempts
	failure.Exhausted = exhausted
	failure.MaybeExecuted = failure.MaybeExecuted || e.maybe
	known := outcome.Verdict.Hinted || outcome.Verdict.Hold != interceptors.HoldNone
	if !known || failure.RetryAfter == nil {
		seconds := e.backoff(e.attempts).Seconds()
		failure.RetryAfter = &seconds
	}
	if outcome.Verdict.TimedOut && e.call.Tool.Narrow != "" {
		e.room.narrow.note(narrowKeyOf(e.call), time.Now())
	}
	return outcome
}

// tooShort answers a call that has no time for an attempt.
func (e *engine) tooShort() *interceptors.Outcome {
	return interceptors.RefuseTransient(interceptors.CodeDeadlineTooShort,
		"the deadline leaves no time for an attempt; none was made", e.backoff(1).Seconds())
}

func (e *engine) sleep(ctx context.Context, next step) error {
	e.call.Progress(&toolgatev1.CallProgress{
		Phase: toolgatev1.CallProgress_PHASE_WAIT, Attempt: e.attempts, MaxAttempts: e.maxAttempts(),
		Wait: next.wait.Seconds(), Code: next.code,
	})
	start := time.Now()
	timer := time.NewTimer(next.wait)
	defer timer.Stop()
	defer func() { e.call.Trace.Waited += time.Since(start) }()
	e.waited += next.wait
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return interceptors.StatusDone(ctx)
	}
}
