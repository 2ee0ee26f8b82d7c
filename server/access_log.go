package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/interceptors/authenticate"
	"toolgate.dev/toolgate/internal/access"
)

// sparse lets a line of a kind that strangers cause into the log now and then: ten at
// once, then one a second. The zero value is ready; it is safe for concurrent use.
type sparse struct {
	mu      sync.Mutex // guards the rest
	tokens  float64
	at      time.Time
	skipped uint64
}

const (
	sparseBurst     = 10
	sparsePerSecond = 1
)

// due reports whether a line may be written, and how many were not since the last.
func (s *sparse) due(now time.Time) (skipped uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.IsZero() {
		s.tokens = sparseBurst
	}
	s.tokens = min(sparseBurst, s.tokens+now.Sub(s.at).Seconds()*sparsePerSecond)
	s.at = now
	if s.tokens < 1 {
		s.skipped++
		return 0, false
	}
	s.tokens--
	skipped, s.skipped = s.skipped, 0
	return skipped, true
}

// tell logs that a caller was refused. Of the credential it says what kind it was.
func (a *Access) tell(ctx context.Context, shown authenticate.Credential, caller access.Caller, refusal *access.Refusal) {
	skipped, ok := a.quiet.due(time.Now())
	if !ok {
		return
	}
	a.log.Load().LogAttrs(ctx, slog.LevelWarn, "caller refused",
		slog.String("reason", refusal.Detail), slog.String("credential", caller.By), slog.String("address", shown.Address),
		slog.Uint64("refused_meanwhile", skipped))
}

// tellIssuer logs that an issuer's keys can't be fetched. Fetches have pauses.
func (a *Access) tellIssuer(url string, err error) {
	a.log.Load().Error("the keys of an issuer can't be fetched: those from before hold for a day",
		slog.String("url", url), slog.String("cause", err.Error()))
}

// accessMetrics count callers.
type accessMetrics struct {
	callers *prometheus.CounterVec
	over    *prometheus.CounterVec
	reloads *prometheus.CounterVec
	refused prometheus.Gauge
}

func newAccessMetrics() *accessMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "toolgate", Name: name, Help: help}, labels)
	}
	m := &accessMetrics{
		callers: counter("authentications_total", "Rpcs, and readings of metrics at the HTTP door, by the credential that was shown and what came of it: ok, or why it was refused, be it before there was an rpc.", "credential", "outcome"),
		over:    counter("caller_refusals_total", "Requests refused since their caller asks for more than it may, by bound.", "bound"),
		reloads: counter("access_reloads_total", "Reloads of the access file: swapped, or refused (the one before holds).", "outcome"),
		refused: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "toolgate", Name: "access_refused", Help: "1 while the latest access file was refused and the one before holds.",
		}),
	}
	for _, outcome := range []string{reloadSwapped, reloadRefused} {
		m.reloads.WithLabelValues(outcome) // so that a rate starts at zero
	}
	return m
}

func (m *accessMetrics) judged(by string, refusal *access.Refusal) {
	outcome := "ok"
	if refusal != nil {
		outcome = refusal.Detail
	}
	m.callers.WithLabelValues(by, outcome).Inc()
}

func (m *accessMetrics) reloaded(err error) {
	outcome, refused := reloadSwapped, 0.0
	if err != nil {
		outcome, refused = reloadRefused, 1
	}
	m.refused.Set(refused)
	m.reloads.WithLabelValues(outcome).Inc()
}

// collectors lists the metrics for a registry.
func (m *accessMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.callers, m.over, m.reloads, m.refused}
}
