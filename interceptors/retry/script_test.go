package retry_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/breaker"
	"toolgate.dev/toolgate/interceptors/retry"
)

// attempt is one attempt at an upstream, answered as diagnosis would.
type attempt func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome

func ok(context.Context, *interceptors.Call) *interceptors.Outcome {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
}

func fails(class toolgatev1.ErrorClass, code string, status uint32, verdict interceptors.Verdict) attempt {
	if verdict.Executed == interceptors.ExecutedUnknown {
		verdict.Executed = interceptors.ExecutedNo
	}
	return func(context.Context, *interceptors.Call) *interceptors.Outcome {
		return &interceptors.Outcome{
			Error:   &toolgatev1.ToolError{ErrorClass: class, Code: code, UpstreamStatus: status},
			Verdict: verdict,
		}
	}
}

var (
	unavailable = fails(interceptors.Transient, "unavailable", 503, interceptors.Verdict{Health: interceptors.HealthToolDown})
	limited     = fails(interceptors.Transient, "rate_limit", 429, interceptors.Verdict{RateLimited: true})
	invalid     = fails(interceptors.InvalidRequest, "bad_date", 400, interceptors.Verdict{Health: interceptors.HealthAlive})
	taken       = fails(interceptors.Terminal, "slot_taken", 409, interceptors.Verdict{Health: interceptors.HealthAlive})
	bare500     = fails(interceptors.Transient, "internal", 500, interceptors.Verdict{Executed: interceptors.ExecutedMaybe})
)

func hinted(seconds float64) attempt {
	return func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
		outcome := fails(interceptors.Transient, "slow_down", 503, interceptors.Verdict{Hinted: true})(ctx, call)
		outcome.Error.RetryAfter = &seconds
		return outcome
	}
}

// never answers: its timeout is diagnosed as that of the call's tool.
func never(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
	<-ctx.Done()
	verdict := interceptors.Verdict{Executed: interceptors.ExecutedMaybe, TimedOut: true, Health: interceptors.HealthToolDown}
	if call.Tool.RunsOnce() && call.IdempotencyKey == "" {
		outcome := fails(interceptors.Terminal, "outcome_unknown", 0, verdict)(ctx, call)
		outcome.Error.MaybeExecuted, outcome.Exempt = true, true
		return outcome
	}
	return fails(interceptors.Transient, "timeout", 0, verdict)(ctx, call)
}

// house is retry around breaker around a scripted upstream.
type house struct {
	chain   interceptors.Next
	retry   *retry.Room
	breaker *breaker.Room
	keys    *keyring

	mu    sync.Mutex
	calls int      // attempts that reached the upstream
	keysd []string // the idempotency key of each
	times []time.Time
}

// newHouse answers with the script, its last line for ever.
func newHouse(script ...attempt) *house {
	h := &house{keys: &keyring{kept: map[interceptors.Key]string{}}, breaker: breaker.New()}
	h.retry = retry.New(h.keys, retry.WithDice(func() float64 { return 0.5 }))
	h.chain = interceptors.Chain(func(ctx context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		h.mu.Lock()
		line := script[min(h.calls, len(script)-1)]
		h.calls++
		h.keysd = append(h.keysd, call.IdempotencyKey)
		h.times = append(h.times, time.Now())
		h.mu.Unlock()
		return line(ctx, call), nil
	}, h.retry.Interceptor(), h.breaker.Interceptor())
	return h
}

type keyring struct {
	mu   sync.Mutex
	kept map[interceptors.Key]string
	gone error
}

func (k *keyring) TakeKey(_ context.Context, _ interceptors.RunKey, key interceptors.Key) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := k.kept[key]
	delete(k.kept, key)
	return kept, k.gone
}

func (k *keyring) KeepKey(_ context.Context, _ interceptors.RunKey, key interceptors.Key, idempotencyKey string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[key] = idempotencyKey
	return k.gone
}

// caller makes calls of one tool.
type caller struct {
	tool *interceptors.Tool
	run  string
	id   string
}

func reads(name string) *caller {
	return &caller{run: "r", tool: &interceptors.Tool{
		Name: name, Upstream: "u", Effect: toolgatev1.Effect_EFFECT_READ, Policy: interceptors.DefaultPolicy(),
	}}
}

func writes(name string, keyed bool) *caller {
	c := reads(name)
	c.tool.Effect, c.tool.HasIdempotencyKey = toolgatev1.Effect_EFFECT_WRITE, keyed
	return c
}

// told is what a caller is told, and what it took.
type told struct {
	*interceptors.Outcome
	err      error
	took     time.Duration
	call     *interceptors.Call
	progress []*toolgatev1.CallProgress
}

func (c *caller) call(ctx context.Context, h *house) told {
	var t told
	t.call = &interceptors.Call{
		Run: interceptors.RunKey{Principal: "ann", ID: c.run}, ID: c.id, Tool: c.tool, Arrived: time.Now(),
		Progress: func(p *toolgatev1.CallProgress) { t.progress = append(t.progress, p) },
	}
	t.Outcome, t.err = h.chain(ctx, t.call)
	t.took = time.Since(t.call.Arrived)
	return t
}

// within calls with a deadline.
func (c *caller) within(t *testing.T, d time.Duration, h *house) told {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return c.call(ctx, h)
}

// want is what a test expects of an error.
type want struct {
	class     toolgatev1.ErrorClass
	code      string
	attempts  uint32
	exhausted bool
	after     float64 // retry_after; -1: none
}

func (got told) check(t *testing.T, w want) {
	t.Helper()
	if got.err != nil || got.Outcome == nil || got.Error == nil {
		t.Fatalf("got %v, %v, want %s", got.Outcome, got.err, w.code)
	}
	e := got.Error
	after := -1.0
	if e.RetryAfter != nil {
		after = e.GetRetryAfter()
	}
	if (want{e.GetErrorClass(), e.GetCode(), e.GetAttempts(), e.GetExhausted(), after}) != w {
		t.Errorf("got %v, want %+v", e, w)
	}
	if got.call.Trace.Attempts != w.attempts {
		t.Errorf("traced %d attempts, want %d", got.call.Trace.Attempts, w.attempts)
	}
}

func (got told) checkResult(t *testing.T, attempts uint32) {
	t.Helper()
	if got.err != nil || got.Outcome == nil || got.Result == nil {
		t.Fatalf("got %v, %v, want a result", got.Outcome, got.err)
	}
	if got.Result.GetAttempts() != attempts || got.call.Trace.Attempts != attempts || got.call.Trace.Answered != "" {
		t.Errorf("result after %d attempts, traced %+v, want %d", got.Result.GetAttempts(), got.call.Trace, attempts)
	}
}

// crowd makes n calls at once and counts what came of them.
func crowd(n int, each func(i int) told) (results, errors int64) {
	var good, bad atomic.Int64
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			if got := each(i); got.err == nil && got.Result != nil {
				good.Add(1)
			} else {
				bad.Add(1)
			}
		})
	}
	calls.Wait()
	return good.Load(), bad.Load()
}
