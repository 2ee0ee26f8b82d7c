package grpcbackend

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"time"

	"toolgate.dev/toolgate/internal/certfile"
)

// identity is what the files of a TLS configuration held when they were read.
type identity struct {
	config  *tls.Config
	expires time.Time        // of the certificate that is shown; zero: none is
	seen    []certfile.Sight // before they were read
}

// read reads the files. Where one can't be read, nobody is trusted.
func (t TLS) read() (*identity, error) {
	i := &identity{config: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}}
	if t.TLS13 {
		i.config.MinVersion = tls.VersionTLS13
	}
	for _, path := range []string{t.CAFile, t.CertFile, t.KeyFile} {
		if path != "" {
			i.seen = append(i.seen, certfile.Look(path))
		}
	}
	if t.CAFile != "" {
		roots, err := certfile.Authorities(t.CAFile)
		if err != nil {
			i.config.RootCAs = x509.NewCertPool()
			return i, err
		}
		i.config.RootCAs = roots
	}
	if t.CertFile != "" {
		pair, err := certfile.Pair(t.CertFile, t.KeyFile)
		if err != nil {
			return i, err
		}
		i.config.Certificates, i.expires = []tls.Certificate{*pair}, pair.Leaf.NotAfter
	}
	return i, nil
}

func (i *identity) stale() bool { return slices.ContainsFunc(i.seen, certfile.Sight.Changed) }

// identify returns the identity for the next connection.
func (s *Server) identify() *tls.Config {
	s.identityMu.Lock()
	defer s.identityMu.Unlock()
	if s.identity != nil && !s.identity.stale() {
		return s.identity.config
	}
	read, err := s.settings.TLS.read()
	s.filesStale = err != nil
	if err != nil {
		s.pool.reportStale(s.upstream, err)
		if s.identity != nil {
			read = &identity{config: s.identity.config, expires: s.identity.expires, seen: read.seen}
		}
	}
	s.identity = read
	return read.config
}
