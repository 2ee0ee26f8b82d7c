package httpbackend

import (
	"context"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	connsPerHost        = 512
	bufferBytes         = 32 << 10
	idleTimeout         = 55 * time.Second // below the usual 60 s of servers and balancers
	connectTimeout      = 5 * time.Second
	handshakeTimeout    = 5 * time.Second
	keepAlive           = 30 * time.Second
	responseHeaderBytes = 256 << 10
)

// Dial opens a connection; see net.Dialer.DialContext.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Pool keeps the connections of all upstreams. Tools of one upstream share
// theirs, and a catalogue that is loaded again finds them as they were. It is
// safe for concurrent use.
type Pool struct {
	agent string
	dial  Dial
	tune  func(*http.Transport)

	mu         sync.Mutex
	transports map[string]*transport // by upstream
}

// PoolOption changes a Pool.
type PoolOption func(*Pool)

// WithVersion sets the version in the User-Agent, `toolgate/<version>`. Default:
// `toolgate` alone.
func WithVersion(version string) PoolOption {
	return func(p *Pool) { p.agent = "toolgate/" + version }
}

// WithDial replaces how connections are opened. Default: a net.Dialer with a
// timeout of 5 s.
func WithDial(dial Dial) PoolOption {
	return func(p *Pool) { p.dial = dial }
}

// WithTransport lets tune change each transport before its first use, for
// example its TLS settings. DialContext is the pool's own.
func WithTransport(tune func(*http.Transport)) PoolOption {
	return func(p *Pool) { p.tune = tune }
}

// NewPool makes an empty pool. Close it when no call is in flight.
func NewPool(options ...PoolOption) *Pool {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: keepAlive}
	p := &Pool{
		agent: "toolgate", dial: dialer.DialContext, tune: func(*http.Transport) {},
		transports: map[string]*transport{},
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
	for _, transport := range p.transports {
		transport.CloseIdleConnections()
	}
}

// Retain forgets the connections that none of these back ends uses: those of
// upstreams that a catalogue no longer names. Calls in flight end undisturbed,
// and their connections close behind them.
func (p *Pool) Retain(used []*Backend) {
	kept := map[*transport]bool{}
	for _, backend := range used {
		kept[backend.transport] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.transports, func(_ string, transport *transport) bool {
		if kept[transport] {
			return false
		}
		transport.CloseIdleConnections()
		return true
	})
}

// transport returns the one of the upstream.
func (p *Pool) transport(upstream string) *transport {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known := p.transports[upstream]
	if !known {
		t = renewing(p.newTransport())
		p.transports[upstream] = t
	}
	return t
}

func (p *Pool) newTransport() *http.Transport {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    connsPerHost,
		MaxConnsPerHost:        connsPerHost,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    handshakeTimeout,
		ReadBufferSize:         bufferBytes,
		WriteBufferSize:        bufferBytes,
		MaxResponseHeaderBytes: responseHeaderBytes,
	}
	p.tune(transport)
	transport.DialContext = p.open
	return transport
}

func (p *Pool) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &metered{Conn: conn}, nil
}
