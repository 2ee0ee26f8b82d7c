package redis

import (
	"context"
	"strconv"

	"toolgate.dev/toolgate/interceptors"
)

// Standing tells whether the tool takes another call of this run. A call that
// arrived before the server was lost stands where it stood then.
func (l *Ledger) Standing(ctx context.Context, q interceptors.StandingQuery) (interceptors.Standing, error) {
	s, err := l.look(ctx, q.Run)
	switch {
	case err == nil:
		return s.standing(q, l.arrived(q.Snapshot)), nil
	case s != nil:
		return s.standing(q, s.sequence), nil
	}
	q.Snapshot = l.locally(q.Snapshot)
	return l.local.Standing(ctx, q)
}

// Reject raises the count unless something stands against it. A call that
// arrived in another term raises none: that count is of another keeper.
func (l *Ledger) Reject(ctx context.Context, r interceptors.Rejection) (uint32, error) {
	offered := "0"
	if r.Offered {
		offered = "1"
	}
	var n int64
	err := l.change(ctx, r.Run, func(names *names) (err error) {
		n, err = l.number(ctx, l.scripts.reject, names.keys, []string{
			r.Tool, r.Version, strconv.FormatUint(uint64(r.Cap), 10), micros(r.Memory),
			sequenceText(l.arrived(r.Snapshot)), oneLine(r.Unblock), offered,
		})
		return err
	})
	if err == nil {
		return uint32(n), nil //nolint:gosec // a count
	}
	if r.Snapshot = l.locally(r.Snapshot); r.Snapshot == (interceptors.Snapshot{}) {
		return 0, err // the room says what stood on arrival
	}
	return l.local.Reject(ctx, r)
}

// Forgive starts new epochs after a success. Where the run had nothing to
// forgive when the call arrived, nobody waits for it: the moment of the success
// is written with it. It is lost where the server is lost within that moment.
func (l *Ledger) Forgive(ctx context.Context, run interceptors.RunKey, tool string) error {
	s := l.viewOf(ctx, run).seen()
	when := withTheEnd
	if s == nil || s.forgives(tool) {
		when = beforeGoingOn
	}
	_ = l.follow(ctx, run, step{args: []string{"F", tool, s.success()}}, when)
	l.wrote(ctx, run, when)
	return l.local.Forgive(ctx, run, tool) // what was counted in an absence is over, too
}

// success is the moment of a success that happened just now, by the server's
// clock; 0 where we don't know it.
func (s *state) success() string {
	if s == nil {
		return "0"
	}
	return strconv.FormatInt(s.clock(), 10)
}

// wrote notes that the run changed for this replica's other calls.
func (l *Ledger) wrote(ctx context.Context, run interceptors.RunKey, when timing) {
	if when == beforeGoingOn {
		names := l.namesFor(l.viewOf(ctx, run), run)
		l.bucket(&names).Add(1)
	}
}

// Pardon starts a new epoch for the tool alone, on this replica's own book too.
func (l *Ledger) Pardon(ctx context.Context, run interceptors.RunKey, tool string) error {
	_ = l.change(ctx, run, func(names *names) error {
		_, err := l.ask(ctx, l.scripts.pardon, names.keys, []string{tool})
		return err
	})
	return l.local.Pardon(ctx, run, tool)
}

// change does one thing to a run, and notes that it changed.
func (l *Ledger) change(ctx context.Context, run interceptors.RunKey, do func(names *names) error) error {
	names := l.namesFor(l.viewOf(ctx, run), run)
	err := do(&names)
	l.bucket(&names).Add(1)
	return err
}

// Offer remembers alternatives.
func (l *Ledger) Offer(ctx context.Context, run interceptors.RunKey, offers []interceptors.Offer) error {
	if len(offers) == 0 {
		return nil
	}
	err := l.change(ctx, run, func(names *names) error {
		args := make([]string, 0, 2*len(offers))
		for _, offer := range offers {
			args = append(args, offer.Tool, string(offer.Key[:]))
		}
		_, err := l.ask(ctx, l.scripts.offer, names.keys, args)
		return err
	})
	if err != nil {
		return l.local.Offer(ctx, run, offers)
	}
	return nil
}

// TakeOffer uses an offer up.
func (l *Ledger) TakeOffer(ctx context.Context, run interceptors.RunKey, offer interceptors.Offer) (taken bool, err error) {
	if l.viewOf(ctx, run) != nil {
		if s, err := l.look(ctx, run); err == nil && !s.offered(offer) {
			return false, nil
		}
	}
	ctx = context.WithoutCancel(ctx) // whoever leaves now has to put it back: the answer tells whether
	err = l.change(ctx, run, func(names *names) error {
		n, err := l.number(ctx, l.scripts.take, names.keys, []string{offer.Tool, string(offer.Key[:])})
		taken = n == 1
		return err
	})
	if err != nil {
		return l.local.TakeOffer(ctx, run, offer)
	}
	return taken, nil
}

// ReturnOffer lets a taken offer stand again.
func (l *Ledger) ReturnOffer(ctx context.Context, run interceptors.RunKey, offer interceptors.Offer) error {
	err := l.change(ctx, run, func(names *names) error {
		_, err := l.ask(ctx, l.scripts.untake, names.keys, []string{offer.Tool, string(offer.Key[:])})
		return err
	})
	if err != nil {
		return l.local.ReturnOffer(ctx, run, offer)
	}
	return nil
}
