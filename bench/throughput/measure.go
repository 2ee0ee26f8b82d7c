package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var callers = []int{1, 16, 64}

// result is one case: a size and a number of callers.
type result struct {
	size    size
	callers int
	rounds  []round
}

// round holds the samples of one round, by way.
type round map[string]sample

// sample is what calls cost while they were made, this process and the back end
// included in machine.
type sample struct {
	calls             int64
	took              time.Duration
	between, upstream time.Duration // CPU of the hop or gateway, of the back end
	client            time.Duration // CPU of this process
}

func (s sample) plus(other sample) sample {
	return sample{
		calls: s.calls + other.calls, took: s.took + other.took, between: s.between + other.between,
		upstream: s.upstream + other.upstream, client: s.client + other.client,
	}
}

func (s sample) perSecond() float64 { return float64(s.calls) / s.took.Seconds() }

// measure goes through all cases. Rounds of a case are spread over the whole
// time, so that a slow minute of the machine does not meet one case alone.
func (s *stage) measure(ctx context.Context, p plan) ([]*result, error) {
	var results []*result
	for _, size := range sizes() {
		for _, n := range callers {
			if p.quick && n < callers[len(callers)-1] {
				continue
			}
			results = append(results, &result{size: size, callers: n})
		}
	}
	for range p.rounds {
		for _, r := range results {
			done, err := s.round(ctx, p, r)
			if err != nil {
				return nil, err
			}
			r.rounds = append(r.rounds, done)
		}
	}
	return results, nil
}

// round samples the ways there and back: A-B-T-T-B-A.
func (s *stage) round(ctx context.Context, p plan, r *result) (round, error) {
	there := round{}
	for i := range 2 * len(s.ways) {
		w := s.ways[min(i, 2*len(s.ways)-1-i)]
		taken, err := s.sample(ctx, p, w, r)
		if err != nil {
			return nil, fmt.Errorf("way %s, %s, %d callers: %w", w.name, r.size.name, r.callers, err)
		}
		there[w.name] = there[w.name].plus(taken)
	}
	return there, nil
}

func (s *stage) sample(ctx context.Context, p plan, w way, r *result) (sample, error) {
	if _, err := load(ctx, w, r, p.warm); err != nil {
		return sample{}, err
	}
	before := s.cpu(w)
	start := time.Now()
	calls, err := load(ctx, w, r, p.sample)
	took := time.Since(start)
	after := s.cpu(w)
	return sample{
		calls: calls, took: took, between: after.between - before.between, upstream: after.upstream - before.upstream,
		client: after.client - before.client,
	}, err
}

func (s *stage) cpu(w way) sample {
	now := sample{upstream: cpuOf(s.backend.command.Process.Pid), client: cpuOf(0)}
	if w.process != nil {
		now.between = cpuOf(w.process.command.Process.Pid)
	}
	return now
}

// alone samples one way.
func (s *stage) alone(ctx context.Context, p plan, name string) error {
	for _, size := range sizes() {
		for _, w := range s.ways {
			if w.name != name {
				continue
			}
			taken, err := s.sample(ctx, p, w, &result{size: size, callers: callers[len(callers)-1]})
			if err != nil {
				return err
			}
			fmt.Printf("%s %s: %.0f calls/s, CPU %.1f µs per call, of the back end %.1f, of the client %.1f\n", name, size.name,
				taken.perSecond(), perCall(taken.between, taken.calls), perCall(taken.upstream, taken.calls), perCall(taken.client, taken.calls))
		}
	}
	return nil
}

// number makes each call one of its own.
var number atomic.Int64

// load makes calls for a while, each caller one after the other.
func load(ctx context.Context, w way, r *result, during time.Duration) (calls int64, err error) {
	var done atomic.Int64
	var once sync.Once
	var failed error
	var all sync.WaitGroup
	end := time.Now().Add(during)
	for caller := range r.callers {
		all.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				if err := w.call(ctx, caller, int(number.Add(1)), r.size.arguments); err != nil {
					once.Do(func() { failed = err })
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return done.Load(), failed
}
