package httpbackend

import (
	"net/url"
	"time"

	"toolgate.dev/toolgate/internal/certfile"
	"toolgate.dev/toolgate/internal/egress"
)

// The default numbers of a transport.
const (
	defaultConnections    = 2048 // twice what one tool may have in flight: it starves no other
	keptConnections       = 512
	defaultIdleTimeout    = 55 * time.Second // below the usual 60 s of servers and balancers
	defaultMaxAge         = 5 * time.Minute
	defaultConnectTimeout = 5 * time.Second
	defaultTLSTimeout     = 5 * time.Second
)

// Transport says how connections to an upstream are made and kept; the zero value
// of each field is its default. Tools of one upstream that say the same share
// their connections. It holds a password: never print it.
type Transport struct {
	TLS   TLS
	Proxy Proxy
	HTTP2 HTTP2
	// MaxConnections to one host and port, busy or idle, of which
	// at most 512 are kept idle; 0: 2,048. A call that finds
	// them all busy waits within its attempt's timeout.
	MaxConnections int
	// IdleTimeout is how long an unused connection is kept; 0: 55 s.
	IdleTimeout time.Duration
	// MaxAge is how long a connection is used; 0: 5 min. A changed address, proxy
	// or certificate is in use after that, and calls in flight are not disturbed.
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
// change, without a restart: the next connection finds them as they are then. What
// can't be read leaves in force what was read before.
type TLS struct {
	// CAFile holds the only authorities that are trusted; empty: the system's.
	CAFile string
	// CertFile and KeyFile are shown to upstreams that ask for a client's
	// certificate. Both or neither.
	CertFile, KeyFile string
	// ServerName is what the upstream's certificate must be for; empty: the host of
	// the URL.
	ServerName string
	// TLS13 refuses what is older than TLS 1.3; else 1.2 is the oldest.
	TLS13 bool
}

// Proxy is the way to an upstream.
type Proxy struct {
	// Mode is how URL comes about.
	Mode ProxyMode
	// URL is an http, https or socks5 URL without user-info; of ProxyURL alone.
	URL string
	// User and Password of the proxy; empty: it wants none.
	User, Password string
}

// ProxyMode tells how a proxy is chosen.
type ProxyMode int

// The ways to choose a proxy.
const (
	ProxyEnvironment ProxyMode = iota // HTTP_PROXY, HTTPS_PROXY, NO_PROXY
	ProxyNone
	ProxyURL
)

func (p Proxy) url() (*url.URL, error) {
	to, err := url.Parse(p.URL)
	if err == nil && p.User != "" {
		to.User = url.UserPassword(p.User, p.Password)
	}
	return to, err
}

// HTTP2 says whether HTTP/2 is spoken.
type HTTP2 int

// Whether HTTP/2 is spoken.
const (
	HTTP2Auto   HTTP2 = iota // where TLS agrees on it
	HTTP2Never               // HTTP/1.1 alone
	HTTP2Always              // also without TLS, by prior knowledge (RFC 9113 section 3.3)
)

// complete puts the defaults in the place of zeros.
func (t Transport) complete() Transport {
	orElse(&t.MaxConnections, defaultConnections)
	orElse(&t.IdleTimeout, defaultIdleTimeout)
	orElse(&t.MaxAge, defaultMaxAge)
	orElse(&t.ConnectTimeout, defaultConnectTimeout)
	orElse(&t.TLSTimeout, defaultTLSTimeout)
	return t
}

func orElse[T comparable](value *T, other T) {
	var zero T
	if *value == zero {
		*value = other
	}
}

// CheckTransport tells what is wrong with a transport, its files apart. Paths are
// those of the catalogue's HttpTransport: `tls.ca_file`.
func CheckTransport(t Transport) Faults {
	var faults collector
	switch cert, key := t.TLS.CertFile, t.TLS.KeyFile; {
	case cert != "" && key == "":
		faults.add("tls.cert_file", "a certificate needs its key", "key_file beside it")
	case cert == "" && key != "":
		faults.add("tls.key_file", "a key needs its certificate", "cert_file beside it")
	}
	switch p := t.Proxy; {
	case p.Mode == ProxyURL:
		checkProxy(p, &faults)
	case p.User != "" || p.Password != "":
		faults.add("proxy.user", "a user needs a proxy that is named here", "http, https or socks5://host:port as proxy.url")
	}
	if t.Proxy.Password != "" && t.Proxy.User == "" {
		faults.add("proxy.password", "a password needs its user", "user beside it")
	}
	return faults.found
}

// CheckTransportFiles tells what is wrong with a transport's files.
func CheckTransportFiles(t Transport) Faults {
	var faults collector
	if t.TLS.CAFile != "" {
		if _, err := certfile.Authorities(t.TLS.CAFile); err != nil {
			faults.add("tls.ca_file", err.Error(), "a PEM file with certificates")
		}
	}
	if t.TLS.CertFile != "" && t.TLS.KeyFile != "" {
		if _, err := certfile.Pair(t.TLS.CertFile, t.TLS.KeyFile); err != nil {
			faults.add("tls.cert_file", err.Error(), "PEM files of a certificate and its key")
		}
	}
	return faults.found
}

func checkProxy(p Proxy, faults *collector) {
	const accepted = "http, https or socks5://host:port, environment, direct"
	to, err := url.Parse(p.URL)
	switch {
	case err != nil:
		faults.add("proxy.url", "this is no URL", accepted)
	case to.Scheme != "http" && to.Scheme != "https" && to.Scheme != "socks5" && to.Scheme != "socks5h", to.Hostname() == "":
		faults.add("proxy.url", "this is no proxy", accepted)
	case to.User != nil:
		faults.add("proxy.url", "user and password don't belong in a URL: use user and password", accepted)
	}
}
