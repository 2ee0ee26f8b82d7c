package mcpbackend

import (
	"crypto/sha256"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// retirePatience is how long a server that no tool uses any more is kept for the
// calls that still run.
const retirePatience = time.Minute

// Pool keeps the servers of all upstreams, so that a catalogue that is loaded again
// finds their sessions as they were. It is safe for concurrent use.
type Pool struct {
	version string
	log     *slog.Logger
	changed atomic.Pointer[func()]

	mu       sync.Mutex // guards the rest
	servers  map[[sha256.Size]byte]*Server
	closed   bool
	retiring sync.WaitGroup
}

// PoolOption changes a Pool.
type PoolOption func(*Pool)

// WithVersion sets the version that servers are told. Default: none.
func WithVersion(version string) PoolOption {
	return func(p *Pool) { p.version = version }
}

// WithLogger sets where it is logged what servers say and why they can't be
// reached. Default: nowhere.
func WithLogger(log *slog.Logger) PoolOption {
	return func(p *Pool) { p.log = log }
}

// NewPool makes an empty pool. Close it when the gateway has stopped.
func NewPool(options ...PoolOption) *Pool {
	p := &Pool{log: slog.New(slog.DiscardHandler), servers: map[[sha256.Size]byte]*Server{}}
	for _, option := range options {
		option(p)
	}
	return p
}

// SetLogger sets the logger of servers that are started from now on.
func (p *Pool) SetLogger(log *slog.Logger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = log
}

// OnChanged has hook called whenever a server lists other tools than were taken
// from it last, or any where none could be had. It must be safe for concurrent use
// and not block. One set later replaces one set before.
func (p *Pool) OnChanged(hook func()) { p.changed.Store(&hook) }

func (p *Pool) tellChange() {
	if hook := p.changed.Load(); hook != nil {
		(*hook)()
	}
}

// Server returns the one of that spec. A new one is started, and does not wait for
// its session. Of a pool that is closed it can't be reached.
func (p *Pool) Server(spec Spec) *Server {
	key := spec.key()
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, known := p.servers[key]; known {
		return found
	}
	made := start(spec, p.version, p.log, p.tellChange)
	if p.closed {
		made.stop(0)
		return made
	}
	p.servers[key] = made
	return made
}

// Retain ends all servers but these: a program is stopped, a session closed. That
// waits for calls that run, for a minute at most; later ones find nobody.
func (p *Pool) Retain(used []*Server) {
	kept := map[*Server]bool{}
	for _, server := range used {
		kept[server] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.servers, func(_ [sha256.Size]byte, server *Server) bool {
		if kept[server] {
			return false
		}
		p.retiring.Go(func() { server.stop(retirePatience) })
		return true
	})
}

// Close ends all servers and waits for that. Calls that run get no answer.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	all := p.servers
	p.servers = map[[sha256.Size]byte]*Server{}
	p.mu.Unlock()
	var ending sync.WaitGroup
	for _, server := range all {
		ending.Go(func() { server.stop(0) })
	}
	ending.Wait()
	p.retiring.Wait()
}
