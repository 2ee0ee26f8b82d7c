package retry

import (
	"hash/maphash"
	"maps"
	"sync"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	narrowShards = 32
	narrowMost   = 512 // per shard; then the oldest goes
	narrowMemory = time.Hour
)

// narrowKey is a read within a run. Another version of the tool may be faster.
type narrowKey struct {
	run           interceptors.RunKey
	tool, version string
}

func narrowKeyOf(call *interceptors.Call) narrowKey {
	return narrowKey{call.Run, call.Tool.Name, call.Tool.Version}
}

// narrowings remember the reads of runs that timed out. Safe for concurrent
// use, bounded, forgets.
type narrowings struct {
	seed   maphash.Seed
	shards [narrowShards]narrowShard
}

type narrowShard struct {
	mu    sync.Mutex // guards reads
	reads map[narrowKey]time.Time
}

func newNarrowings() *narrowings {
	n := &narrowings{seed: maphash.MakeSeed()}
	for i := range n.shards {
		n.shards[i].reads = map[narrowKey]time.Time{}
	}
	return n
}

// shard keeps a run together.
func (n *narrowings) shard(run interceptors.RunKey) *narrowShard {
	return &n.shards[maphash.Comparable(n.seed, run)%narrowShards]
}

// timedOut reports whether a call of that read timed out not long ago and none
// succeeded since.
func (n *narrowings) timedOut(key narrowKey, now time.Time) bool {
	shard := n.shard(key.run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	at, ok := shard.reads[key]
	return ok && now.Sub(at) < narrowMemory
}

func (n *narrowings) note(key narrowKey, now time.Time) {
	shard := n.shard(key.run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if len(shard.reads) >= narrowMost {
		shard.trim(now)
	}
	shard.reads[key] = now
}

// trim makes room. The caller holds mu.
func (s *narrowShard) trim(now time.Time) {
	var oldest narrowKey
	first := now
	maps.DeleteFunc(s.reads, func(key narrowKey, at time.Time) bool {
		if !at.After(first) {
			oldest, first = key, at
		}
		return now.Sub(at) >= narrowMemory
	})
	if len(s.reads) >= narrowMost {
		delete(s.reads, oldest)
	}
}

func (n *narrowings) forget(key narrowKey) {
	shard := n.shard(key.run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	delete(shard.reads, key)
}

func (n *narrowings) forgetRun(run interceptors.RunKey) {
	shard := n.shard(run)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	maps.DeleteFunc(shard.reads, func(key narrowKey, _ time.Time) bool { return key.run == run })
}
