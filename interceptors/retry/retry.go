package retry

import (
	"context"
	"math/rand/v2"

	"toolgate.dev/toolgate/interceptors"
)

// Keys keeps the idempotency keys of calls that ended unknown. The ledger is
// one.
type Keys interface {
	// TakeKey returns the kept key of this very call and gives it up to the
	// caller; empty when none is kept.
	TakeKey(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (string, error)
	// KeepKey keeps it for the next identical call.
	KeepKey(ctx context.Context, run interceptors.RunKey, key interceptors.Key, idempotencyKey string) error
}

// Room retries. It is safe for concurrent use.
type Room struct {
	keys    Keys
	dice    func() float64
	fleet   func() int
	budgets *budgets
	narrow  *narrowings
}

// Option changes what New makes.
type Option func(*Room)

// WithDice replaces the source of jitter: even in [0, 1), safe for concurrent
// use. Default: math/rand/v2, seeded at random.
func WithDice(dice func() float64) Option { return func(r *Room) { r.dice = dice } }

// WithReplicas has the replicas of a gateway share the floor of each upstream's
// budget: one of n has an n-th of it. replicas returns n, 0 and less counting as
// 1, and must be quick and safe for concurrent use. Default, and with nil: 1.
func WithReplicas(replicas func() int) Option {
	return func(r *Room) {
		if replicas != nil {
			r.fleet = replicas
		}
	}
}

// floor is this replica's part of the retries per second that an upstream gets
// however few its calls are. The share of its calls needs no parting.
func (r *Room) floor(all float64) float64 { return all / float64(max(r.fleet(), 1)) }

// New makes the room. With nil keys a key lives as long as its call.
func New(keys Keys, options ...Option) *Room {
	r := &Room{keys: keys, dice: rand.Float64, fleet: func() int { return 1 }, budgets: newBudgets(), narrow: newNarrowings()}
	for _, option := range options {
		option(r)
	}
	return r
}

// Forget drops what is remembered of a run: which of its reads timed out.
// Without it that is forgotten after an hour.
func (r *Room) Forget(run interceptors.RunKey) { r.narrow.forgetRun(run) }
