package grpcbackend

import (
	"maps"
	"slices"
	"sync"

	"toolgate.dev/toolgate/server/backend"
)

// Pool keeps the connections of all upstreams. Tools of one upstream share theirs,
// and a catalogue that is loaded again finds it, and the description of its
// services, as they were. It is safe for concurrent use.
type Pool struct {
	backend.Hooks

	agent string
	dial  backend.Dial // nil: a guarded dialer of each server

	mu      sync.Mutex
	servers map[serverKey]*Server
}

// serverKey is what connections must have in common to be shared.
type serverKey struct {
	upstream string
	settings Transport
}

// PoolOption changes a Pool.
type PoolOption func(*Pool)

// WithVersion sets the version in the user agent, `toolgate/<version>`, before that
// of gRPC. Default: `toolgate` alone.
func WithVersion(version string) PoolOption {
	return func(p *Pool) { p.agent = "toolgate/" + version }
}

// WithDial replaces how connections are opened. Default: a net.Dialer that refuses
// what Transport.Allow does not permit. Its context ends with the ConnectTimeout.
func WithDial(dial backend.Dial) PoolOption {
	return func(p *Pool) { p.dial = dial }
}

// NewPool makes an empty pool. Close it when no call is in flight.
func NewPool(options ...PoolOption) *Pool {
	p := &Pool{agent: "toolgate", servers: map[serverKey]*Server{}}
	for _, option := range options {
		option(p)
	}
	return p
}

// Server returns the way to an upstream. Whoever asks with the same settings gets
// the same.
func (p *Pool) Server(upstream string, settings Transport) *Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := serverKey{upstream: upstream, settings: settings.complete()}
	found, known := p.servers[key]
	if !known {
		found = newServer(p, upstream, settings)
		p.servers[key] = found
	}
	return found
}

// Retain forgets all servers but these. Calls in flight end undisturbed.
func (p *Pool) Retain(used []*Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.servers, func(_ serverKey, server *Server) bool {
		if slices.Contains(used, server) {
			return false
		}
		server.close()
		return true
	})
}

// Close closes all connections that carry no call.
func (p *Pool) Close() { p.Retain(nil) }

// Files lists the upstreams whose connections need files, once they were needed.
func (p *Pool) Files() (all []backend.Files) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, server := range p.servers {
		server.identityMu.Lock()
		if i := server.identity; i != nil && i.HasFiles() {
			all = append(all, backend.Files{Upstream: key.upstream, Expires: i.Expires, Stale: server.filesStale})
		}
		server.identityMu.Unlock()
	}
	return all
}
