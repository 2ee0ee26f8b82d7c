package backend

import (
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpproxy"

	"toolgate.dev/toolgate/interceptors"
)

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

// Func returns what chooses the proxy on the way to a URL: nil where there is none,
// an error where the proxy's own URL is no URL. The environment is read now.
func (p Proxy) Func() func(*url.URL) (*url.URL, error) {
	switch p.Mode {
	case ProxyNone:
		return func(*url.URL) (*url.URL, error) { return nil, nil }
	case ProxyURL:
		to, err := url.Parse(p.URL)
		if err == nil && p.User != "" {
			to.User = url.UserPassword(p.User, p.Password)
		}
		return func(*url.URL) (*url.URL, error) { return to, err }
	}
	return httpproxy.FromEnvironment().ProxyFunc()
}

// ProxyError is a proxy's refusal to connect.
type ProxyError struct {
	Status int // HTTP's
}

func (e *ProxyError) Error() string { return "the proxy answered " + http.StatusText(e.Status) }

// Kind tells a proxy that found nobody from one that lets nobody through, which is
// the operator's to mend.
func (e *ProxyError) Kind() interceptors.TransportFailure {
	if e.Status >= http.StatusInternalServerError {
		return interceptors.FailureRefused
	}
	return interceptors.FailureRequest
}
