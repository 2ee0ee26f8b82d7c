package grpcbackend

import (
	"net"
	"time"

	"toolgate.dev/toolgate/internal/egress"
)

const (
	defaultIdleTimeout    = 55 * time.Second // below the usual 60 s of servers and balancers
	defaultMaxAge         = 5 * time.Minute
	defaultConnectTimeout = 5 * time.Second
	defaultTLSTimeout     = 5 * time.Second

	tcpKeepAlive = 30 * time.Second
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
	TLS    TLS
	Proxy  Proxy
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

// TLS says whom to trust and who we are. Files are PEM, and read anew when they
// change; what can't be read leaves in force what was read before.
type TLS struct {
	// CAFile holds the only authorities that are trusted; empty: the system's.
	CAFile string
	// CertFile and KeyFile are shown to upstreams that ask for a client's
	// certificate. Both or neither.
	CertFile, KeyFile string
	// ServerName is what the upstream's certificate must be for; empty: the host of
	// the address.
	ServerName string
	// TLS13 refuses what is older than TLS 1.3; else 1.2 is the oldest.
	TLS13 bool
}

// complete puts the defaults in the place of zeros.
func (t Transport) complete() Transport {
	for value, otherwise := range map[*time.Duration]time.Duration{
		&t.IdleTimeout: defaultIdleTimeout, &t.MaxAge: defaultMaxAge,
		&t.ConnectTimeout: defaultConnectTimeout, &t.TLSTimeout: defaultTLSTimeout,
	} {
		if *value == 0 {
			*value = otherwise
		}
	}
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
