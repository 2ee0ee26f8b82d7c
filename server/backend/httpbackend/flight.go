package httpbackend

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// metered is a connection that counts what is written to it, and that can be
// closed for writing.
type metered struct {
	net.Conn
	written atomic.Int64
	barred  atomic.Bool
}

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
	cancel context.CancelCauseFunc

	wroteHeaders atomic.Bool
	handshaking  atomic.Bool // in TLS, of the connection that this request waits for

	// Written by the goroutine that sends, before and between its round trips.
	conn   *metered // nil: none yet, or one that nobody meters
	mark   int64    // what had been written to conn before
	replay bool     // a second sending was prevented
}

func (f *flight) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:           f.gotConn,
		WroteHeaders:      func() { f.wroteHeaders.Store(true) },
		TLSHandshakeStart: func() { f.handshaking.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				f.handshaking.Store(false)
			}
		},
	}
}

// gotConn is called again where net/http wants to send the request a second
// time, since a kept connection died under it. If bytes were written the upstream
// may have seen the request: then sending it again is an attempt, which is
// nobody's to make but the retry room's.
func (f *flight) gotConn(info httptrace.GotConnInfo) {
	conn, multiplexed := unwrap(info.Conn)
	if !multiplexed && f.sent() {
		f.replay = true
		if conn != nil {
			conn.barred.Store(true)
		}
		f.cancel(errReplay)
		return
	}
	f.handshaking.Store(false)
	f.conn = conn
	if conn != nil {
		f.mark = conn.written.Load()
	}
}

// unwrap finds the metered connection under TLS; multiplexed says that it is
// shared by requests (HTTP/2), which vouches for what it sends again.
func unwrap(conn net.Conn) (under *metered, multiplexed bool) {
	if secure, ok := conn.(*tls.Conn); ok {
		multiplexed = secure.ConnectionState().NegotiatedProtocol == "h2"
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
