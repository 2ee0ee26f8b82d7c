package redis

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/redis/rueidis"

	"toolgate.dev/toolgate/interceptors"
)

// Recall returns what is remembered of this very call. While the server is away
// it is what the rpc knew of the run, and what this replica saw itself.
func (l *Ledger) Recall(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (*interceptors.Memory, error) {
	s, lookErr := l.look(ctx, run)
	if s != nil {
		m, err := l.recall(ctx, s, run, key)
		if err == nil && (m != nil || lookErr == nil) {
			return m, nil
		}
	}
	return l.local.Recall(ctx, run, key)
}

func (l *Ledger) recall(ctx context.Context, s *state, run interceptors.RunKey, key interceptors.Key) (*interceptors.Memory, error) {
	h, ok := s.heads[key]
	if !ok || h.flag == flagErased {
		return nil, nil
	}
	contents, err := l.contents(ctx, s, run, []interceptors.Key{key})
	if err != nil || contents[0] == "" {
		return nil, err
	}
	return s.decodeMemory(h, contents[0])
}

// contents returns what memories hold, asked for where the state was too large
// to bring it along; empty where it is gone.
func (l *Ledger) contents(ctx context.Context, s *state, run interceptors.RunKey, keys []interceptors.Key) ([]string, error) {
	contents := make([]string, len(keys))
	if !s.partial {
		for i, key := range keys {
			contents[i] = s.payloads[key]
		}
		return contents, nil
	}
	names := l.namesFor(l.viewOf(ctx, run), run)
	for from := 0; from < len(keys); from += restoreBatch {
		batch := keys[from:min(from+restoreBatch, len(keys))]
		args := make([]string, len(batch))
		for i, key := range batch {
			args[i] = string(key[:])
		}
		message, err := l.ask(ctx, l.scripts.payload, names.keys, args)
		if err != nil {
			return nil, err
		}
		if err := readContents(message, contents[from:]); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

func readContents(message rueidis.RedisMessage, contents []string) error {
	all, err := message.ToArray()
	if err != nil {
		return err
	}
	for i, one := range all {
		if one.IsNil() || i >= len(contents) {
			continue
		}
		if contents[i], err = one.ToString(); err != nil {
			return err
		}
	}
	return nil
}

// Remember stores a failure. An unknown outcome is stored here as well, so that
// this replica still refuses the call when the server is lost, and is told to
// the server when it comes back.
func (l *Ledger) Remember(ctx context.Context, run interceptors.RunKey, key interceptors.Key, m *interceptors.Memory, snapshot interceptors.Snapshot) error {
	content, err := encodeMemory(m)
	if err != nil {
		return err
	}
	args := rememberArgs(key, m, l.arrived(snapshot), content)
	err = l.change(ctx, run, func(names *names) error {
		_, err := l.ask(ctx, l.scripts.remember, names.keys, args)
		return err
	})
	if m.Unknown {
		l.journal.mark(mark{run: run, key: key, memory: args}, err == nil)
	}
	if err == nil && !m.Unknown {
		return nil
	}
	return l.local.Remember(ctx, run, key, m, l.locally(snapshot))
}

func rememberArgs(key interceptors.Key, m *interceptors.Memory, arrived uint64, content string) []string {
	flag := string(rune(flagMemory))
	if m.Unknown {
		flag = string(rune(flagUnknown))
	}
	return []string{
		millis(idle), string(key[:]), sequenceText(arrived), flag, classOf(m.Error.GetErrorClass()),
		left(m), micros(m.TTL), oneLine(m.Error.GetUnblockWith()), m.Tool, content,
	}
}

// Erase forgets this very call.
func (l *Ledger) Erase(ctx context.Context, run interceptors.RunKey, key interceptors.Key) error {
	_ = l.change(ctx, run, func(names *names) error {
		_, err := l.ask(ctx, l.scripts.erase, names.keys, []string{string(key[:])})
		return err
	})
	l.journal.unmark(run, key)
	return l.local.Erase(ctx, run, key)
}

// Unblock forgets terminal and invalid entries after a success. Like Forgive it
// is not waited for where there was nothing to forget.
func (l *Ledger) Unblock(ctx context.Context, run interceptors.RunKey, tool string, reads bool) error {
	s := l.viewOf(ctx, run).seen()
	when := withTheEnd
	if s == nil || s.cures(tool, reads) {
		when = beforeGoingOn
	}
	read := "0"
	if reads {
		read = "1"
	}
	_ = l.follow(ctx, run, step{args: []string{"U", tool, read, s.success()}}, when)
	l.wrote(ctx, run, when)
	return l.local.Unblock(ctx, run, tool, reads)
}

// Held reports which of these calls would be refused now.
func (l *Ledger) Held(ctx context.Context, run interceptors.RunKey, keys []interceptors.Key) ([]bool, error) {
	s, err := l.look(ctx, run)
	if err != nil {
		return l.local.Held(ctx, run, keys)
	}
	held, now := make([]bool, len(keys)), s.clock()
	for i, key := range keys {
		h, ok := s.heads[key]
		held[i] = ok && h.holds(now)
	}
	return held, nil
}

// Unknowns returns the run's unknown outcomes of these tools, the oldest first.
func (l *Ledger) Unknowns(ctx context.Context, run interceptors.RunKey, tools []string) ([]interceptors.Unknown, error) {
	s, err := l.look(ctx, run)
	if err != nil {
		return l.local.Unknowns(ctx, run, tools)
	}
	var found []interceptors.Key
	for key, h := range s.heads {
		if h.flag == flagUnknown && slices.Contains(tools, h.tool) {
			found = append(found, key)
		}
	}
	slices.SortFunc(found, func(a, b interceptors.Key) int { return cmp.Compare(s.heads[a].sequence, s.heads[b].sequence) })
	contents, err := l.contents(ctx, s, run, found)
	if err != nil {
		return l.local.Unknowns(ctx, run, tools)
	}
	var unknowns []interceptors.Unknown
	for i, key := range found {
		m, err := s.decodeMemory(s.heads[key], contents[i])
		if err != nil {
			return nil, err
		}
		unknowns = append(unknowns, interceptors.Unknown{Key: key, Memory: m, Sequence: s.heads[key].sequence})
	}
	return unknowns, nil
}

// Settle lifts an unknown outcome or puts a replacement in its place. While the
// server is away, one that it told of stays unknown.
func (l *Ledger) Settle(
	ctx context.Context, run interceptors.RunKey, unknown interceptors.Unknown, settlement interceptors.Settlement, replacement *interceptors.Memory,
) error {
	if settlement == interceptors.StillUnknown {
		return nil
	}
	args := []string{string(unknown.Key[:]), strconv.FormatUint(unknown.Sequence, 10)}
	if settlement == interceptors.DidExecute && replacement != nil {
		content, err := encodeMemory(replacement)
		if err != nil {
			return err
		}
		args = append(args, left(replacement), micros(replacement.TTL), classOf(replacement.Error.GetErrorClass()),
			oneLine(replacement.Error.GetUnblockWith()), replacement.Tool, content)
	}
	var settled int64
	err := l.change(ctx, run, func(names *names) (err error) {
		settled, err = l.number(ctx, l.scripts.settle, names.keys, args)
		return err
	})
	if err != nil {
		return l.local.Settle(ctx, run, unknown, settlement, replacement)
	}
	if settled == 1 {
		l.journal.unmark(run, unknown.Key)
		return l.settleLocally(ctx, run, unknown, settlement, replacement)
	}
	return nil
}

// settleLocally does the same to this replica's own mark, which has a sequence
// of its own.
func (l *Ledger) settleLocally(
	ctx context.Context, run interceptors.RunKey, unknown interceptors.Unknown, settlement interceptors.Settlement, replacement *interceptors.Memory,
) error {
	own, err := l.local.Unknowns(ctx, run, []string{unknown.Memory.Tool})
	for _, mark := range own {
		if mark.Key == unknown.Key {
			return l.local.Settle(ctx, run, mark, settlement, replacement)
		}
	}
	return err
}

// KeepKey keeps the idempotency key of a call that ended unknown, here as well.
func (l *Ledger) KeepKey(ctx context.Context, run interceptors.RunKey, key interceptors.Key, idempotencyKey string) error {
	err := l.change(ctx, run, func(names *names) error {
		_, err := l.ask(ctx, l.scripts.keepKey, names.keys, []string{millis(idle), string(key[:]), idempotencyKey})
		return err
	})
	l.journal.mark(mark{run: run, key: key, idempotencyKey: idempotencyKey}, err == nil)
	return l.local.KeepKey(ctx, run, key, idempotencyKey)
}

// TakeKey returns the kept key of this very call and gives it up to the caller.
func (l *Ledger) TakeKey(ctx context.Context, run interceptors.RunKey, key interceptors.Key) (string, error) {
	known := ""
	if l.viewOf(ctx, run) != nil {
		s, err := l.look(ctx, run)
		if s != nil {
			known = s.kept[key]
		}
		if err == nil && known == "" {
			return "", nil
		}
	}
	ctx = context.WithoutCancel(ctx) // whoever leaves now has to put it back: the answer tells what
	own, ownErr := l.local.TakeKey(ctx, run, key)
	l.journal.unkeep(run, key)
	kept := ""
	err := l.change(ctx, run, func(names *names) error {
		message, err := l.ask(ctx, l.scripts.takeKey, names.keys, []string{string(key[:])})
		if err == nil {
			kept, err = message.ToString()
		}
		return err
	})
	switch {
	case err == nil:
		return kept, nil
	case own != "":
		return own, nil
	default:
		return known, ownErr // two calls under one key are one call to the tool
	}
}
