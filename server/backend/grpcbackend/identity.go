package grpcbackend

import "crypto/tls"

// identify returns the identity for the next connection.
func (s *Server) identify() *tls.Config {
	s.identityMu.Lock()
	defer s.identityMu.Unlock()
	if s.identity != nil && !s.identity.Stale() {
		return s.identity.Config
	}
	read, err := s.settings.TLS.Read()
	s.filesStale = err != nil
	if err != nil {
		s.pool.ReportStale(s.upstream, err)
		if s.identity != nil {
			read = s.identity.InPlaceOf(read)
		}
	}
	s.identity = read
	return read.Config
}
