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

	"golang.org/x/net/http/httpproxy"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/certfile"
)

// line is the way to one upstream. It makes a new generation of connections where
// the former can't follow: its files have changed, or HTTP/2 would keep one
// connection for ever. Calls in flight end on the former. Safe for concurrent use.
type line struct {
	pool     *Pool
	settings Transport
	dial     Dial
	upstream string
	current  atomic.Pointer[generation]
	held     atomic.Int32 // round trippers that were not released

	mu      sync.Mutex       // held while current is replaced; guards the rest
	refused []certfile.Sight // files that could not be read, as they looked
}

// generation is a set of connections with the same identity.
type generation struct {
	*http.Transport

	line     *line
	identity *identity
}

// errRenewed is why a connection is not opened: there is a newer generation.
var errRenewed = errors.New("the certificates have changed")

func (p *Pool) newLine(upstream string, settings Transport) *line {
	l := &line{pool: p, settings: settings.complete(), dial: p.dial, upstream: upstream}
	if l.dial == nil {
		l.dial = l.guarded()
	}
	read, err := l.settings.TLS.read()
	if err != nil {
		l.refused = read.seen // a catalogue checks before; then a file went away just now
		p.reportStale(upstream, err)
	}
	l.current.Store(l.generation(read))
	return l
}

func (l *line) generation(read *identity) *generation {
	s := l.settings
	g := &generation{line: l, identity: read, Transport: &http.Transport{
		Proxy:                  l.proxy(),
		TLSClientConfig:        read.config(s.TLS),
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

func (l *line) proxy() func(*http.Request) (*url.URL, error) {
	switch l.settings.Proxy.Mode {
	case ProxyNone:
		return nil
	case ProxyURL:
		to, err := l.settings.Proxy.url()
		return func(*http.Request) (*url.URL, error) { return to, err }
	}
	fromEnvironment := httpproxy.FromEnvironment().ProxyFunc()
	return func(req *http.Request) (*url.URL, error) { return fromEnvironment(req.URL) }
}

// open opens a connection, unless the files have changed since this generation
// was made: then the request is to be sent with the next.
func (g *generation) open(ctx context.Context, network, address string) (net.Conn, error) {
	if g.identity.stale() && g.line.refresh(g) {
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
	if l.seenAlready() {
		return false
	}
	read, err := l.settings.TLS.read()
	if err != nil {
		l.refused = read.seen
		l.pool.reportStale(l.upstream, err)
		return false
	}
	l.refused = nil
	l.replace(former, read)
	return true
}

// seenAlready reports whether the files are the broken ones of the last try.
func (l *line) seenAlready() bool {
	for _, before := range l.refused {
		if before.Changed() {
			return false
		}
	}
	return len(l.refused) > 0
}

// stale reports whether the files could not be read.
func (l *line) stale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.refused) > 0
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
func (l *line) replace(former *generation, read *identity) {
	l.current.Store(l.generation(read))
	former.CloseIdleConnections()
}

// proxyError is a proxy's refusal to connect.
type proxyError struct{ status int }

func (e *proxyError) Error() string { return "the proxy answered " + http.StatusText(e.status) }

// kind tells a proxy that found nobody from one that lets nobody through, which is
// the operator's to mend.
func (e *proxyError) kind() interceptors.TransportFailure {
	if e.status >= http.StatusInternalServerError {
		return interceptors.FailureRefused
	}
	return interceptors.FailureRequest
}

func throughProxy(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return &proxyError{status: response.StatusCode}
	}
	return nil
}
