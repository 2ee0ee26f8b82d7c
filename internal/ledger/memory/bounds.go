package memory

import "sync/atomic"

// The bounds over all shards are kept by whoever added last: it drops the oldest
// of all, found by the instants that the shards publish, one shard's lock at a
// time. Below the bound this costs a load.

func (s *shard) noteOldestClaims() {
	note(&s.oldestSettled, s.settled.head, (*claim).ends)
	note(&s.oldestHollow, s.hollow.head, (*claim).ends)
}

func (s *shard) noteOldestMemory() {
	note(&s.oldestMemory, s.aged.head, (*memory).madeAt)
}

func note[T any](oldest *atomic.Int64, head *T, at func(*T) instant) {
	if head == nil {
		oldest.Store(noInstant)
		return
	}
	oldest.Store(int64(at(head)))
}

// oldest returns the shard that published the earliest instant; nil: none did.
func (l *Ledger) oldest(published func(*shard) *atomic.Int64) *shard {
	var found *shard
	earliest := noInstant
	for i := range l.shards {
		if at := published(&l.shards[i]).Load(); at < earliest {
			found, earliest = &l.shards[i], at
		}
	}
	return found
}

// shedClaims keeps the bounds on what stands under call ids.
func (l *Ledger) shedClaims() {
	for l.claimBytes.Load() > l.limits.claimBytes {
		s := l.oldest(func(s *shard) *atomic.Int64 { return &s.oldestSettled })
		if s == nil {
			return
		}
		s.mu.Lock()
		if s.settled.head != nil {
			s.hollowOut(s.settled.head)
		}
		s.leave()
	}
	for l.claims.Load() > l.limits.claims {
		if !l.dropOldID() {
			return
		}
	}
}

// dropOldID forgets the call id that ended first, rather one without content.
// False: all are running.
func (l *Ledger) dropOldID() bool {
	s := l.oldest(func(s *shard) *atomic.Int64 { return &s.oldestHollow })
	if s == nil {
		s = l.oldest(func(s *shard) *atomic.Int64 { return &s.oldestSettled })
	}
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.leave()
	if head := s.hollow.head; head != nil {
		s.dropClaim(head)
	} else if head := s.settled.head; head != nil {
		s.dropClaim(head)
	}
	return true
}

// shedMemories keeps the bound on memories.
func (l *Ledger) shedMemories() {
	for l.memoryBytes.Load() > l.limits.memoryBytes {
		s := l.oldest(func(s *shard) *atomic.Int64 { return &s.oldestMemory })
		if s == nil {
			return // all that is left are unknown outcomes, bounded per run
		}
		s.mu.Lock()
		if m := s.aged.head; m != nil {
			s.dropMemory(s.troubles[m.run], m)
		}
		s.leave()
	}
}
