package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions are those over HTTP.
type sessions struct {
	max  int
	idle time.Duration
	end  func(caller context.Context, run string)

	watched sync.WaitGroup

	mu   sync.Mutex // guards open and what is in it
	open map[string]*session
}

type session struct {
	id     string
	server *sdk.ServerSession
	caller *caller // the last one who called a tool
	run    string  // empty: no call was counted in the session's own run
	uses   int     // requests and streams
	since  time.Time
	idle   *time.Timer     // runs while uses is 0
	cut    context.Context //nolint:containedctx // ends what was called in the session
	cutOff context.CancelFunc
}

func newSessions(max int, idle time.Duration, end func(context.Context, string)) *sessions {
	return &sessions{max: max, idle: idle, end: end, open: map[string]*session{}}
}

// add takes a session that has just been opened, and watches it to its end.
func (s *sessions) add(server *sdk.ServerSession, caller *caller) {
	cut, cutOff := context.WithCancel(context.Background())
	one := &session{id: server.ID(), server: server, caller: caller, since: time.Now(), cut: cut, cutOff: cutOff}
	one.idle = time.AfterFunc(s.idle, func() { _ = server.Close() })
	s.mu.Lock()
	s.open[one.id] = one
	s.mu.Unlock()
	s.watched.Go(func() {
		_ = server.Wait()
		s.remove(one)
	})
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func (s *sessions) remove(one *session) {
	s.mu.Lock()
	delete(s.open, one.id)
	one.idle.Stop()
	caller, run := one.caller, one.run
	s.mu.Unlock()
	one.cutOff()
	if run != "" {
		s.end(caller.ctx, run)
	}
}

// wait until every session that was closed has ended its run.
func (s *sessions) wait() { s.watched.Wait() }

// use keeps a session from lying idle until the returned function is called.
func (s *sessions) use(id, principal string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[id]
	if one == nil || one.caller.principal != principal {
		return func() {} // the SDK refuses it
	}
	one.uses++
	one.idle.Stop()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.uses--
		one.since = time.Now()
		if one.uses == 0 && s.open[id] == one {
			one.idle.Reset(s.idle)
		}
	}
}

// run is the session's own run; from now on its end is the session's.
func (s *sessions) run(id string, caller *caller) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := runName("session", id)
	if one := s.open[id]; one != nil {
		one.caller, one.run = caller, run
	}
	return run
}

// cutOff ends the calls of a session that its client has given up: whoever asks
// for its end doesn't wait for them.
func (s *sessions) cutOff(id, principal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil && one.caller.principal == principal {
		one.cutOff()
	}
}

// onCut has cancel called when the session is cut off.
func (s *sessions) onCut(id string, cancel func()) (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		return context.AfterFunc(one.cut, cancel)
	}
	return func() bool { return true }
}

// makeRoom reports whether one more session may be opened. Where there are too
// many, one of the caller who has most gives way: whoever opens them without end
// pushes out his own.
func (s *sessions) makeRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) < s.max {
		return true
	}
	victim := s.idlest()
	if victim == nil {
		return false
	}
	delete(s.open, victim.id)
	victim.idle.Stop()
	go func() { _ = victim.server.Close() }()
	return true
}

// idlest is the session that was idle longest, of the caller who has most of
// them; nil: all are in use.
func (s *sessions) idlest() (found *session) {
	held, most := map[string]int{}, 0
	for _, one := range s.open {
		if one.uses == 0 {
			held[one.caller.principal]++
			most = max(most, held[one.caller.principal])
		}
	}
	for _, one := range s.open {
		if one.uses == 0 && held[one.caller.principal] == most && (found == nil || one.since.Before(found.since)) {
			found = one
		}
	}
	return found
}
