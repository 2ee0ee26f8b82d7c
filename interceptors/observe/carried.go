package observe

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	transcriptShards = 64
	maxTranscripts   = 256 // per shard
	maxDebts         = 8   // kinds of failure per run
	looksPerRoom     = 16  // runs among which one makes room
)

// transcripts follow the runs that had a failure: what a model read of it stands
// in its context with every later call. A run that only succeeds is not kept and
// costs nothing. Bounded: where there are too many in a shard, of some of them the
// one that was silent longest is closed.
type transcripts struct {
	seed   maphash.Seed
	shards [transcriptShards]transcriptShard
}

type transcriptShard struct {
	size atomic.Int32 // of runs

	mu   sync.Mutex // guards runs and what they hold
	runs map[interceptors.RunKey]*transcript
}

// transcript is one run since its first failure.
type transcript struct {
	turns uint64 // calls, the first failure included
	seen  time.Time
	debts []debt
}

// debt is what one kind of failure left in a run's context.
type debt struct {
	of    *tally
	bytes uint64 // of observations
	since uint64 // Σ bytes × the turn in which they came
}

// carried is what a debt has cost after so many turns: its bytes, once with each
// turn behind them.
func (d debt) carried(turns uint64) uint64 { return d.bytes*turns - d.since }

func newTranscripts() *transcripts {
	t := &transcripts{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].runs = map[interceptors.RunKey]*transcript{}
	}
	return t
}

func (t *transcripts) shard(run interceptors.RunKey) *transcriptShard {
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.WriteString(run.Principal)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(run.ID)
	return &t.shards[h.Sum64()%transcriptShards]
}

// answered counts a call that left nothing behind, and returns its turn; 0 where
// the run had no failure.
func (t *transcripts) answered(run interceptors.RunKey) uint64 {
	shard := t.shard(run)
	if shard.size.Load() == 0 {
		return 0
	}
	shard.mu.Lock()
	defer shard.mu.Unlock()
	known := shard.runs[run]
	if known == nil {
		return 0
	}
	known.turns++
	known.seen = time.Now()
	return known.turns
}

// failed counts a call that left bytes behind, maybe none, and returns its turn.
// What a run owes that had to make room is returned as settled.
func (t *transcripts) failed(run interceptors.RunKey, of *tally, bytes uint64) (turn uint64, settled *transcript) {
	shard := t.shard(run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	known := shard.runs[run]
	if known == nil {
		settled = shard.makeRoom()
		known = &transcript{}
		shard.runs[run] = known
		shard.size.Store(int32(len(shard.runs)))
	}
	known.turns++
	known.seen = time.Now()
	known.owe(of, bytes)
	return known.turns, settled
}

func (t *transcript) owe(of *tally, bytes uint64) {
	if bytes == 0 {
		return
	}
	for i := range t.debts {
		if t.debts[i].of == of {
			t.debts[i].bytes += bytes
			t.debts[i].since += bytes * t.turns
			return
		}
	}
	if len(t.debts) < maxDebts { // an estimate may leave out the ninth
		t.debts = append(t.debts, debt{of: of, bytes: bytes, since: bytes * t.turns})
	}
}

// makeRoom is called with the lock held.
func (s *transcriptShard) makeRoom() *transcript {
	if len(s.runs) < maxTranscripts {
		return nil
	}
	var silent interceptors.RunKey
	var oldest *transcript
	looked := 0
	for run, known := range s.runs { // in no order
		if oldest == nil || known.seen.Before(oldest.seen) {
			silent, oldest = run, known
		}
		if looked++; looked == looksPerRoom {
			break
		}
	}
	delete(s.runs, silent)
	return oldest
}

// ended forgets a run and returns what it owes; nil where it had no failure.
func (t *transcripts) ended(run interceptors.RunKey) *transcript {
	shard := t.shard(run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	known := shard.runs[run]
	delete(shard.runs, run)
	shard.size.Store(int32(len(shard.runs)))
	return known
}

// open sums up what the runs that go on owe so far.
func (t *transcripts) open() map[*tally]uint64 {
	owed := map[*tally]uint64{}
	for i := range t.shards {
		shard := &t.shards[i]
		shard.mu.Lock()
		for _, known := range shard.runs {
			for _, d := range known.debts {
				owed[d.of] += d.carried(known.turns)
			}
		}
		shard.mu.Unlock()
	}
	return owed
}
