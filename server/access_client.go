package server

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"toolgate.dev/toolgate/internal/egress"
)

var (
	errRedirects = errors.New("too many redirects")
	errElsewhere = errors.New("a redirect to another host is not followed")
)

const issuerRedirects = 3

// issuersClient fetches the keys of issuers: guarded like requests to upstreams, and
// through the proxy of the environment.
func issuersClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: egress.List("").Control}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 5 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			first := via[0].URL
			if req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
				return errElsewhere
			}
			if len(via) > issuerRedirects {
				return errRedirects
			}
			return nil
		},
	}
}
