package memory

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// memory is one remembered failure, or the mark that one was erased.
type memory struct {
	run      runID
	key      interceptors.Key
	tool     string
	version  string
	class    toolgatev1.ErrorClass
	code     string
	unblock  string
	failure  []byte // the ToolError, encoded: nobody can change what is kept
	args     []byte
	until    instant
	ttl      instant
	made     instant
	sequence uint64 // of the change that made it
	unknown  bool
	erased   bool // stands for nothing but the moment of its erasure

	age links[memory]
}

func (m *memory) byAgeLinks() *links[memory] { return &m.age }

func (m *memory) madeAt() instant { return m.made }

func (m *memory) cost() int64 { return memoryCost + int64(len(m.failure)+len(m.args)) }

func (m *memory) holds(now instant) bool {
	return !m.erased && (m.unknown || now < m.until)
}

func (l *Ledger) decode(m *memory) (*interceptors.Memory, error) {
	failure := &toolgatev1.ToolError{}
	if err := proto.Unmarshal(m.failure, failure); err != nil {
		return nil, fmt.Errorf("a remembered failure of %s: %w", m.tool, err)
	}
	return &interceptors.Memory{
		Tool: m.tool, Version: m.version, Error: failure, Until: l.start.Add(m.until), TTL: m.ttl,
		Unknown: m.unknown, Arguments: slices.Clone(m.args),
	}, nil
}

func (l *Ledger) encode(key interceptors.Key, m *interceptors.Memory) (*memory, error) {
	failure, err := proto.Marshal(m.Error)
	if err != nil {
		return nil, fmt.Errorf("a failure of %s to remember: %w", m.Tool, err)
	}
	return &memory{
		key: key, tool: m.Tool, version: m.Version,
		class: m.Error.GetErrorClass(), code: m.Error.GetCode(), unblock: m.Error.GetUnblockWith(),
		failure: failure, args: slices.Clone(m.Arguments), until: l.until(m.Until), ttl: m.TTL, unknown: m.Unknown,
	}, nil
}

// Recall returns what is remembered of a call.
func (l *Ledger) Recall(_ context.Context, run interceptors.RunKey, key interceptors.Key) (*interceptors.Memory, error) {
	s, life := l.enter(run)
	found := life.memory(key)
	s.leave()
	if found == nil || found.erased {
		return nil, nil
	}
	return l.decode(found)
}

// Blank reports that nothing is remembered of the run.
func (l *Ledger) Blank(_ context.Context, run interceptors.RunKey) bool {
	s, life := l.enter(run)
	defer s.leave()
	t := life.trouble()
	return t == nil || len(t.memories) == 0
}

// memory finds an entry. Entries are never changed once they stand, so that
// they may be read behind the lock.
func (f *life) memory(key interceptors.Key) *memory {
	if t := f.trouble(); t != nil {
		return t.memories[key]
	}
	return nil
}

// Remember stores a failure.
func (l *Ledger) Remember(_ context.Context, run interceptors.RunKey, key interceptors.Key, m *interceptors.Memory, snapshot interceptors.Snapshot) error {
	fresh, err := l.encode(key, m)
	if err != nil {
		return err
	}
	s, life := l.enter(run)
	if !life.alive && fresh.unknown {
		// Its run ended under it. The doubt outlives the run rather than the
		// other way round: the write may be sent again.
		life = s.begin(life.id, run, life.now)
	}
	if life.alive && !life.outdates(fresh, snapshot) {
		s.place(&life, fresh)
	}
	s.leave()
	l.shedMemories()
	return nil
}

// outdates reports that something that would forget the memory happened since
// the snapshot, or that the call has an unknown outcome already.
func (f *life) outdates(m *memory, snapshot interceptors.Snapshot) bool {
	if m.unknown {
		return false
	}
	since := f.born
	if old := f.memory(m.key); old != nil {
		if old.unknown {
			return true
		}
		if old.erased {
			since = max(since, old.sequence)
		}
	}
	if m.class != interceptors.Transient {
		since = max(since, f.changed, f.succeeded(m.unblock))
	}
	return since > snapshot.Sequence
}

// place puts an entry where it belongs, in place of an older one.
func (s *shard) place(f *life, m *memory) {
	t := f.troubled()
	if old := t.memories[m.key]; old != nil {
		s.dropMemory(t, old)
	}
	t.makeRoom(s, m.unknown, f.now)
	if t.memories == nil {
		t.memories = map[interceptors.Key]*memory{}
	}
	m.run, m.made, m.sequence = f.id, f.now, s.next()
	t.memories[m.key] = m
	s.memories++
	s.ledger.memoryBytes.Add(m.cost())
	if m.unknown {
		t.unknowns++
		return
	}
	s.aged.push(m)
	s.noteOldestMemory()
}

func (s *shard) dropMemory(t *trouble, m *memory) {
	delete(t.memories, m.key)
	s.memories--
	s.ledger.memoryBytes.Add(-m.cost())
	if m.unknown {
		t.unknowns--
		return
	}
	s.aged.remove(m)
	s.noteOldestMemory()
}

// makeRoom keeps a run within its own bounds. What no longer answers goes
// first, then what was made first; unknown outcomes only make room for their
// like.
func (t *trouble) makeRoom(s *shard, unknown bool, now instant) {
	most, have := maxMemoriesPerRun, len(t.memories)-t.unknowns
	if unknown {
		most, have = maxUnknownsPerRun, t.unknowns
	}
	if have < most {
		return
	}
	var victim *memory
	for _, m := range t.memories {
		if m.unknown == unknown && (victim == nil || m.yields(victim, now)) {
			victim = m
		}
	}
	s.dropMemory(t, victim)
}

func (m *memory) yields(other *memory, now instant) bool {
	if holds := m.holds(now); holds != other.holds(now) {
		return !holds
	}
	return m.sequence < other.sequence
}

// Erase forgets this very call.
func (l *Ledger) Erase(_ context.Context, run interceptors.RunKey, key interceptors.Key) error {
	s, life := l.enter(run)
	defer s.leave()
	if life.alive {
		s.place(&life, &memory{key: key, erased: true})
	}
	return nil
}

// Unblock forgets terminal and invalid entries after a success.
func (l *Ledger) Unblock(_ context.Context, run interceptors.RunKey, tool string, reads bool) error {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil
	}
	sequence := life.success(tool)
	if !reads {
		life.changed = sequence
	}
	life.save()
	t := life.trouble()
	if t == nil {
		return nil
	}
	for _, m := range t.memories {
		curable := !m.unknown && !m.erased && m.class != interceptors.Transient
		if curable && (!reads || m.unblock == tool) {
			s.dropMemory(t, m)
		}
	}
	return nil
}

// Held reports which of these calls would be refused now.
func (l *Ledger) Held(_ context.Context, run interceptors.RunKey, keys []interceptors.Key) ([]bool, error) {
	s, life := l.enter(run)
	defer s.leave()
	held := make([]bool, len(keys))
	for i, key := range keys {
		m := life.memory(key)
		held[i] = m != nil && m.holds(life.now)
	}
	return held, nil
}

// tidy forgets what has been silent for the idle time: erasures that no call in
// flight is older than, and expired memories. A failure that comes back after
// that is a new one.
func (s *shard) tidy(t *trouble, now instant) {
	for _, m := range t.memories {
		if !m.unknown && now-max(m.made, m.until) >= s.ledger.limits.idle {
			s.dropMemory(t, m)
		}
	}
}
