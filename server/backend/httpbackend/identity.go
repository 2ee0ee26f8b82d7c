package httpbackend

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"time"

	"toolgate.dev/toolgate/internal/certfile"
)

// identity is what a TLS configuration's files held when they were read.
type identity struct {
	roots   *x509.CertPool   // nil: the system's
	pair    *tls.Certificate // nil: none
	expires time.Time        // of the pair's certificate
	seen    []certfile.Sight // before they were read
}

// files lists the files of a TLS configuration.
func (t TLS) files() (paths []string) {
	for _, path := range []string{t.CAFile, t.CertFile, t.KeyFile} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// read reads the files. Where one can't be read, what was seen is returned all the
// same, so that nobody tries again before something changes.
func (t TLS) read() (*identity, error) {
	c := &identity{}
	for _, path := range t.files() {
		c.seen = append(c.seen, certfile.Look(path))
	}
	var err error
	if t.CAFile != "" {
		if c.roots, err = certfile.Authorities(t.CAFile); err != nil {
			return c, err
		}
	}
	if t.CertFile != "" {
		if c.pair, err = certfile.Pair(t.CertFile, t.KeyFile); err != nil {
			return c, err
		}
		c.expires = c.pair.Leaf.NotAfter
	}
	return c, nil
}

// stale reports whether a file looks otherwise now.
func (c *identity) stale() bool { return slices.ContainsFunc(c.seen, certfile.Sight.Changed) }

func (c *identity) config(t TLS) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, RootCAs: c.roots}
	if t.TLS13 {
		config.MinVersion = tls.VersionTLS13
	}
	if t.CAFile != "" && c.roots == nil {
		config.RootCAs = x509.NewCertPool() // whom to trust can't be read: nobody
	}
	if c.pair != nil {
		config.Certificates = []tls.Certificate{*c.pair}
	}
	return config
}
