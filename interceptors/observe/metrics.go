package observe

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const otherCode = "other"

// buckets reach from a loopback hop to the longest call deadline.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 40, 60}

type metrics struct {
	knownCode func(string) bool

	rpcs              *prometheus.CounterVec
	rpcSeconds        *prometheus.HistogramVec
	calls             *prometheus.CounterVec
	attempts          *prometheus.CounterVec
	waited            *prometheus.CounterVec
	queued            *prometheus.CounterVec
	refusals          *prometheus.CounterVec
	coercions         *prometheus.CounterVec
	rejections        *prometheus.CounterVec
	exhausted         *prometheus.CounterVec
	abandonedCalls    *prometheus.CounterVec
	unvalidated       *prometheus.CounterVec
	runsWithoutResult prometheus.Counter
	callSeconds       *prometheus.HistogramVec
	gatewaySeconds    *prometheus.HistogramVec

	// handles of the success path, resolved once per tool.
	byTool sync.Map // tool name -> *toolHandles
}

type toolHandles struct {
	results, attempts prometheus.Counter
	call, gateway     prometheus.Observer
	count             toolCount
}

// toolCount is the tool's row of the report.
type toolCount struct {
	calls, results, attempts, coerced atomic.Uint64
	waited                            atomic.Int64 // nanoseconds
}

func (c *toolCount) add(call *interceptors.Call, outcome *interceptors.Outcome) {
	c.calls.Add(1)
	c.attempts.Add(uint64(call.Trace.Attempts))
	if outcome.Error == nil {
		c.results.Add(1)
	}
	if len(call.Arguments.Coercions) > 0 {
		c.coerced.Add(1)
	}
	if call.Trace.Waited > 0 {
		c.waited.Add(int64(call.Trace.Waited))
	}
}

// toolCounts lists the tools that were called, by name, and the sum of their
// calls; visible nil: all.
func (m *metrics) toolCounts(visible func(tool string) bool) (rows []*toolgatev1.ToolCount, calls uint64) {
	m.byTool.Range(func(tool, handles any) bool {
		if visible != nil && !visible(tool.(string)) {
			return true
		}
		c := &handles.(*toolHandles).count
		rows = append(rows, &toolgatev1.ToolCount{
			Tool: tool.(string), Calls: c.calls.Load(), Results: c.results.Load(), Attempts: c.attempts.Load(),
			Coerced: c.coerced.Load(), Waited: durationOf(time.Duration(c.waited.Load())),
		})
		calls += c.calls.Load()
		return true
	})
	slices.SortFunc(rows, func(a, b *toolgatev1.ToolCount) int { return strings.Compare(a.GetTool(), b.GetTool()) })
	return rows, calls
}

func newMetrics(known func(string) bool) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "toolgate", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "toolgate", Name: name, Help: help, Buckets: buckets}, labels)
	}
	return &metrics{
		knownCode:      known,
		rpcs:           counter("rpcs_total", "Rpcs by method and gRPC status.", "method", "status"),
		rpcSeconds:     histogram("rpc_seconds", "Time of an rpc, from its first byte to its status.", "method"),
		calls:          counter("calls_total", "Tool calls by how they ended. class is `result` for an answer.", "tool", "class", "code", "classified_by"),
		attempts:       counter("attempts_total", "Upstream attempts.", "tool"),
		waited:         counter("wait_seconds_total", "Seconds slept between attempts, out of the model's sight.", "tool"),
		queued:         counter("queue_seconds_total", "Seconds that calls waited for their turn.", "tool"),
		refusals:       counter("refusals_total", "Calls answered in the tool's place, by room.", "tool", "room"),
		coercions:      counter("coercions_total", "Changes made to arguments, by rule.", "tool", "rule"),
		rejections:     counter("rejections_total", "Semantic rejections that the cap counted or stood at.", "tool"),
		exhausted:      counter("exhausted_total", "Transient failures given up.", "tool"),
		abandonedCalls: counter("abandoned_calls_total", "Calls that ended in a gRPC status: cancelled, out of time, misused.", "tool"),
		unvalidated:    counter("unvalidated_calls_total", "Calls whose arguments nobody checked, since the tool's schema does not compile.", "tool"),
		runsWithoutResult: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "toolgate", Name: "runs_without_result_total", Help: "Runs that ended without one successful call.",
		}),
		callSeconds:    histogram("call_seconds", "Time of a tool call, upstream and waits included.", "tool"),
		gatewaySeconds: histogram("gateway_seconds", "Time of a tool call without upstream, waits and queue.", "tool"),
	}
}

// Collectors lists the room's metrics for a registry.
func (r *Room) Collectors() []prometheus.Collector {
	m := r.metrics
	return []prometheus.Collector{
		m.rpcs, m.rpcSeconds, m.calls, m.attempts, m.waited, m.queued, m.refusals, m.coercions, m.rejections,
		m.exhausted, m.abandonedCalls, m.unvalidated, m.runsWithoutResult, m.callSeconds, m.gatewaySeconds,
	}
}

func (m *metrics) rpc(method, code string, took time.Duration, traceID string) {
	m.rpcs.WithLabelValues(method, code).Inc()
	measure(m.rpcSeconds.WithLabelValues(method), took, traceID)
}

// passed counts a call whose arguments were passed on without a look.
func (m *metrics) passed(call *interceptors.Call) {
	if call.Tool != nil && call.Tool.Unvalidated && len(call.Arguments.JSON) > 0 {
		m.unvalidated.WithLabelValues(call.Tool.Name).Inc()
	}
}

func (m *metrics) abandoned(tool string) { m.abandonedCalls.WithLabelValues(tool).Inc() }

func (m *metrics) finished(call *interceptors.Call, outcome *interceptors.Outcome, took time.Duration, traceID string) {
	tool := toolName(call)
	h := m.handles(tool)
	trace := call.Trace
	measure(h.call, took, traceID)
	measure(h.gateway, max(0, took-trace.Upstream-trace.Waited-trace.Queued), traceID)
	h.attempts.Add(float64(trace.Attempts))
	h.count.add(call, outcome)
	if trace.Waited > 0 {
		m.waited.WithLabelValues(tool).Add(trace.Waited.Seconds())
	}
	if trace.Queued > 0 {
		m.queued.WithLabelValues(tool).Add(trace.Queued.Seconds())
	}
	for _, c := range outcome.Result.GetCoercions() {
		m.coercions.WithLabelValues(tool, c.GetRule()).Inc()
	}
	if outcome.Error == nil {
		h.results.Inc()
		return
	}
	m.failed(tool, call, outcome)
}

func (m *metrics) failed(tool string, call *interceptors.Call, outcome *interceptors.Outcome) {
	e := outcome.Error
	m.calls.WithLabelValues(tool, className(e.GetErrorClass()), m.codeLabel(e.GetCode()), classifiedBy(e.GetClassifiedBy())).Inc()
	if call.Trace.Answered != "" {
		m.refusals.WithLabelValues(tool, call.Trace.Answered).Inc()
	}
	if e.GetExhausted() {
		m.exhausted.WithLabelValues(tool).Inc()
	}
	semantic := e.GetErrorClass() == interceptors.InvalidRequest || e.GetErrorClass() == interceptors.Terminal
	if semantic && !outcome.Exempt {
		m.rejections.WithLabelValues(tool).Inc()
	}
}

func (m *metrics) handles(tool string) *toolHandles {
	if h, ok := m.byTool.Load(tool); ok {
		return h.(*toolHandles)
	}
	h, _ := m.byTool.LoadOrStore(tool, &toolHandles{
		results:  m.calls.WithLabelValues(tool, "result", "", ""),
		attempts: m.attempts.WithLabelValues(tool),
		call:     m.callSeconds.WithLabelValues(tool),
		gateway:  m.gatewaySeconds.WithLabelValues(tool),
	})
	return h.(*toolHandles)
}

func (m *metrics) codeLabel(code string) string {
	if code == "" || m.knownCode(code) {
		return code
	}
	return otherCode
}

func className(class toolgatev1.ErrorClass) string {
	return strings.ToLower(strings.TrimPrefix(class.String(), "ERROR_CLASS_"))
}

func classifiedBy(by toolgatev1.ClassifiedBy) string {
	return strings.ToLower(strings.TrimPrefix(by.String(), "CLASSIFIED_BY_"))
}
