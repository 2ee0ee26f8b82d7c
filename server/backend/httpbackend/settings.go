package httpbackend

import (
	"cmp"
	"net/url"
	"time"

	"toolgate.dev/toolgate/internal/certfile"
	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/server/backend"
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
	TLS   backend.TLS
	Proxy backend.Proxy
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
	t.MaxConnections = cmp.Or(t.MaxConnections, defaultConnections)
	t.IdleTimeout = cmp.Or(t.IdleTimeout, defaultIdleTimeout)
	t.MaxAge = cmp.Or(t.MaxAge, defaultMaxAge)
	t.ConnectTimeout = cmp.Or(t.ConnectTimeout, defaultConnectTimeout)
	t.TLSTimeout = cmp.Or(t.TLSTimeout, defaultTLSTimeout)
	return t
}

// CheckTransport tells what is wrong with a transport, its files apart. Paths are
// those of the catalogue's HttpTransport: `tls.ca_file`.
func CheckTransport(t Transport) backend.Faults {
	var faults collector
	switch cert, key := t.TLS.CertFile, t.TLS.KeyFile; {
	case cert != "" && key == "":
		faults.add("tls.cert_file", "a certificate needs its key", "key_file beside it")
	case cert == "" && key != "":
		faults.add("tls.key_file", "a key needs its certificate", "cert_file beside it")
	}
	switch p := t.Proxy; {
	case p.Mode == backend.ProxyURL:
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
func CheckTransportFiles(t Transport) backend.Faults {
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

func checkProxy(p backend.Proxy, faults *collector) {
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

// collector gathers faults while an entry is compiled.
type collector struct{ found backend.Faults }

func (c *collector) add(path, message, accepted string) {
	c.found = append(c.found, backend.Fault{Path: path, Message: message, Accepted: accepted})
}
