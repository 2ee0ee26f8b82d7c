package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

// The outcomes of a reload, as the metric's label names them.
const (
	reloadSwapped   = "swapped"
	reloadUnchanged = "unchanged"
	reloadRefused   = "refused"
)

// reloads counts reloads and tells which catalogue serves. It collects its own
// metrics and is safe for concurrent use.
type reloads struct {
	current func() *catalog.Catalog
	total   *prometheus.CounterVec
	loaded  atomic.Int64 // when the catalogue that serves was loaded, Unix seconds
	refused atomic.Bool  // the latest was refused
}

func newReloads(current func() *catalog.Catalog) *reloads {
	r := &reloads{current: current, total: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "toolgate", Name: "catalogue_reloads_total",
		Help: "Reloads of the catalogue: swapped, unchanged (nothing that a call would notice), refused (the one before serves on).",
	}, []string{"outcome"})}
	for _, outcome := range []string{reloadSwapped, reloadUnchanged, reloadRefused} {
		r.total.WithLabelValues(outcome) // so that a rate starts at zero
	}
	r.loaded.Store(time.Now().Unix())
	return r
}

func (r *reloads) count(outcome string) {
	r.total.WithLabelValues(outcome).Inc()
	r.refused.Store(outcome == reloadRefused)
	if outcome != reloadRefused {
		r.loaded.Store(time.Now().Unix())
	}
}

var (
	catalogueInfoDesc = prometheus.NewDesc("toolgate_catalogue_info",
		"The catalogue that serves, by its version; always 1.", []string{"version"}, nil)
	catalogueToolsDesc  = prometheus.NewDesc("toolgate_catalogue_tools", "Tools of the catalogue that serves.", nil, nil)
	catalogueLoadedDesc = prometheus.NewDesc("toolgate_catalogue_loaded_timestamp_seconds",
		"When the catalogue that serves was loaded, in Unix seconds.", nil, nil)
	catalogueRefusedDesc = prometheus.NewDesc("toolgate_catalogue_refused",
		"1 while the latest catalogue was refused and an older one serves.", nil, nil)
)

// Describe lists the metrics.
func (r *reloads) Describe(out chan<- *prometheus.Desc) {
	r.total.Describe(out)
	for _, desc := range []*prometheus.Desc{catalogueInfoDesc, catalogueToolsDesc, catalogueLoadedDesc, catalogueRefusedDesc} {
		out <- desc
	}
}

// Collect reads the metrics.
func (r *reloads) Collect(out chan<- prometheus.Metric) {
	r.total.Collect(out)
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	serving, refused := r.current(), 0.0
	if r.refused.Load() {
		refused = 1
	}
	gauge(catalogueInfoDesc, 1, serving.Version())
	gauge(catalogueToolsDesc, float64(len(serving.Tools())))
	gauge(catalogueLoadedDesc, float64(r.loaded.Load()))
	gauge(catalogueRefusedDesc, refused)
}

// CatalogOptions are those with which a gateway reads its catalogues: CEL
// expressions that fail at run time are counted in registry (a rule whose key is
// not there fails, and does not match), panics of Go functions and
// what MCP servers say beside the protocol are logged. The
// error is the registry's.
func CatalogOptions(registry prometheus.Registerer, log *slog.Logger) ([]catalog.Option, error) {
	failed := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "toolgate", Name: "failed_expressions_total",
		Help: "CEL expressions of the catalogue that failed and therefore did not match, by kind; missing_key is how most rules do not match.",
	}, []string{"tool", "place", "kind"})
	if err := registry.Register(failed); err != nil {
		return nil, err
	}
	count := func(tool, place, kind string) {
		failed.WithLabelValues(tool, place, kind).Inc()
		log.Debug("an expression failed", slog.String("tool", tool), slog.String("place", place), slog.String("kind", kind))
	}
	panicked := func(call *interceptors.Call, _ any, stack []byte) { // the value may hold anything a caller sent
		log.ErrorContext(context.Background(), "panic in a Go function",
			slog.String("correlation_id", call.CorrelationID), slog.String("run", call.Run.ID),
			slog.String("tool", call.Name), slog.String("stack", string(stack)))
	}
	return []catalog.Option{catalog.WithFailedExpressions(count), catalog.WithPanicHook(panicked), catalog.WithLogger(log)}, nil
}
