package retry

import (
	"context"
	"errors"
	"math"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	defaultCallDeadline = time.Minute            // where the policy has none
	shortestAttempt     = 20 * time.Millisecond  // less time than that is none
	mostSpread          = 250 * time.Millisecond // added to a floor, so that not all come at once
	leastSpread         = 10 * time.Millisecond
)

func (e *engine) maxAttempts() uint32 { return max(1, e.policy.MaxAttempts) }

// end returns the moment by which attempts must have ended, and the time that
// the call has in all. It is asked anew each time: the deadline of a call that
// several wait for is that of the latest.
func (e *engine) end(ctx context.Context) (time.Time, time.Duration) {
	start := e.call.Arrived
	if start.IsZero() {
		start = e.start
	}
	own := e.policy.CallDeadline
	if own <= 0 {
		own = defaultCallDeadline
	}
	if by, ok := interceptors.AnswerBy(ctx, e.call); ok {
		// An attempt gets no less time only because the caller is in a hurry: the
		// deadline itself cuts it.
		return by, max(own, by.Sub(start))
	}
	return start.Add(own), own
}

// limit returns when an attempt that starts now is cut, and the cause to give.
func (e *engine) limit(ctx context.Context, now time.Time) (time.Time, error) {
	end, total := e.end(ctx)
	limit := now.Add(e.attemptTimeout(total))
	if _, theirs := ctx.Deadline(); theirs && end.Before(limit) {
		return end, interceptors.ErrCallNearsEnd
	}
	if end.Before(limit) {
		return end, interceptors.ErrAttemptTimeout
	}
	return limit, interceptors.ErrAttemptTimeout
}

// within returns the context of an attempt that starts now.
func (e *engine) within(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	limit, cause := e.limit(ctx, now)
	if e.call.ID == "" || !errors.Is(cause, interceptors.ErrCallNearsEnd) {
		return context.WithDeadlineCause(ctx, limit, cause)
	}
	return e.untilTheLatest(ctx, now, limit)
}

// untilTheLatest is for a call that others may join: who joins with more time
// gives it to the attempt under way, too. A write that were cut at the first
// caller's deadline would be lost to all of them.
func (e *engine) untilTheLatest(call context.Context, began, limit time.Time) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(call)
	var timer *time.Timer
	timer = time.AfterFunc(math.MaxInt64, func() {
		limit, cause := e.limit(call, began)
		switch left := time.Until(limit); {
		case ctx.Err() != nil:
		case left > 0:
			timer.Reset(left)
		default:
			end(cause)
		}
	})
	timer.Reset(time.Until(limit)) // only now, since it speaks of itself
	return ctx, func() {
		timer.Stop()
		end(context.Canceled)
	}
}

// attemptTimeout leaves all waits and the other attempts their share of the
// call's time: a tool that never answers is given up within the deadline.
func (e *engine) attemptTimeout(total time.Duration) time.Duration {
	waits := min(e.policy.MaxWait, total/3)
	share := (total - waits) / time.Duration(e.maxAttempts())
	if e.policy.AttemptTimeout <= 0 {
		return share
	}
	return min(e.policy.AttemptTimeout, share)
}

// backoff is the n-th step without jitter, n from 1.
func (e *engine) backoff(n uint32) time.Duration {
	step := max(e.policy.Backoff, 0)
	for ; n > 1 && step < time.Hour; n-- {
		step *= 2
	}
	if e.policy.BackoffMax > 0 {
		step = min(step, e.policy.BackoffMax)
	}
	return step
}

// wait returns how long to wait before the next try, and whether that fits
// into what is left of the call's waits and time.
func (e *engine) wait(ctx context.Context, outcome *interceptors.Outcome) (time.Duration, bool) {
	step := e.backoff(max(e.attempts, 1))
	floor := floorOf(outcome)
	wait := floor
	if !outcome.Verdict.Refused {
		wait = max(floor, time.Duration(e.room.dice()*float64(step)))
	}
	if floor > 0 {
		spread := min(mostSpread, max(leastSpread, floor/4))
		wait = max(wait, floor+time.Duration(e.room.dice()*float64(spread)))
	}
	end, _ := e.end(ctx)
	left := min(e.policy.MaxWait-e.waited, time.Until(end)-shortestAttempt)
	if floor > 0 {
		wait = max(floor, min(wait, left)) // rather without jitter than not at all
	}
	return wait, wait <= left
}

// floorOf is the wait that the upstream or the breaker named.
func floorOf(outcome *interceptors.Outcome) time.Duration {
	if !outcome.Verdict.Hinted && outcome.Verdict.Hold == interceptors.HoldNone {
		return 0
	}
	const longest = 365 * 24 * time.Hour
	return time.Duration(min(outcome.Error.GetRetryAfter(), longest.Seconds()) * float64(time.Second))
}
