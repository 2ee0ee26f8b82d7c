package memory

import (
	"context"
	"slices"

	"toolgate.dev/toolgate/interceptors"
)

// count is what a tool rejected in one run, and what was offered for it.
type count struct {
	tool       string
	version    string
	rejections uint32
	cap        uint32
	changed    uint64  // sequence of the last change of count or epoch
	last       instant // of the last rejection
	memory     instant // kept for so long after it; 0: as long as the run
	unblocks   []string

	offered []interceptors.Key // standing, the oldest first
	taken   []interceptors.Key
}

// standing is the count that age has left.
func (c *count) standing(now instant) uint32 {
	if c.memory > 0 && now-c.last >= c.memory {
		return 0
	}
	return c.rejections
}

func (c *count) restart(sequence uint64) {
	c.rejections, c.unblocks, c.changed = 0, nil, sequence
}

// Standing tells whether the tool takes another call of this run.
func (l *Ledger) Standing(_ context.Context, q interceptors.StandingQuery) (interceptors.Standing, error) {
	s, life := l.enter(q.Run)
	defer s.leave()
	t := life.trouble()
	if t == nil {
		return interceptors.Standing{}, nil
	}
	var standing interceptors.Standing
	var total uint32 // of the counts that stood when the snapshot was taken
	for _, c := range t.counts {
		n := c.standing(life.now)
		if c.tool == q.Tool && c.version != q.Version {
			n = 0
		}
		if c.tool == q.Tool {
			standing.Count = n
		}
		if c.changed > q.Snapshot.Sequence {
			continue
		}
		total = saturate(total, uint64(n))
		if c.tool == q.Tool && q.Cap > 0 && n >= q.Cap {
			standing.Capped = true
		}
	}
	if q.RunCap > 0 && total >= q.RunCap {
		standing.Capped = true
	}
	return standing, nil
}

// Reject raises the count unless something stands against it.
func (l *Ledger) Reject(_ context.Context, r interceptors.Rejection) (uint32, error) {
	s, life := l.enter(r.Run)
	defer s.leave()
	if !life.alive {
		return 0, nil // it ended while the call was in flight
	}
	c := life.troubled().counted(r.Tool)
	arrived := r.Snapshot.Sequence
	if c.version != r.Version {
		if c.rejections > 0 && c.changed > arrived {
			return 0, nil // the count is of a newer tool than this call's
		}
		c.version, c.rejections, c.unblocks = r.Version, 0, nil
	}
	c.cap, c.memory = r.Cap, r.Memory
	if c.standing(life.now) < c.rejections {
		c.rejections, c.unblocks = 0, nil // age has forgotten them
	}
	c.named(r.Unblock)
	against := max(life.born, c.changed, life.succeeded(r.Tool), life.succeeded(r.Unblock))
	switch {
	case r.Offered:
	case against <= arrived:
		c.changed, c.last = s.next(), life.now
		c.rejections = saturate(c.rejections, 1)
	case c.rejections > 0:
		c.last = life.now // still being rejected, in the same wave
	}
	return c.rejections, nil
}

// named remembers the tool that an error named as its unblock_with.
func (c *count) named(unblock string) {
	if unblock == "" || slices.Contains(c.unblocks, unblock) {
		return
	}
	if len(c.unblocks) == maxUnblocks {
		c.unblocks = slices.Delete(c.unblocks, 0, 1)
	}
	c.unblocks = append(c.unblocks, unblock)
}

// Forgive starts new epochs after a success.
func (l *Ledger) Forgive(_ context.Context, run interceptors.RunKey, tool string) error {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil
	}
	sequence := life.success(tool)
	life.save()
	t := life.trouble()
	if t == nil {
		return nil
	}
	for _, c := range t.counts {
		if c.tool == tool {
			c.offered, c.taken = nil, nil
		}
		if c.tool == tool || slices.Contains(c.unblocks, tool) {
			c.restart(sequence)
		}
	}
	return nil
}

// success numbers a success of the tool. The life needs saving.
func (f *life) success(tool string) uint64 {
	sequence := f.shard.next()
	f.usage(f.shard.ledger.tools.number(tool)).success = sequence
	return sequence
}

// Pardon starts a new epoch for the tool alone.
func (l *Ledger) Pardon(_ context.Context, run interceptors.RunKey, tool string) error {
	s, life := l.enter(run)
	defer s.leave()
	if life.alive {
		life.troubled().counted(tool).restart(s.next())
	}
	return nil
}

// Offer remembers alternatives.
func (l *Ledger) Offer(_ context.Context, run interceptors.RunKey, offers []interceptors.Offer) error {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil
	}
	t := life.troubled()
	for _, offer := range offers {
		c := t.count(offer.Tool)
		if c == nil && len(t.counts) >= maxOfferedTools {
			continue // tools that were offered and never called may not pile up
		}
		t.counted(offer.Tool).offer(offer.Key)
	}
	return nil
}

func (c *count) offer(key interceptors.Key) {
	if slices.Contains(c.taken, key) {
		return
	}
	if at := slices.Index(c.offered, key); at >= 0 {
		c.offered = slices.Delete(c.offered, at, at+1)
	}
	if len(c.offered) == maxOffers {
		c.offered = slices.Delete(c.offered, 0, 1)
	}
	c.offered = append(c.offered, key)
}

// TakeOffer uses an offer up.
func (l *Ledger) TakeOffer(_ context.Context, run interceptors.RunKey, offer interceptors.Offer) (bool, error) {
	s, life := l.enter(run)
	defer s.leave()
	c := life.count(offer.Tool)
	if c == nil || len(c.taken) >= maxOffers {
		return false, nil
	}
	at := slices.Index(c.offered, offer.Key)
	if at < 0 {
		return false, nil
	}
	c.offered = slices.Delete(c.offered, at, at+1)
	c.taken = append(c.taken, offer.Key)
	return true, nil
}

// ReturnOffer lets a taken offer stand again.
func (l *Ledger) ReturnOffer(_ context.Context, run interceptors.RunKey, offer interceptors.Offer) error {
	s, life := l.enter(run)
	defer s.leave()
	c := life.count(offer.Tool)
	if c == nil {
		return nil
	}
	if at := slices.Index(c.taken, offer.Key); at >= 0 {
		c.taken = slices.Delete(c.taken, at, at+1)
		c.offer(offer.Key)
	}
	return nil
}

func (f *life) count(tool string) *count {
	if t := f.trouble(); t != nil {
		return t.count(tool)
	}
	return nil
}
