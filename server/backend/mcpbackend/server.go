package mcpbackend

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstPause   = time.Second // between attempts to set up a session, doubling
	maxPause     = time.Minute
	steadyAfter  = time.Minute // a session that lived so long is replaced at once
	minLineBytes = 4 << 20     // of a line that is held: the SDK's own are lists
)

// Server is one MCP server: a session that is set up as soon as the server is
// known, kept, and replaced when it ends. It is safe for concurrent use.
type Server struct {
	spec      Spec
	version   string // of the gateway
	log       *slog.Logger
	chatter   *chatter
	over      http.RoundTripper // nil: a program
	bearing   *bearing          // nil: no token is shown
	release   func()
	changed   func()
	handshake bool // of the keeper alone: see open

	life   context.Context //nolint:containedctx // a server lives longer than any call
	end    context.CancelFunc
	done   chan struct{} // closed when the keeper has ended
	wake   chan struct{}
	relist chan struct{}

	aside     sync.WaitGroup // what ends sessions behind a call
	lineBytes atomic.Int64   // of a line that is held
	list      listing

	mu       sync.Mutex // guards the rest
	session  *session   // nil: there is none
	outage   *outage    // why there is none
	failedAt time.Time
	trying   chan struct{} // closed when the attempt under way has ended; nil: none is
	stopped  bool
}

// start makes a server and keeps it.
func start(spec Spec, version string, log *slog.Logger, changed func()) *Server {
	life, end := context.WithCancel(context.Background())
	log = log.With(slog.String("upstream", spec.Upstream))
	s := &Server{
		spec: spec, version: version, log: log, chatter: newChatter(log, spec.Secrets), changed: changed, release: func() {},
		life: life, end: end, done: make(chan struct{}), wake: make(chan struct{}, 1), relist: make(chan struct{}, 1),
		trying: make(chan struct{}), list: listing{tried: make(chan struct{})},
	}
	if spec.Connect != nil {
		s.over, s.release = spec.Connect()
		if spec.Bearer != nil {
			s.bearing = &bearing{over: s.over, bearer: spec.Bearer}
			s.over = s.bearing
		}
	}
	go s.keep()
	return s
}

// lineLimit is how much of a line is held.
func (s *Server) lineLimit() int { return int(max(minLineBytes, s.lineBytes.Load())) }

// holdLines sees to it that lines of that length are held.
func (s *Server) holdLines(bytes int64) {
	for {
		held := s.lineBytes.Load()
		if held >= bytes || s.lineBytes.CompareAndSwap(held, bytes) {
			return
		}
	}
}

// keep sets up sessions, one after the other, with growing pauses while they don't
// last.
func (s *Server) keep() {
	defer close(s.done)
	for pause := firstPause; s.life.Err() == nil; pause = min(2*pause, maxPause) {
		opened, out := s.open(s.life)
		s.settle(opened, out)
		if opened != nil {
			s.attend(opened)
			opened.retire()
			if time.Since(opened.born) >= steadyAfter {
				pause = firstPause
			}
		} else {
			s.list.note()
		}
		s.rest(pause)
	}
}

// settle says how an attempt ended.
func (s *Server) settle(opened *session, out *outage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened != nil && opened.isOver() {
		opened, out = nil, outageBy(errClosed, nil)
	}
	s.session, s.outage = opened, out
	if out != nil {
		s.failedAt = time.Now()
		if s.life.Err() == nil {
			s.log.Warn("an MCP server can't be reached", slog.String("cause", s.chatter.redactor.Secrets(out.cause)))
		}
	}
	if s.stopped && opened != nil {
		s.session = nil
		opened.retire()
	}
	s.endAttempt()
}

func (s *Server) endAttempt() {
	if s.trying != nil {
		close(s.trying)
		s.trying = nil
	}
}

// rest waits before the next attempt, unless somebody waits for that already.
func (s *Server) rest(pause time.Duration) {
	s.mu.Lock()
	wanted := s.trying != nil
	s.mu.Unlock()
	if !wanted {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.wake:
		case <-s.life.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select { // whoever woke this up is served by the attempt that follows
	case <-s.wake:
	default:
	}
	switch {
	case s.life.Err() != nil:
		s.endAttempt()
	case s.trying == nil:
		s.trying = make(chan struct{})
	}
}

// ending is who found out that a session has ended.
type ending int

const (
	byItself ending = iota // it broke off
	byCall                 // the server refused a call for it, which waits
)

// lose gives a session up. A call that waits, and the end of a session that
// lasted, have the next one set up at once.
func (s *Server) lose(lost *session, how ending) {
	s.mu.Lock()
	if s.session == lost {
		s.session, s.outage, s.failedAt = nil, outageBy(errClosed, nil), time.Now()
		if s.trying == nil && !s.stopped && (how == byCall || time.Since(lost.born) >= steadyAfter) {
			s.trying = make(chan struct{})
		}
	}
	s.mu.Unlock()
	lost.retire()
}

// acquire finds the session for a call, and waits for one that is being set up.
// session.release has to follow. Without one it says why; both nil: ctx is over.
func (s *Server) acquire(ctx context.Context) (*session, *outage) {
	for waited := false; ; waited = true {
		s.mu.Lock()
		if s.session != nil && s.session.use() {
			defer s.mu.Unlock()
			return s.session, nil
		}
		trying, out := s.attempt(), s.outage
		s.mu.Unlock()
		if trying == nil || waited && out != nil {
			if out == nil {
				out = outageBy(errStopped, nil)
			}
			return nil, out
		}
		select {
		case <-trying:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// attempt is the one under way. A call has one made where a server might be back,
// which of a program only time tells. It is called with the lock held.
func (s *Server) attempt() chan struct{} {
	if s.trying == nil && s.spec.Program == nil && !s.stopped && time.Since(s.failedAt) >= firstPause {
		s.trying = make(chan struct{})
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	return s.trying
}

// noteChange has the list read again.
func (s *Server) noteChange() {
	select {
	case s.relist <- struct{}{}:
	default:
	}
}

// stop ends the server: at once, or behind its last call where that comes within
// patience.
func (s *Server) stop(patience time.Duration) {
	s.mu.Lock()
	s.stopped = true
	last := s.session
	s.session, s.outage = nil, outageBy(errStopped, nil)
	s.mu.Unlock()
	if last != nil {
		last.retire()
		last.wait(patience)
	}
	s.end()
	<-s.done
	s.aside.Wait()
	s.release()
}
