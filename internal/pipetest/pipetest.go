// Package pipetest connects HTTP clients and servers in memory, in tests.
package pipetest

import (
	"context"
	"net"
	"sync"
)

// Listener is a listener in memory for HTTP servers in a synctest bubble: its
// connections are those of net.Pipe, so a deadline that lies in the past takes
// effect without a timer. That is why it is not bufconn: an expired timer of a
// bubble runs on the goroutine that makes it, and two of them at once are more
// than the race detector's runtime survives (Go 1.26). net/http's server sets
// such a deadline after every request. It is safe for concurrent use.
type Listener struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    sync.Once
}

// Listen makes a listener that nobody serves yet.
func Listen() *Listener {
	return &Listener{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

// DialContext makes a connection and waits until the server has accepted it.
// It fails with net.ErrClosed when the listener is closed.
func (p *Listener) DialContext(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: ctx.Err()}
	}
}

// Accept implements net.Listener.
func (p *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "accept", Net: "pipe", Err: net.ErrClosed}
	}
}

// Close implements net.Listener. Connections that were accepted stay open.
func (p *Listener) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (*Listener) Addr() net.Addr { return pipeAddress{} }

type pipeAddress struct{}

func (pipeAddress) Network() string { return "pipe" }
func (pipeAddress) String() string  { return "pipe" }
