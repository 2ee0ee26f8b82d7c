package httpbackend

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/server/backend"
)

// metered is a connection that counts what is written to it, and that can be
// closed for writing.
type metered struct {
	net.Conn

	born    time.Time
	written atomic.Int64
	barred  atomic.Bool
	users   atomic.Int32 // requests that it carries; far below zero: it is retired
}

const retired = -1 << 20

// take adds a request and reports whether there is room for it: a connection that
// is retired carries none, and lets no byte of it pass.
func (m *metered) take() bool {
	if m.users.Add(1) < 0 {
		m.barred.Store(true)
		return false
	}
	return true
}

// release ends a request. A connection that is too old and carries no other is
// closed then, and at no other time.
func (m *metered) release(maxAge time.Duration) {
	if m.users.Add(-1) == 0 && m.old(maxAge) && m.users.CompareAndSwap(0, retired) {
		m.barred.Store(true)
		_ = m.Close() // nobody uses it
	}
}

func (m *metered) old(maxAge time.Duration) bool { return time.Since(m.born) >= maxAge }

var errReplay = errors.New("the connection closed before an answer came")

// Write counts before it writes, so that a write that is under way counts.
func (m *metered) Write(b []byte) (int, error) {
	if m.barred.Load() {
		return 0, errReplay
	}
	m.written.Add(int64(len(b)))
	n, err := m.Conn.Write(b)
	if n < len(b) {
		m.written.Add(int64(n - len(b)))
	}
	return n, err
}

// flight watches one request on its way out.
type flight struct {
	line   *line
	cancel context.CancelCauseFunc // of a request without a body; nil: it has one
	hooks  httptrace.ClientTrace

	wroteHeaders atomic.Bool
	handshaking  atomic.Bool // in TLS, of the connection that this request waits for

	// Written by the goroutine that sends, before and between its round trips.
	generation  *generation
	conn        *metered // nil: none yet, or one that nobody meters
	mark        int64    // what had been written to conn before
	multiplexed bool     // conn is shared by requests (HTTP/2)
	late        bool     // conn had retired when the request came to it
	replay      bool     // a second sending was prevented
}

// watch returns the context to send the request in. land must be called once.
func (f *flight) watch(ctx context.Context, scheme string, hasBody bool) context.Context {
	f.hooks.GotConn = f.gotConn
	if scheme == "https" || f.line.settings.Proxy.Mode == backend.ProxyURL {
		f.hooks.WroteHeaders = func() { f.wroteHeaders.Store(true) }
		f.hooks.TLSHandshakeStart = func() { f.handshaking.Store(true) }
		f.hooks.TLSHandshakeDone = func(_ tls.ConnectionState, err error) {
			if err == nil {
				f.handshaking.Store(false)
			}
		}
	}
	if !hasBody { // where there is one, it is not handed out again: see body
		ctx, f.cancel = context.WithCancelCause(ctx)
	}
	return httptrace.WithClientTrace(ctx, &f.hooks)
}

// renewals is how often a request looks for another generation of connections;
// only certificates that change all the time, or connections that are used for no
// time at all, get there.
const renewals = 3

func (f *flight) roundTrip(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		f.generation = f.line.current.Load()
		resp, err := f.generation.RoundTrip(req)
		if err == nil || try > renewals || !f.another(req.Context(), err) {
			return resp, err
		}
		if req.GetBody != nil { // it was closed, unread
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// another reports whether the request is to be sent on a younger connection, since
// none of it left. HTTP/1.1 takes another by itself, HTTP/2 fails with the
// connection unless it learns in time that it is closed.
func (f *flight) another(ctx context.Context, err error) bool {
	if errors.Is(err, errRenewed) {
		return true
	}
	if ctx.Err() != nil || !f.late || f.sent() {
		return false
	}
	f.line.renew(f.generation)
	return true
}

// land ends the watch, when the answer has been read.
func (f *flight) land() {
	if f.cancel != nil {
		f.cancel(nil)
	}
	if f.conn == nil {
		return
	}
	maxAge := f.line.settings.MaxAge
	if f.multiplexed && f.conn.old(maxAge) {
		f.line.renew(f.generation) // it may never be without a request
	}
	f.conn.release(maxAge)
}

// gotConn is called again where net/http wants to send the request a second
// time, since a kept connection died under it. If bytes were written the upstream
// may have seen the request: then sending it again is an attempt, which is
// nobody's to make but the retry room's.
func (f *flight) gotConn(info httptrace.GotConnInfo) {
	conn, multiplexed := unwrap(info.Conn)
	multiplexed = multiplexed || f.line.settings.HTTP2 == HTTP2Always
	if !multiplexed && f.sent() {
		f.prevent()
		if conn != nil {
			conn.barred.Store(true)
		}
		if f.cancel != nil {
			f.cancel(errReplay)
		}
		return
	}
	f.handshaking.Store(false)
	if f.conn != nil {
		f.conn.release(f.line.settings.MaxAge)
	}
	f.conn, f.multiplexed, f.late = conn, multiplexed, false
	if conn != nil {
		f.late = !conn.take()
		f.mark = conn.written.Load()
	}
}

// prevent notes that the request was not sent a second time.
func (f *flight) prevent() { f.replay = true }

// body hands the body out, and once more only where that is no second sending.
func (f *flight) body(text []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		if !f.multiplexed && f.sent() {
			f.prevent()
			return nil, errReplay
		}
		return io.NopCloser(bytes.NewReader(text)), nil // of a kind that leaves in one write with its head
	}
}

// unwrap finds the metered connection under TLS, of which there are two layers
// where the proxy has its own; multiplexed says that it is shared by requests
// (HTTP/2), which vouches for what it sends again.
func unwrap(conn net.Conn) (under *metered, multiplexed bool) {
	for {
		secure, ok := conn.(*tls.Conn)
		if !ok {
			break
		}
		multiplexed = multiplexed || secure.ConnectionState().NegotiatedProtocol == "h2"
		conn = secure.NetConn()
	}
	under, _ = conn.(*metered)
	return under, multiplexed
}

// sent reports whether bytes of the request may have left. On a shared
// connection another request's bytes count too: then it is said too often, which
// costs a question, never too seldom, which could cost a second execution.
func (f *flight) sent() bool {
	if f.conn == nil {
		return f.wroteHeaders.Load()
	}
	return f.conn.written.Load() > f.mark
}
