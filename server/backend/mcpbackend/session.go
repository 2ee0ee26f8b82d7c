package mcpbackend

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire carries our own questions, beside the SDK's. An error is a *lost.
type wire interface {
	ask(ctx context.Context, q *question) (*answer, error)
}

// session is one that was agreed upon with a server.
type session struct {
	asking
	wire

	born  time.Time
	lists bool          // the server has tools at all
	ended chan struct{} // closed when no call may begin in it
	close func()        // ends it for good; see shut

	closing sync.Once
	closed  chan struct{}
	aside   func(func()) // runs what no call waits for

	mu    sync.Mutex // guards the rest
	users int
	over  bool
}

// newSession makes one of what the SDK agreed upon.
func (s *Server) newSession(agreed *mcp.ClientSession, over wire, followed *followers, closing func()) *session {
	made := &session{aside: s.aside.Go, wire: over, born: time.Now(), ended: make(chan struct{}), closed: make(chan struct{}), close: closing}
	made.about, made.followers = s.about(), followed
	if result := agreed.InitializeResult(); result != nil {
		made.version = result.ProtocolVersion
		made.lists = result.Capabilities == nil || result.Capabilities.Tools != nil
	}
	return made
}

// use begins a call; false: the session is over. release has to follow.
func (s *session) use() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.users++
	return true
}

func (s *session) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

func (s *session) release() {
	s.mu.Lock()
	s.users--
	last := s.over && s.users == 0
	s.mu.Unlock()
	if last {
		s.aside(s.shut)
	}
}

// retire lets no further call begin. It is closed behind its last call: some
// servers end the calls of a session with it.
func (s *session) retire() {
	s.mu.Lock()
	first := !s.over
	s.over = true
	unused := s.users == 0
	s.mu.Unlock()
	if !first {
		return
	}
	close(s.ended)
	if unused {
		s.shut()
	}
}

// wait waits until its last call has ended, and closes it then in any case.
func (s *session) wait(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.closed:
	case <-timer.C:
		s.shut()
	}
}

func (s *session) shut() {
	s.closing.Do(func() {
		s.close()
		close(s.closed)
	})
}

// handed is a transport whose connection is there already.
type handed struct{ mcp.Connection }

// Connect implements mcp.Transport.
func (h handed) Connect(context.Context) (mcp.Connection, error) { return h.Connection, nil }
