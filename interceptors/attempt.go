package interceptors

import (
	"context"
	"errors"
	"time"
)

// The causes (context.Cause) with which an attempt's context ends on time. To a
// back end both are FailureTimeout, since the call as such goes on; the caller's
// own end is neither, and is FailureCancelled.
var (
	// ErrAttemptTimeout ends an attempt that took longer than one may.
	ErrAttemptTimeout = errors.New("the attempt's own timeout passed")
	// ErrCallNearsEnd ends an attempt shortly before the call's deadline, so that
	// the outcome still arrives. It says nothing of the upstream's health.
	ErrCallNearsEnd = errors.New("the call's deadline is near")
)

// TimedOut reports that a context ended on time, and not with its caller. Its
// Err need not say so: the time of an attempt that others may join can be
// extended, which only a cancelled context allows.
func TimedOut(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, ErrAttemptTimeout) || errors.Is(cause, ErrCallNearsEnd) ||
		errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// EndedAs tells, of an attempt whose context is over, whose clock ran out: it is
// cancelled with its caller, and runs into a deadline of its own.
func EndedAs(ctx context.Context) TransportFailure {
	if TimedOut(ctx) {
		return FailureTimeout
	}
	return FailureCancelled
}

const (
	marginShare = 20 // a twentieth of the time that the caller gave
	marginMin   = 20 * time.Millisecond
	marginMax   = time.Second
)

// AnswerMargin is how long before the caller's deadline work must stop so that
// the outcome arrives in-band: min(1 s, max(20 ms, 5 % of total)).
func AnswerMargin(total time.Duration) time.Duration {
	return min(marginMax, max(marginMin, total/marginShare))
}

// AnswerBy returns the moment by which the call's outcome must be under way;
// false where the caller set no deadline.
func AnswerBy(ctx context.Context, call *Call) (time.Time, bool) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}, false
	}
	arrived := call.Arrived
	if arrived.IsZero() {
		arrived = time.Now()
	}
	return deadline.Add(-AnswerMargin(deadline.Sub(arrived))), true
}
