package memory

import (
	"cmp"
	"context"
	"slices"

	"toolgate.dev/toolgate/interceptors"
)

// Unknowns returns the run's unknown outcomes of these tools, the oldest first.
func (l *Ledger) Unknowns(_ context.Context, run interceptors.RunKey, tools []string) ([]interceptors.Unknown, error) {
	found := l.unknown(run, tools)
	var unknowns []interceptors.Unknown
	for _, m := range found {
		decoded, err := l.decode(m)
		if err != nil {
			return nil, err
		}
		unknowns = append(unknowns, interceptors.Unknown{Key: m.key, Memory: decoded, Sequence: m.sequence})
	}
	return unknowns, nil
}

func (l *Ledger) unknown(run interceptors.RunKey, tools []string) (found []*memory) {
	s, life := l.enter(run)
	defer s.leave()
	if !life.guards() {
		return nil
	}
	for _, m := range life.trouble().memories {
		if m.unknown && slices.Contains(tools, m.tool) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b *memory) int { return cmp.Compare(a.sequence, b.sequence) })
	return found
}

// Settle lifts an unknown outcome or puts a replacement in its place.
func (l *Ledger) Settle(
	_ context.Context, run interceptors.RunKey, unknown interceptors.Unknown, settlement interceptors.Settlement, replacement *interceptors.Memory,
) error {
	var instead *memory
	if settlement == interceptors.DidExecute && replacement != nil {
		var err error
		if instead, err = l.encode(unknown.Key, replacement); err != nil {
			return err
		}
	}
	s, life := l.enter(run)
	defer s.leave()
	m := life.memory(unknown.Key)
	if m == nil || !m.unknown || m.sequence != unknown.Sequence || settlement == interceptors.StillUnknown {
		return nil
	}
	if instead != nil {
		s.place(&life, instead)
		return nil
	}
	s.dropMemory(life.trouble(), m)
	return nil
}

// KeepKey keeps an idempotency key. Like the doubt that it resolves, it outlives
// the end of its run.
func (l *Ledger) KeepKey(_ context.Context, run interceptors.RunKey, key interceptors.Key, idempotencyKey string) error {
	s, life := l.enterOrBegin(run)
	defer s.leave()
	t := life.troubled()
	t.dropKey(key)
	if len(t.kept) == maxKeysPerRun {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	t.kept = append(t.kept, keptKey{call: key, key: idempotencyKey})
	return nil
}

// TakeKey gives a kept key up to the caller.
func (l *Ledger) TakeKey(_ context.Context, run interceptors.RunKey, key interceptors.Key) (string, error) {
	s, life := l.enter(run)
	defer s.leave()
	if t := life.trouble(); t != nil {
		return t.dropKey(key), nil
	}
	return "", nil
}

func (t *trouble) dropKey(call interceptors.Key) (key string) {
	for i, k := range t.kept {
		if k.call == call {
			t.kept = slices.Delete(t.kept, i, i+1)
			return k.key
		}
	}
	return ""
}
