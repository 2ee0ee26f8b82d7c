package grpcbackend

import (
	"cmp"
	"net"
	"time"

	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/server/backend"
)

const (
	defaultIdleTimeout    = 55 * time.Second // below the usual 60 s of servers and balancers
	defaultMaxAge         = 5 * time.Minute
	defaultConnectTimeout = 5 * time.Second
	defaultTLSTimeout     = 5 * time.Second

	// Servers hang up on who pings more often than every 5 min without data.
	pingAfter   = 5*time.Minute + 10*time.Second
	pingTimeout = 20 * time.Second

	// Servers are advised to let a connection carry no fewer calls than this (RFC
	// 9113 section 6.5.2), and many let it carry no more.
	streamsEach    = 100
	maxConnections = 20

	bufferBytes      = 32 << 10
	maxHeaderBytes   = 1 << 20
	maxMessageBytes  = 64 << 20
	defaultMessages  = 100
	describeTimeout  = 5 * time.Second
	describeAgain    = time.Second // doubling to the next
	describeAgainMax = 30 * time.Second
	renewAgain       = 10 * time.Second
)

// Transport says how the connection to an upstream is made and kept; the zero value
// of each field but Address is its default. Tools of one upstream that say the same
// share their connection. It holds a password: never print it.
type Transport struct {
	// Address is host:port. Required.
	Address string
	// TLS is spoken where Secure is set.
	Secure bool
	TLS    backend.TLS
	Proxy  backend.Proxy // by a tunnel (CONNECT, RFC 9110 section 9.3.6) or SOCKS 5
	// IdleTimeout is how long an unused connection is kept; 0: 55 s.
	IdleTimeout time.Duration
	// MaxAge is how long a connection is used; 0: 5 min. A changed address or
	// certificate is in use after that.
	MaxAge time.Duration
	// ConnectTimeout is for a TCP connection, DNS included; 0: 5 s.
	ConnectTimeout time.Duration
	// TLSTimeout is for a handshake; 0: 5 s.
	TLSTimeout time.Duration
	// Allow is what may be connected to beside public addresses. It holds for the
	// proxy, where there is one: what lies behind it the proxy resolves.
	Allow egress.List
}

// complete puts the defaults in the place of zeros.
func (t Transport) complete() Transport {
	t.IdleTimeout = cmp.Or(t.IdleTimeout, defaultIdleTimeout)
	t.MaxAge = cmp.Or(t.MaxAge, defaultMaxAge)
	t.ConnectTimeout = cmp.Or(t.ConnectTimeout, defaultConnectTimeout)
	t.TLSTimeout = cmp.Or(t.TLSTimeout, defaultTLSTimeout)
	return t
}

// Host is the address without its port.
func (t Transport) Host() string {
	host, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return t.Address
	}
	return host
}
