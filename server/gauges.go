package server

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"toolgate.dev/toolgate/interceptors/breaker"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

// register hands every metric of the gateway to the registry.
func register(registry *prometheus.Registry, w *wiring) error {
	all := append(w.rooms.observe.Collectors(), &stateCollector{wiring: w}, w.reloads) //nolint:gocritic // a list of its own
	if config := w.config; config.Access != nil {
		all = append(all, config.Access.metrics.collectors()...)
	}
	all = append(all, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, collector := range all {
		if err := registry.Register(collector); err != nil {
			return err
		}
	}
	return nil
}

var (
	breakerDesc = prometheus.NewDesc("toolgate_breaker_state",
		"Circuit of a tool or, with an empty tool, of an upstream: 1 half-open, 2 open; closed ones are not listed.", []string{"upstream", "tool"}, nil)
	cooldownDesc = prometheus.NewDesc("toolgate_cooldown_seconds",
		"Seconds left of a pause that an upstream asked for.", []string{"upstream", "tool"}, nil)
	inFlightDesc    = prometheus.NewDesc("toolgate_calls_in_flight", "Calls in flight.", nil, nil)
	ledgerRunsDesc  = prometheus.NewDesc("toolgate_ledger_runs", "Runs that the ledger remembers.", nil, nil)
	ledgerItemsDesc = prometheus.NewDesc("toolgate_ledger_entries", "What the ledger remembers: claims of call ids, memories of failures.", []string{"of"}, nil)
	ledgerBytesDesc = prometheus.NewDesc("toolgate_ledger_bytes", "Estimated bytes of what the ledger remembers.", nil, nil)
	expiryDesc      = prometheus.NewDesc("toolgate_upstream_certificate_expiry_timestamp_seconds",
		"When the certificate that an upstream is shown ends, in seconds since 1970.", []string{"upstream"}, nil)
	staleDesc = prometheus.NewDesc("toolgate_upstream_certificate_files_stale",
		"1 while an upstream's files of certificates have changed and can't be read: the former are in force.", []string{"upstream"}, nil)
	stateDesc        = prometheus.NewDesc("toolgate_state_connected", "1 while the server of the shared state answers, else 0; missing without shared state.", nil, nil)
	absencesDesc     = prometheus.NewDesc("toolgate_state_absences_total", "Times that the server of the shared state was lost.", nil, nil)
	ignoredWaitsDesc = prometheus.NewDesc("toolgate_ignored_waits_total", "Wait hints that were absurd and not believed.", nil, nil)
)

// stateCollector reads the state of the rooms when it is asked.
type stateCollector struct{ *wiring }

// Describe lists the gauges.
func (c *stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		breakerDesc, cooldownDesc, inFlightDesc, ledgerRunsDesc, ledgerItemsDesc, ledgerBytesDesc,
		expiryDesc, staleDesc, stateDesc, absencesDesc, ignoredWaitsDesc,
	} {
		out <- desc
	}
}

// Collect reads the gauges.
func (c *stateCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, condition := range c.rooms.breaker.Snapshot() { // what is closed is not listed
		switch condition.State {
		case breaker.Cooling:
			gauge(cooldownDesc, condition.Left.Seconds(), condition.Upstream, condition.Tool)
		case breaker.Open:
			gauge(breakerDesc, 2, condition.Upstream, condition.Tool)
		case breaker.HalfOpen:
			gauge(breakerDesc, 1, condition.Upstream, condition.Tool)
		case breaker.Closed:
		}
	}
	c.collectFiles(gauge)
	gauge(inFlightDesc, float64(c.rooms.admit.InFlight()))
	out <- prometheus.MustNewConstMetric(ignoredWaitsDesc, prometheus.CounterValue, float64(c.engine.IgnoredWaits()))
	if state, ok := c.ledger.(sharedState); ok {
		connected := 0.0
		if state.Connected() {
			connected = 1
		}
		gauge(stateDesc, connected)
		out <- prometheus.MustNewConstMetric(absencesDesc, prometheus.CounterValue, float64(state.Absences()))
	}
	if keeper, ok := c.ledger.(interface{ Size() memory.Size }); ok {
		size := keeper.Size()
		gauge(ledgerRunsDesc, float64(size.Runs))
		gauge(ledgerItemsDesc, float64(size.Claims), "claims")
		gauge(ledgerItemsDesc, float64(size.Memories), "memories")
		gauge(ledgerBytesDesc, float64(size.Bytes))
	}
}

// collectFiles reads what the upstreams' files of certificates are worth. An
// upstream whose hosts differ in theirs is told of by the first to end.
func (c *stateCollector) collectFiles(gauge func(*prometheus.Desc, float64, ...string)) {
	ends, stale := map[string]float64{}, map[string]float64{}
	for _, files := range c.current().Files() {
		stale[files.Upstream] += 0
		if files.Stale {
			stale[files.Upstream] = 1
		}
		if files.Expires.IsZero() {
			continue
		}
		end := float64(files.Expires.Unix())
		if before, known := ends[files.Upstream]; !known || end < before {
			ends[files.Upstream] = end
		}
	}
	for upstream, end := range ends {
		gauge(expiryDesc, end, upstream)
	}
	for upstream, value := range stale {
		gauge(staleDesc, value, upstream)
	}
}
