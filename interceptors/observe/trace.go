package observe

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// exemplarLabel is the name by which Grafana finds the trace.
const exemplarLabel = "trace_id"

// noTrace is the TraceID of a gateway without traces.
func noTrace(context.Context) string { return "" }

// measure observes how long something took. Each bucket of a histogram keeps the
// last trace that fell into it, so that a slow call stays to be found among ever
// so many fast ones.
func measure(histogram prometheus.Observer, took time.Duration, traceID string) {
	if exemplary, ok := histogram.(prometheus.ExemplarObserver); ok && traceID != "" {
		exemplary.ObserveWithExemplar(took.Seconds(), prometheus.Labels{exemplarLabel: traceID})
		return
	}
	histogram.Observe(took.Seconds())
}
