package server

import (
	"log/slog"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"toolgate.dev/toolgate/interceptors"
)

// stateService is the name under which gRPC health tells whether the server of
// the shared state is there. Without shared state it is not known.
const stateService = "toolgate.state"

const stateAway = "the state's server is away: this replica remembers on its own"

// sharedState is a ledger that may lose its server, and serves on alone.
type sharedState interface {
	Connected() bool
	// Absences is how often it was lost since it was opened.
	Absences() uint64
	// Follow has a function told of every loss and return.
	Follow(changed func(connected bool, cause error)) (stop func())
}

// followState has health and log tell whether the server of the state is there.
// The gateway itself stays healthy: it serves on. The returned function ends it.
func (s *Server) followState() (stop func()) {
	state, ok := s.parts.service.ledger.(sharedState)
	if !ok {
		return func() {}
	}
	connected := state.Connected()
	if s.tellState(connected); !connected {
		s.log.Warn(stateAway)
	}
	return state.Follow(func(connected bool, cause error) {
		s.tellState(connected)
		if connected {
			s.log.Info("the state's server is back: replicas share their memory again")
			return
		}
		s.log.Warn(stateAway, slog.Any("error", cause))
	})
}

func (s *Server) tellState(connected bool) {
	status := healthv1.HealthCheckResponse_NOT_SERVING
	if connected {
		status = healthv1.HealthCheckResponse_SERVING
	}
	s.health.SetServingStatus(stateService, status)
}

// board is where replicas tell one another of upstreams, if the ledger has one.
func (w *wiring) board() interceptors.Board {
	board, _ := w.ledger.(interceptors.Board)
	return board
}

// replicas is how many gateways share the state; nil: this one is alone.
func (w *wiring) replicas() func() int {
	if fleet, ok := w.ledger.(interface{ Replicas() int }); ok {
		return fleet.Replicas
	}
	return nil
}
