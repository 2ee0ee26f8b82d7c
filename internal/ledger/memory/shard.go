package memory

import (
	"maps"
	"sync"
	"sync/atomic"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// shard holds every run whose hash leads here. Its lock guards all fields but
// the atomic ones, which are written under it and read by others.
type shard struct {
	ledger *Ledger

	mu       sync.Mutex
	sequence uint64 // of the last change of any run here
	swept    instant
	runs     map[runID]run
	peak     int                           // most runs since the table was made
	unproven map[runID]interceptors.RunKey // names of runs without a result yet
	troubles map[runID]*trouble            // what failures left behind
	claims   map[claimID]*claim            // by call id
	claimsOf map[runID]*list[claim]        // every claim of a run
	memories int                           // in all troubles
	settled  list[claim]                   // claims with content, by age
	hollow   list[claim]                   // ended claims without content
	aged     list[memory]                  // memories that may go, by age
	ended    []ending                      // to be told of when the lock is released

	// The instants of the heads of settled, hollow and aged; noInstant: none.
	oldestSettled, oldestHollow, oldestMemory atomic.Int64
}

const noInstant = int64(1<<63 - 1)

// ending is a run that was forgotten without one result.
type ending struct {
	run     interceptors.RunKey
	summary *toolgatev1.RunSummary
}

func (s *shard) init(l *Ledger) {
	s.ledger = l
	s.runs = map[runID]run{}
	s.unproven = map[runID]interceptors.RunKey{}
	s.troubles = map[runID]*trouble{}
	s.claims = map[claimID]*claim{}
	s.claimsOf = map[runID]*list[claim]{}
	s.settled.of = (*claim).byAgeLinks
	s.hollow.of = (*claim).byAgeLinks
	s.aged.of = (*memory).byAgeLinks
	s.noteOldestClaims()
	s.noteOldestMemory()
}

// leave releases the lock and tells of the runs that ended meanwhile.
func (s *shard) leave() {
	ended := s.ended
	s.ended = nil
	s.mu.Unlock()
	for _, e := range ended {
		s.ledger.onEnd(e.run, e.summary)
	}
}

// next numbers a change.
func (s *shard) next() uint64 {
	s.sequence++
	return s.sequence
}

// life is one run while its shard is locked: its record, copied out. A change of
// the record needs save.
type life struct {
	run
	shard *shard
	id    runID
	now   instant
	alive bool
}

func (s *shard) find(id runID, now instant) life {
	record, known := s.runs[id]
	life := life{run: record, shard: s, id: id, now: now, alive: known}
	if known && now-record.seen >= s.ledger.limits.idle {
		s.forget(life, true)
		life.run, life.alive = run{}, false
	}
	return life
}

func (s *shard) begin(id runID, key interceptors.RunKey, now instant) life {
	l := s.ledger
	if l.runs.Load() >= l.limits.runs {
		s.pushOut(now)
	}
	life := life{shard: s, id: id, now: now, alive: true}
	life.run = run{born: s.next(), started: now, seen: now}
	life.save()
	s.unproven[id] = key
	s.peak = max(s.peak, len(s.runs))
	l.runs.Add(1)
	return life
}

func (f *life) save() { f.shard.runs[f.id] = f.run }

// touch marks the run as seen now.
func (f *life) touch() {
	f.seen = f.now
	f.save()
}

// trouble returns what failures left behind; nil where none did.
func (f *life) trouble() *trouble { return f.shard.troubles[f.id] }

func (f *life) troubled() *trouble {
	t := f.shard.troubles[f.id]
	if t == nil {
		t = &trouble{}
		f.shard.troubles[f.id] = t
	}
	return t
}

// forget drops a run whole. tell has the ending told where it brought nothing.
func (s *shard) forget(f life, tell bool) {
	if key, unproven := s.unproven[f.id]; unproven {
		if tell && f.calls > 0 {
			s.ended = append(s.ended, ending{run: key, summary: f.summary(key)})
		}
		delete(s.unproven, f.id)
	}
	if t := s.troubles[f.id]; t != nil {
		for _, m := range t.memories {
			s.dropMemory(t, m)
		}
		delete(s.troubles, f.id)
	}
	if claims := s.claimsOf[f.id]; claims != nil {
		for claims.head != nil {
			s.dropClaim(claims.head)
		}
	}
	delete(s.runs, f.id)
	s.ledger.runs.Add(-1)
}

// pushOut makes room for a run: of a sample the one idle for longest goes, one
// whose unknown outcome guards a write only where all of the sample do.
func (s *shard) pushOut(now instant) {
	var oldest life
	looked := 0
	for id, record := range s.runs {
		candidate := life{run: record, shard: s, id: id, now: now, alive: true}
		if !oldest.alive || candidate.yields(&oldest) {
			oldest = candidate
		}
		if looked++; looked == evictionSample {
			break
		}
	}
	if oldest.alive {
		s.forget(oldest, true)
	}
}

func (f *life) yields(other *life) bool {
	if guards := f.guards(); guards != other.guards() {
		return !guards
	}
	return f.seen < other.seen
}

func (f *life) guards() bool {
	t := f.trouble()
	return t != nil && t.unknowns > 0
}

// sweep forgets idle runs, spent claims and memories that only age keeps.
func (s *shard) sweep(now instant) {
	s.swept = now
	s.expireClaims(now)
	for id, record := range s.runs {
		if now-record.seen >= s.ledger.limits.idle {
			s.forget(life{run: record, shard: s, id: id, now: now, alive: true}, true)
		}
	}
	for _, t := range s.troubles {
		s.tidy(t, now)
	}
	s.shrink()
}

// shrink gives the memory of a peak back: a table never shrinks by itself.
func (s *shard) shrink() {
	const worthIt = 1024
	if s.peak < worthIt || len(s.runs) > s.peak/4 {
		return
	}
	runs := make(map[runID]run, len(s.runs))
	maps.Copy(runs, s.runs)
	s.runs, s.peak = runs, len(runs)
}
