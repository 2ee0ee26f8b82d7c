package grpcbackend

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// errGone is why gRPC gets no second connection from a generation.
var errGone = errors.New("the connection is gone")

// dialer opens the one connection of a generation, and keeps what gRPC would turn
// into text: why it failed.
type dialer struct {
	server *Server
	tries  atomic.Int32
	conn   *metered // set before gRPC hands the connection out

	mu    sync.Mutex
	cause error // of the failure to connect; guarded by mu
	tls   bool  // it came in the handshake; guarded by mu
}

// dial is gRPC's to call.
func (d *dialer) dial(ctx context.Context, address string) (net.Conn, error) {
	if d.tries.Add(1) > 1 {
		return nil, errGone
	}
	ctx, cancel := context.WithTimeout(ctx, d.server.settings.ConnectTimeout)
	defer cancel()
	conn, err := d.server.reach(ctx, address)
	if err != nil {
		d.note(err, false)
		return nil, err
	}
	d.conn = &metered{Conn: conn, dialer: d}
	return d.conn, nil
}

// note keeps the first cause: all later ones come of it.
func (d *dialer) note(err error, inTLS bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cause == nil && !errors.Is(err, net.ErrClosed) { // that was us
		d.cause, d.tls = err, inTLS
	}
}

func (d *dialer) failure() (inTLS bool, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tls, d.cause
}

// metered counts what is read.
type metered struct {
	net.Conn

	dialer *dialer
	reads  atomic.Int64
}

// Read implements net.Conn.
func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if n > 0 {
		m.reads.Add(1)
	}
	if err != nil {
		m.dialer.note(err, false)
	}
	return n, err
}

// handshaker speaks TLS with the identity that is in force when it does.
type handshaker struct {
	credentials.TransportCredentials

	dialer *dialer
}

func (d *dialer) credentials() credentials.TransportCredentials {
	if !d.server.settings.Secure {
		return insecure.NewCredentials()
	}
	return &handshaker{TransportCredentials: credentials.NewTLS(d.server.identify()), dialer: d}
}

// ClientHandshake implements credentials.TransportCredentials.
func (h *handshaker) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, h.dialer.server.settings.TLSTimeout)
	defer cancel()
	if own := h.dialer.server.settings.TLS.ServerName; own != "" {
		authority = own // gRPC takes the name from there alone
	}
	secure, info, err := h.TransportCredentials.ClientHandshake(ctx, authority, conn)
	if err != nil {
		h.dialer.note(err, true)
	}
	return secure, info, err
}

// Clone implements credentials.TransportCredentials.
func (h *handshaker) Clone() credentials.TransportCredentials {
	return &handshaker{TransportCredentials: h.TransportCredentials.Clone(), dialer: h.dialer}
}

// Info implements credentials.TransportCredentials. The name of the certificate is
// no authority: that is the address's.
func (h *handshaker) Info() credentials.ProtocolInfo {
	info := h.TransportCredentials.Info()
	info.ServerName = "" //nolint:staticcheck // it would become the authority
	return info
}
