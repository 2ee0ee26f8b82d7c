package redis

import (
	"context"
	"strconv"
	"sync"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// view is what one rpc knows of its run: one answer of the server serves all the
// questions of its rooms. What follows its calls gathers here, and is sent
// together. It travels in the context and in the snapshot.
type view struct {
	ledger *Ledger
	names  names

	mu       sync.Mutex // guards the rest; held while the server is asked
	term     uint64     // in which the rpc arrived; 0: the server was never asked
	arrived  uint64     // the server's sequence on arrival
	local    interceptors.Snapshot
	state    *state // nil: not known
	changes  uint32 // what this replica had written when the state was asked for
	running  string // a call id that ran elsewhere when we last heard
	followed followed
}

type viewKey struct{ ledger *Ledger }

// moment is the view of a snapshot that was taken apart from an arrival.
type moment struct {
	term     uint64
	sequence uint64
}

// Arrive marks the arrival of an rpc. Where it makes one call that has an id,
// nothing is asked yet: the claim will bring everything.
func (l *Ledger) Arrive(ctx context.Context, run interceptors.RunKey, callIDs ...string) (context.Context, interceptors.Snapshot, error) {
	v := &view{ledger: l, names: l.namesOf(run)}
	v.followed.view = v
	ctx = context.WithValue(ctx, viewKey{l}, v)
	if len(callIDs) == 1 && callIDs[0] != "" {
		return ctx, interceptors.Snapshot{View: v}, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.arrive(ctx); err != nil && ctx.Err() != nil {
		return ctx, interceptors.Snapshot{}, err
	}
	return ctx, interceptors.Snapshot{Sequence: v.arrived, View: v}, nil
}

// viewOf finds the rpc's view of this run; nil where it has none.
func (l *Ledger) viewOf(ctx context.Context, run interceptors.RunKey) *view {
	if v, ok := ctx.Value(viewKey{l}).(*view); ok && v.names.run == run {
		return v
	}
	return nil
}

func (l *Ledger) namesFor(v *view, run interceptors.RunKey) names {
	if v != nil {
		return v.names
	}
	return l.namesOf(run)
}

// arrive asks for the state and marks the arrival, once. The caller holds mu.
func (v *view) arrive(ctx context.Context) error {
	l := v.ledger
	changes, term := l.bucket(&v.names).Load(), l.link.term.Load()
	message, err := l.ask(ctx, l.scripts.arrive, v.names.keys, []string{millis(idle), strconv.Itoa(stateBytes)})
	if err == nil {
		var s *state
		if s, err = readState(message); err == nil {
			v.adopt(s, term, changes)
			return nil
		}
	}
	return v.arriveLocally(ctx, err)
}

// arriveLocally takes the snapshot that a call without the server has. The
// caller holds mu.
func (v *view) arriveLocally(ctx context.Context, err error) error {
	l := v.ledger
	if v.term != 0 || ctx.Err() != nil {
		return err
	}
	if term := l.link.term.Load(); !connected(term) {
		var localErr error
		if v.local, localErr = l.local.Snapshot(ctx, v.names.run); localErr == nil {
			v.term = term
		}
	}
	return err
}

// adopt takes an answer in. The first one marks the arrival. The caller holds
// mu.
func (v *view) adopt(s *state, term uint64, changes uint32) {
	if v.term == 0 {
		v.term, v.arrived = term, s.sequence
	}
	if v.term == term {
		v.state, v.changes = s, changes
	}
}

// fresh reports that the state may answer: it is of this term and young, and
// this replica wrote nothing to the run since. The caller holds mu.
func (v *view) fresh() bool {
	return v.state != nil && v.term == v.ledger.link.term.Load() &&
		time.Since(v.state.heard) < viewFresh && v.changes == v.ledger.bucket(&v.names).Load()
}

// look returns the run's state, asked for if need be. With an error it returns
// what the rpc knew before, if anything: better than nothing.
func (l *Ledger) look(ctx context.Context, run interceptors.RunKey) (*state, error) {
	v := l.viewOf(ctx, run)
	if v == nil {
		names := l.namesOf(run)
		return l.readNow(ctx, &names)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.fresh():
		return v.state, nil
	case v.term == 0:
		err := v.arrive(ctx)
		return v.state, err
	}
	changes, term := l.bucket(&v.names).Load(), l.link.term.Load()
	s, err := l.readNow(ctx, &v.names)
	if err != nil {
		return v.state, err
	}
	v.adopt(s, term, changes)
	return s, nil
}

func (l *Ledger) readNow(ctx context.Context, names *names) (*state, error) {
	message, err := l.ask(ctx, l.scripts.state, names.keys, []string{strconv.Itoa(stateBytes)})
	if err != nil {
		return nil, err
	}
	return readState(message)
}

// seen returns the view's state however old; nil: none of this term.
func (v *view) seen() *state {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.term != v.ledger.link.term.Load() {
		return nil
	}
	return v.state
}

// Snapshot marks the arrival of an rpc and begins a run with its first.
func (l *Ledger) Snapshot(ctx context.Context, run interceptors.RunKey) (interceptors.Snapshot, error) {
	names, term := l.namesFor(l.viewOf(ctx, run), run), l.link.term.Load()
	message, err := l.ask(ctx, l.scripts.arrive, names.keys, []string{millis(idle), "0"})
	if err == nil {
		var s *state
		if s, err = readState(message); err == nil {
			return interceptors.Snapshot{Sequence: s.sequence, View: moment{term, s.sequence}}, nil
		}
	}
	if ctx.Err() != nil {
		return interceptors.Snapshot{}, err
	}
	snapshot, err := l.local.Snapshot(ctx, run)
	if term = l.link.term.Load(); connected(term) {
		term = 0 // one answer was missing: the call is on its own
	}
	snapshot.View = moment{term, snapshot.Sequence}
	return snapshot, err
}

// arrived returns what a snapshot is worth to the server: 0, older than
// everything, where it is the local keeper's. The server's own is good in every
// term: where it lost its memory, whatever it knows is newer.
func (l *Ledger) arrived(snapshot interceptors.Snapshot) uint64 {
	switch at := snapshot.View.(type) {
	case *view:
		at.mu.Lock()
		defer at.mu.Unlock()
		return at.arrived
	case moment:
		if connected(at.term) {
			return at.sequence
		}
		return 0
	}
	return snapshot.Sequence
}

// locally returns what a snapshot is worth to the local keeper: the zero one
// where it is the server's, or of an earlier absence.
func (l *Ledger) locally(snapshot interceptors.Snapshot) interceptors.Snapshot {
	now := l.link.term.Load()
	switch at := snapshot.View.(type) {
	case *view:
		at.mu.Lock()
		defer at.mu.Unlock()
		if at.term == now && !connected(now) {
			return at.local
		}
		return interceptors.Snapshot{}
	case moment:
		if at.term == now && !connected(now) {
			return interceptors.Snapshot{Sequence: at.sequence}
		}
		return interceptors.Snapshot{}
	}
	return interceptors.Snapshot{Sequence: snapshot.Sequence}
}
