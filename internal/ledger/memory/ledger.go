package memory

import (
	"hash/maphash"
	"sync/atomic"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const shardCount = 256 // a power of two

// Ledger is the keeper. It is safe for concurrent use and needs no closing.
type Ledger struct {
	limits limits
	onEnd  func(run interceptors.RunKey, summary *toolgatev1.RunSummary)
	start  time.Time // instants are counted from here, by the monotonic clock
	seeds  [2]maphash.Seed
	tools  names

	runs        atomic.Int64
	claims      atomic.Int64
	claimBytes  atomic.Int64
	memoryBytes atomic.Int64

	shards [shardCount]shard
}

var _ interceptors.Ledger = (*Ledger)(nil)

// New makes an empty ledger.
func New(options ...Option) *Ledger {
	l := &Ledger{
		limits: defaultLimits(),
		onEnd:  func(interceptors.RunKey, *toolgatev1.RunSummary) {},
		start:  time.Now(),
		seeds:  [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
	}
	for _, option := range options {
		option(l)
	}
	l.tools.reset()
	for i := range l.shards {
		l.shards[i].init(l)
	}
	return l
}

// instant is a moment, counted from the ledger's start.
type instant = time.Duration

func (l *Ledger) now() instant { return time.Since(l.start) }

// runID stands for a run's name. The seeds are random for each ledger and never
// leave it, so nobody can choose two names that meet.
type runID [2]uint64

func (l *Ledger) idOf(run interceptors.RunKey) runID {
	return runID{maphash.Comparable(l.seeds[0], run), maphash.Comparable(l.seeds[1], run)}
}

// enter locks the run's shard; leave with shard.leave. The life is alive where
// the run is known and not idle for too long.
func (l *Ledger) enter(run interceptors.RunKey) (*shard, life) {
	id := l.idOf(run)
	s := &l.shards[id[0]%shardCount]
	s.mu.Lock()
	return s, s.find(id, l.now())
}

// enterOrBegin is enter for what may be a run's first act.
func (l *Ledger) enterOrBegin(run interceptors.RunKey) (*shard, life) {
	s, life := l.enter(run)
	if !life.alive {
		life = s.begin(life.id, run, life.now)
	}
	return s, life
}

// Sweep forgets what has outlived its time, in all shards. Calls do it on their
// way; this is for a process without calls, once a minute at most.
func (l *Ledger) Sweep() {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		s.sweep(l.now())
		s.leave()
	}
}

// Size is how much the ledger holds.
type Size struct {
	Runs     int   // that are known
	Claims   int   // call ids, running ones and those without content included
	Memories int   // remembered failures and unknown outcomes
	Bytes    int64 // of all of these, estimated: records, contents, overhead
}

// Size measures the ledger. It visits every shard and is meant for a scrape.
func (l *Ledger) Size() Size {
	claims := l.claims.Load()
	size := Size{Claims: int(claims), Bytes: claims*claimCost + l.claimBytes.Load() + l.memoryBytes.Load()}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		size.Runs += len(s.runs)
		size.Memories += s.memories
		size.Bytes += int64(len(s.runs))*runCost + int64(len(s.troubles))*troubleCost
		s.leave()
	}
	return size
}
