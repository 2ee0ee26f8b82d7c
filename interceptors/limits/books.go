package limits

import (
	"hash/maphash"
	"maps"
	"sync"
	"sync/atomic"

	"toolgate.dev/toolgate/interceptors"
)

const (
	runShards = 64
	// maxTools bounds the tools that are kept. A catalogue is smaller; only
	// reloads that rename tools for ever get here, and then idle ones are dropped.
	maxTools = 4096
)

// runBook finds the places of a run. They exist only while the run has calls
// inside. Runs share nothing but one shard's lock, for a map operation.
type runBook struct {
	seed   maphash.Seed
	shards [runShards]runShard
}

type runShard struct {
	mu   sync.Mutex // guards runs and the pins in it
	runs map[interceptors.RunKey]*pinned
}

type pinned struct {
	slots
	pins int // calls inside, waiting ones too
}

func newRunBook() *runBook {
	book := &runBook{seed: maphash.MakeSeed()}
	for i := range book.shards {
		book.shards[i].runs = map[interceptors.RunKey]*pinned{}
	}
	return book
}

func (b *runBook) shard(key interceptors.RunKey) *runShard {
	return &b.shards[maphash.Comparable(b.seed, key)%runShards]
}

// pin returns the places of a run and keeps them until unpin.
func (b *runBook) pin(key interceptors.RunKey) *slots {
	shard := b.shard(key)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	run := shard.runs[key]
	if run == nil {
		run = &pinned{}
		shard.runs[key] = run
	}
	run.pins++
	return &run.slots
}

func (b *runBook) unpin(key interceptors.RunKey) {
	shard := b.shard(key)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	run := shard.runs[key]
	if run.pins--; run.pins == 0 {
		delete(shard.runs, key)
	}
}

// size counts the runs that are kept.
func (b *runBook) size() (n int) {
	for i := range b.shards {
		shard := &b.shards[i]
		shard.mu.Lock()
		n += len(shard.runs)
		shard.mu.Unlock()
	}
	return n
}

// toolBook finds the places of a tool, by name, so that they outlive a reload.
// Tools are few and shared by all runs: reading takes no lock, adding copies.
type toolBook struct {
	tools atomic.Pointer[map[string]*slots]
	mu    sync.Mutex // held while tools is replaced
}

func newToolBook() *toolBook {
	book := &toolBook{}
	book.tools.Store(&map[string]*slots{})
	return book
}

func (b *toolBook) of(name string) *slots {
	if tool := (*b.tools.Load())[name]; tool != nil {
		return tool
	}
	return b.add(name)
}

func (b *toolBook) add(name string) *slots {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := *b.tools.Load()
	if tool := old[name]; tool != nil {
		return tool
	}
	tools := maps.Clone(old)
	if len(tools) >= maxTools {
		maps.DeleteFunc(tools, func(_ string, tool *slots) bool {
			return tool.inFlight.Load() == 0 && tool.waiting.Load() == 0
		})
	}
	tools[name] = &slots{}
	b.tools.Store(&tools)
	return tools[name]
}
