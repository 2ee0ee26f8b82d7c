package httpbackend

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/server/backend"
)

// line is the way to one upstream. It makes a new generation of connections where
// the former can't follow: its files have changed, or HTTP/2 would keep one
// connection for ever. Calls in flight end on the former. Safe for concurrent use.
type line struct {
	pool     *Pool
	settings Transport
	dial     backend.Dial
	upstream string
	current  atomic.Pointer[generation]
	held     atomic.Int32 // round trippers that were not released

	mu      sync.Mutex        // held while current is replaced; guards the rest
	refused *backend.Identity // files that could not be read, as they looked; nil: all could
}

// generation is a set of connections with the same identity.
type generation struct {
	*http.Transport

	line     *line
	identity *backend.Identity
}

// errRenewed is why a connection is not opened: there is a newer generation.
var errRenewed = errors.New("the certificates have changed")

func (p *Pool) newLine(upstream string, settings Transport) *line {
	l := &line{pool: p, settings: settings.complete(), dial: p.dial, upstream: upstream}
	if l.dial == nil {
		l.dial = backend.Guarded(l.settings.Allow, func(problem string) { p.Report(upstream, problem) })
	}
	read, err := l.settings.TLS.Read()
	if err != nil {
		l.refused = read // a catalogue checks before; then a file went away just now
		p.ReportStale(upstream, err)
	}
	l.current.Store(l.generation(read))
	return l
}

func (l *line) generation(read *backend.Identity) *generation {
	s := l.settings
	g := &generation{line: l, identity: read, Transport: &http.Transport{
		Proxy:                  proxyOf(s),
		TLSClientConfig:        read.Config.Clone(),
		MaxIdleConnsPerHost:    min(s.MaxConnections, keptConnections),
		MaxConnsPerHost:        s.MaxConnections,
		IdleConnTimeout:        s.IdleTimeout,
		TLSHandshakeTimeout:    s.TLSTimeout,
		ReadBufferSize:         bufferBytes,
		WriteBufferSize:        bufferBytes,
		MaxResponseHeaderBytes: responseHeaderBytes,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		OnProxyConnectResponse: throughProxy,
	}}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(s.HTTP2 != HTTP2Always)
	protocols.SetHTTP2(s.HTTP2 != HTTP2Never)
	protocols.SetUnencryptedHTTP2(s.HTTP2 == HTTP2Always)
	g.Protocols = protocols
	l.pool.tune(g.Transport)
	g.DialContext = g.open
	return g
}

func proxyOf(s Transport) func(*http.Request) (*url.URL, error) {
	choose := s.Proxy.Func()
	return func(req *http.Request) (*url.URL, error) { return choose(req.URL) }
}

// open opens a connection, unless the files have changed since this generation
// was made: then the request is to be sent with the next.
func (g *generation) open(ctx context.Context, network, address string) (net.Conn, error) {
	if g.identity.Stale() && g.line.refresh(g) {
		return nil, errRenewed
	}
	ctx, cancel := context.WithTimeout(ctx, g.line.settings.ConnectTimeout)
	defer cancel()
	conn, err := g.line.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &metered{Conn: conn, born: time.Now()}, nil
}

// refresh makes a generation with the files as they are now. False: they can't be
// read, and the former serves on.
func (l *line) refresh(former *generation) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current.Load() != former {
		return true
	}
	if l.refused != nil && !l.refused.Stale() {
		return false // they are the broken ones of the last try
	}
	read, err := l.settings.TLS.Read()
	if err != nil {
		l.refused = read
		l.pool.ReportStale(l.upstream, err)
		return false
	}
	l.refused = nil
	l.replace(former, read)
	return true
}

// stale reports whether the files could not be read.
func (l *line) stale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused != nil
}

// renew makes a generation with the same identity.
func (l *line) renew(former *generation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current.Load() == former {
		l.replace(former, former.identity)
	}
}

// replace is called with the lock held.
func (l *line) replace(former *generation, read *backend.Identity) {
	l.current.Store(l.generation(read))
	former.CloseIdleConnections()
}

func throughProxy(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return &backend.ProxyError{Status: response.StatusCode}
	}
	return nil
}
