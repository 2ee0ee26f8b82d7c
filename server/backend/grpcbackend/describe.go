package grpcbackend

import (
	"context"
	"errors"
	"time"

	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// Describe asks the server for the description of its services (gRPC reflection).
// Where it can't be asked the description before is returned, and an error only where
// there is none.
//
// From then on the server is asked again in the background: until it answers, and
// whenever a new connection is made. A call replaces what an earlier one handed over.
func (s *Server) Describe(ctx context.Context, asking Asking) (*methods.Services, error) {
	s.followMu.Lock()
	s.asking = asking
	s.followMu.Unlock()
	services, err := s.reflected(ctx)
	if err != nil {
		services = s.described.Load()
	} else {
		s.described.Store(services)
	}
	s.follow()
	if services != nil {
		return services, nil
	}
	return nil, err
}

// services is the description; where there is none yet, the server is asked.
func (s *Server) services(ctx context.Context) (*methods.Services, error) {
	if services := s.described.Load(); services != nil {
		return services, nil
	}
	services, err := s.reflected(ctx)
	if err != nil {
		return nil, err
	}
	s.news(services)
	return services, nil
}

// news takes a description that came unasked.
func (s *Server) news(services *methods.Services) {
	if before := s.described.Swap(services); before != nil && before.Digest() == services.Digest() {
		return
	}
	s.followMu.Lock()
	changed := s.asking.Changed
	s.followMu.Unlock()
	if changed != nil {
		changed()
	}
}

// reflected asks, within its own time.
func (s *Server) reflected(ctx context.Context) (*methods.Services, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	s.followMu.Lock()
	asking := s.asking
	s.followMu.Unlock()
	ctx, err := asking.outgoing(ctx)
	if err != nil {
		return nil, err
	}
	g, fail := s.take(ctx)
	if fail != nil {
		return nil, fail
	}
	defer s.release(g, false)
	return reflect(ctx, g)
}

// follow asks again, in a goroutine that ends with the server.
func (s *Server) follow() {
	s.followMu.Lock()
	defer s.followMu.Unlock()
	if s.following || s.isClosed() {
		return
	}
	s.following = true
	go s.followOn()
}

func (s *Server) followOn() {
	pause := describeAgain
	asked := s.connection()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-timer.C:
		}
		switch now := s.connection(); {
		case s.described.Load() == nil:
			pause = min(2*pause, describeAgainMax)
			asked = nil
		case now == nil || now == asked:
			timer.Reset(describeAgainMax)
			continue
		default:
			asked = now
		}
		if services, err := s.reflected(context.Background()); err == nil {
			asked, pause = s.connection(), describeAgainMax
			s.news(services)
		}
		timer.Reset(pause)
	}
}

// connection is the youngest that is in use; nil: none is.
func (s *Server) connection() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) == 0 {
		return nil
	}
	return s.live[len(s.live)-1]
}

// Undescribable reports whether a server does not tell what its services are, so that
// asking again is of no use.
func Undescribable(err error) bool { return errors.Is(err, errNoReflection) }
