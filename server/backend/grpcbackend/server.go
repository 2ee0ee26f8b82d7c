package grpcbackend

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// Server is the way to one upstream: its connection, and the description of its
// services. It is made by Pool.Server and safe for concurrent use.
type Server struct {
	pool     *Pool
	upstream string
	settings Transport
	dial     Dial
	closed   chan struct{}

	mu      sync.Mutex  // guards the connection
	current *generation // nil: none yet
	opening *opening    // nil: none is being made
	after   time.Time   // when the current one may be renewed

	identityMu sync.Mutex // guards the files of certificates
	identity   *identity  // nil: not read yet
	filesStale bool

	described atomic.Pointer[methods.Services]
	followMu  sync.Mutex // guards what the description is asked with
	asking    Asking
	following bool
}

// maxOpenings is how often a call waits for a connection that is gone again before it
// could be used.
const maxOpenings = 3

// opening is a connection that is being made, and whoever waits for it.
type opening struct {
	done chan struct{} // closed when made or failed is set
	made *generation
	fail *failure
}

func newServer(p *Pool, upstream string, settings Transport) *Server {
	s := &Server{pool: p, upstream: upstream, settings: settings.complete(), dial: p.dial, closed: make(chan struct{})}
	if s.dial == nil {
		s.dial = s.guarded()
	}
	return s
}

// take returns a connection for a call, which must release it.
func (s *Server) take(ctx context.Context) (*generation, *failure) {
	for range maxOpenings {
		s.mu.Lock()
		if g := s.current; g != nil && g.alive() {
			g.users++
			if s.due(g) {
				s.open()
			}
			s.mu.Unlock()
			return g, nil
		}
		opened := s.open()
		s.mu.Unlock()
		select {
		case <-opened.done:
		case <-ctx.Done():
			return nil, &failure{kind: doneKind(ctx), cause: ctx.Err()}
		}
		if opened.fail != nil {
			return nil, opened.fail
		}
	}
	return nil, &failure{kind: interceptors.FailureReset, cause: errGone}
}

// due reports that a connection has been used for long enough. A renewal that fails
// is tried again a little later, and the old one serves on.
func (s *Server) due(g *generation) bool {
	now := time.Now()
	return now.Sub(g.born) >= s.settings.MaxAge && !now.Before(s.after)
}

// open makes a connection, unless somebody does already. mu is held.
func (s *Server) open() *opening {
	if s.opening != nil {
		return s.opening
	}
	o := &opening{done: make(chan struct{})}
	s.opening, s.after = o, time.Now().Add(renewAgain)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.settings.ConnectTimeout+s.settings.TLSTimeout)
		defer cancel()
		o.made, o.fail = s.connect(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening = nil
		if o.made != nil {
			s.retire(s.current)
			s.current = o.made
		}
		close(o.done)
	}()
	return o
}

// release ends a call. renew has the next one find another connection.
func (s *Server) release(g *generation, renew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.users--
	if s.current == g && (renew || s.isClosed() && g.users == 0) {
		s.current = nil
		s.retire(g)
	}
	if g.retired && g.users == 0 {
		_ = g.Close() // nobody uses it
	}
}

// retire has a connection close behind its last call. mu is held.
func (s *Server) retire(g *generation) {
	if g == nil || g.retired {
		return
	}
	g.retired = true
	if g.users == 0 {
		_ = g.Close() // nobody uses it
	}
}

func (s *Server) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// close ends what the server does by itself. Calls in flight end undisturbed.
func (s *Server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return
	}
	close(s.closed)
	s.retire(s.current)
	s.current = nil
}
