package loop

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// Call is one call as the model wrote it.
type Call struct {
	ID        string // the model API's own; only copied into the Answer
	Tool      string
	Arguments string // JSON text, sent as it stands, malformed or not
}

// Answer is what the model reads of one call.
type Answer struct {
	ID      string
	Text    string              // the result's text, or the failure's observation
	Result  *toolgate.Result    // with what there was to see or hear; nil: the call failed
	Failure *toolgate.ToolError // nil: the call succeeded
}

// Model is one request to a model: it is given the answers to the calls that it
// made last, none at first, and makes its next calls. None of them: it is done.
type Model func(ctx context.Context, answers []Answer) ([]Call, error)

// Loop carries a model's calls to a gateway. It is used by one goroutine at a
// time; several of them may share a Run.
type Loop struct {
	Run *toolgate.Run // required
	// Patience is how long the transient failures of one turn are waited out,
	// counted from its beginning. 0 means 30 s; negative: not at all.
	Patience time.Duration
	// MaxTurns ends a model that never does. 0 means 20.
	MaxTurns int
	// Progress hears what the gateway does meanwhile, attempts and waits; for
	// people and logs. It is called on the goroutine of Turn. Nil: nobody listens.
	Progress func(Call, *toolgatev1.CallProgress)
	// Waited is how long transient failures have been waited out so far. What the
	// gateway waits itself is not in it.
	Waited time.Duration
}

// ErrTurns is the error of a model that still makes calls after MaxTurns.
var ErrTurns = errors.New("loop: the model has not finished")

const (
	defaultMaxTurns = 20
	defaultPatience = 30 * time.Second
)

// Do asks the model until it makes no more calls. The error is the model's, a
// failed rpc's, or ErrTurns.
func (l *Loop) Do(ctx context.Context, model Model) error {
	most := l.MaxTurns
	if most <= 0 {
		most = defaultMaxTurns
	}
	var answers []Answer
	for range most {
		calls, err := model(ctx, answers)
		if err != nil || len(calls) == 0 {
			return err
		}
		if answers, err = l.Turn(ctx, calls); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w after %d turns", ErrTurns, most)
}

// mostCalls are in one batch: the contract's own bound.
const mostCalls = 64

// Turn makes the calls of one turn, and returns one answer for each, in their
// order. The error is a failed rpc's, or the context's; the answers that came
// before it are returned with it, and the others are zero.
func (l *Loop) Turn(ctx context.Context, calls []Call) ([]Answer, error) {
	turn := turn{run: l.Run, ends: time.Now().Add(l.patience()), answers: make([]Answer, len(calls))}
	for i, call := range calls {
		turn.answers[i].ID = call.ID
		// Its own id, the same in every repetition: models' ids come twice.
		turn.open = append(turn.open, open{i, toolgate.Call{
			ID: rand.Text(), Tool: call.Tool, Args: call.Arguments, Progress: l.listener(call),
		}})
	}
	for len(turn.open) > 0 {
		wait, err := turn.send(ctx)
		if err != nil || len(turn.open) == 0 {
			return turn.answers, err
		}
		select {
		case <-time.After(wait):
			l.Waited += wait
		case <-ctx.Done():
			return turn.answers, ctx.Err()
		}
	}
	return turn.answers, nil
}

func (l *Loop) listener(call Call) func(*toolgatev1.CallProgress) {
	if l.Progress == nil {
		return nil
	}
	return func(progress *toolgatev1.CallProgress) { l.Progress(call, progress) }
}

func (l *Loop) patience() time.Duration {
	if l.Patience == 0 {
		return defaultPatience
	}
	return l.Patience
}

// turn is what has been answered, and what is still to be sent.
type turn struct {
	run     *toolgate.Run
	ends    time.Time // of the patience
	open    []open
	answers []Answer
}

type open struct {
	index int
	call  toolgate.Call
}

// send sends what is open. What stays open waits as long as it returns.
func (t *turn) send(ctx context.Context) (wait time.Duration, err error) {
	var again []open
	for batch := range slices.Chunk(t.open, mostCalls) {
		calls := make([]toolgate.Call, len(batch))
		for i := range batch {
			calls[i] = batch[i].call
		}
		for done := range t.run.CallMany(ctx, calls) {
			waits, broken := t.take(ctx, batch[done.Index], done)
			if waits > 0 {
				again, wait = append(again, batch[done.Index]), max(wait, waits)
			}
			err = errors.Join(err, broken)
		}
	}
	t.open = again
	return wait, err
}

// take writes the answer of a call, unless it is to be sent again: then it
// returns the wait before that.
func (t *turn) take(ctx context.Context, sent open, done toolgate.Outcome) (wait time.Duration, err error) {
	answer := &t.answers[sent.index]
	var failed *toolgate.ToolError
	switch {
	case done.Err == nil:
		answer.Text, answer.Result = shown(done.Result), done.Result
		return 0, nil
	case !errors.As(done.Err, &failed):
		return 0, done.Err
	}
	if wait, fits := failed.WaitWithin(ctx, time.Until(t.ends)); fits {
		return wait, nil
	}
	answer.Text, answer.Failure = cmp.Or(failed.Observation, failed.Error()), failed // nothing would read as a success
	return 0, nil
}
