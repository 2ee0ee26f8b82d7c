package httpbackend

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"toolgate.dev/toolgate/server/backend"
)

const (
	bufferBytes         = 32 << 10
	responseHeaderBytes = 256 << 10
	// An HTTP/2 connection carries many calls: a dead one must not outlive many
	// attempts.
	pingAfter   = 15 * time.Second
	pingTimeout = 5 * time.Second
)

// Pool keeps the connections of all upstreams. Tools of one upstream share
// theirs, and a catalogue that is loaded again finds them as they were. It is
// safe for concurrent use.
type Pool struct {
	backend.Hooks

	agent string
	dial  backend.Dial // nil: a guarded dialer of each line
	tune  func(*http.Transport)

	mu    sync.Mutex
	lines map[lineKey]*line
}

// lineKey is what connections must have in common to be shared.
type lineKey struct {
	upstream string
	settings Transport
}

// PoolOption changes a Pool.
type PoolOption func(*Pool)

// WithVersion sets the version in the User-Agent, `toolgate/<version>`. Default:
// `toolgate` alone.
func WithVersion(version string) PoolOption {
	return func(p *Pool) { p.agent = "toolgate/" + version }
}

// WithDial replaces how connections are opened. Default: a net.Dialer that refuses
// what Transport.Allow does not permit, judged by the address that was resolved. Its
// context ends with the transport's ConnectTimeout.
func WithDial(dial backend.Dial) PoolOption {
	return func(p *Pool) { p.dial = dial }
}

// WithTransport lets tune change each http.Transport before its first use.
// DialContext is the pool's own.
func WithTransport(tune func(*http.Transport)) PoolOption {
	return func(p *Pool) { p.tune = tune }
}

// NewPool makes an empty pool. Close it when no call is in flight.
func NewPool(options ...PoolOption) *Pool {
	p := &Pool{
		agent: "toolgate", tune: func(*http.Transport) {}, lines: map[lineKey]*line{},
	}
	for _, option := range options {
		option(p)
	}
	return p
}

// Close closes idle connections. Calls in flight end undisturbed.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		line.current.Load().CloseIdleConnections()
	}
}

// Retain forgets the connections that none of these back ends uses, and no round
// tripper: those of upstreams that a catalogue no longer names. Calls in flight end undisturbed,
// and their connections close behind them.
func (p *Pool) Retain(used []*Backend) {
	kept := map[*line]bool{}
	for _, one := range used {
		kept[one.line] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.lines, func(_ lineKey, line *line) bool {
		if kept[line] || line.held.Load() > 0 {
			return false
		}
		line.current.Load().CloseIdleConnections()
		return true
	})
}

// Files lists the upstreams whose connections need files.
func (p *Pool) Files() (all []backend.Files) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, line := range p.lines {
		if len(key.settings.TLS.Files()) > 0 {
			all = append(all, backend.Files{Upstream: key.upstream, Expires: line.current.Load().identity.Expires, Stale: line.stale()})
		}
	}
	return all
}

// line returns the one of the upstream with these settings.
func (p *Pool) line(upstream string, settings Transport) *line {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := lineKey{upstream: upstream, settings: settings.complete()}
	found, known := p.lines[key]
	if !known {
		found = p.newLine(upstream, settings)
		p.lines[key] = found
	}
	return found
}
