package grpcbackend

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// Server is the way to one upstream: its connections, and the description of its
// services. It is made by Pool.Server and safe for concurrent use.
type Server struct {
	pool     *Pool
	upstream string
	settings Transport
	dial     backend.Dial
	closed   chan struct{}

	mu      sync.Mutex    // guards the connections
	live    []*generation // those that take calls, the oldest first
	opening *opening      // nil: none is being made
	after   time.Time     // when one may be renewed

	identityMu sync.Mutex        // guards the files of certificates
	identity   *backend.Identity // nil: not read yet
	filesStale bool

	described atomic.Pointer[methods.Services]
	followMu  sync.Mutex // guards what the description is asked with
	asking    Asking
	following bool
}

// maxOpenings is how often a call waits for a connection that is gone, or full, again
// before it could be used.
const maxOpenings = 3 + maxConnections

// opening is a connection that is being made, and whoever waits for it.
type opening struct {
	done chan struct{} // closed when made or failed is set
	made *generation
	fail *failure
}

func newServer(p *Pool, upstream string, settings Transport) *Server {
	s := &Server{pool: p, upstream: upstream, settings: settings.complete(), dial: p.dial, closed: make(chan struct{})}
	if s.dial == nil {
		s.dial = backend.Guarded(settings.Allow, func(problem string) { p.Report(upstream, problem) })
	}
	return s
}

// take returns a connection for a call, which must release it. There is one, until
// it carries as many calls as servers let it (a call more would wait for one of them
// to end, so that a tool that hangs would hold up its neighbours): then another.
func (s *Server) take(ctx context.Context) (*generation, *failure) {
	for range maxOpenings {
		s.mu.Lock()
		if g := s.roomy(); g != nil {
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
			return nil, &failure{kind: interceptors.EndedAs(ctx), cause: ctx.Err()}
		}
		if opened.fail != nil {
			if g := s.crowded(); g != nil {
				return g, nil
			}
			return nil, opened.fail
		}
	}
	return nil, &failure{kind: interceptors.FailureReset, cause: errGone}
}

// roomy is the oldest connection that takes another call, and, where there may be
// no further ones, that with the fewest; nil: there is none. mu is held.
func (s *Server) roomy() *generation {
	s.prune()
	for _, g := range s.live {
		if g.users < streamsEach {
			return g
		}
	}
	if len(s.live) < maxConnections {
		return nil
	}
	return s.idlest()
}

// crowded takes the connection with the fewest calls, full or not.
func (s *Server) crowded() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prune()
	g := s.idlest()
	if g != nil {
		g.users++
	}
	return g
}

// idlest is the connection with the fewest calls; nil: there is none. mu is held.
func (s *Server) idlest() (found *generation) {
	for _, g := range s.live {
		if found == nil || g.users < found.users {
			found = g
		}
	}
	return found
}

// prune forgets the connections that are gone. mu is held.
func (s *Server) prune() {
	s.retireWhere(func(g *generation) bool { return !g.alive() })
}

// retireWhere retires connections. mu is held.
func (s *Server) retireWhere(done func(*generation) bool) {
	s.live = slices.DeleteFunc(s.live, func(g *generation) bool {
		if !done(g) {
			return false
		}
		s.retire(g)
		return true
	})
}

// due reports that a connection has been used for long enough. A renewal that fails
// is tried again a little later, and the old one serves on.
func (s *Server) due(g *generation) bool {
	return s.old(g) && !time.Now().Before(s.after)
}

func (s *Server) old(g *generation) bool { return time.Since(g.born) >= s.settings.MaxAge }

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
			s.retireWhere(s.old)
			s.live = append(s.live, o.made)
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
	if renew || s.isClosed() && g.users == 0 {
		s.retireWhere(func(other *generation) bool { return other == g })
	}
	if g.retired && g.users == 0 {
		_ = g.Close() // nobody uses it
	}
}

// retire has a connection close behind its last call. mu is held.
func (s *Server) retire(g *generation) {
	if g.retired {
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
	s.retireWhere(func(*generation) bool { return true })
}
