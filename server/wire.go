package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/admit"
	"toolgate.dev/toolgate/interceptors/alternatives"
	"toolgate.dev/toolgate/interceptors/arguments"
	"toolgate.dev/toolgate/interceptors/authenticate"
	"toolgate.dev/toolgate/interceptors/breaker"
	"toolgate.dev/toolgate/interceptors/compact"
	"toolgate.dev/toolgate/interceptors/limits"
	"toolgate.dev/toolgate/interceptors/observe"
	"toolgate.dev/toolgate/interceptors/once"
	"toolgate.dev/toolgate/interceptors/recovery"
	"toolgate.dev/toolgate/interceptors/rejectioncap"
	"toolgate.dev/toolgate/interceptors/repeat"
	"toolgate.dev/toolgate/interceptors/resolve"
	"toolgate.dev/toolgate/interceptors/retry"
	"toolgate.dev/toolgate/interceptors/seal"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redact"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/dispatch"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/tracing"
)

const (
	maxUnknownArguments = 4 << 10
	sweepEvery          = time.Minute
)

// rooms holds every room of the house, built once.
type rooms struct {
	recovery     *recovery.Room
	observe      *observe.Room
	authenticate *authenticate.Room
	admit        *admit.Room

	seal         *seal.Room
	compact      *compact.Room
	resolve      *resolve.Room
	once         *once.Room
	rejectioncap *rejectioncap.Room
	limits       *limits.Room
	arguments    *arguments.Room
	repeat       *repeat.Room
	alternatives *alternatives.Room
	retry        *retry.Room
	breaker      *breaker.Room
}

// parts is a wired gateway.
type parts struct {
	wiring   *wiring
	service  *service
	admit    *admit.Room
	unary    []grpc.UnaryServerInterceptor
	stream   []grpc.StreamServerInterceptor
	registry *prometheus.Registry
	mcp      *mcp.Door
	closers  []func()
}

func (p *parts) close() {
	for _, closer := range p.closers {
		closer()
	}
}

// metricsHandler speaks OpenMetrics too, the format that has exemplars.
func (p *parts) metricsHandler() http.Handler {
	return promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// wire builds everything by hand: what each room needs of another is a function
// given here.
func wire(config Config) (*parts, error) {
	engine, err := diagnose.New()
	if err != nil {
		return nil, err
	}
	w := &wiring{config: config, log: config.Logger, engine: engine, permitted: config.Permitted}
	w.catalogue.Store(config.Catalog)
	w.follow(config.Catalog)
	w.reloads = newReloads(w.current)
	if w.permitted == nil {
		w.permitted = func(string, string) bool { return true }
	}
	r := &rooms{}
	cures, err := newCures()
	if err != nil {
		return nil, err
	}
	r.observe = observe.New(observing(config, w.knownCode, cures))
	w.rooms = r
	w.ledger = config.Ledger
	if w.ledger == nil {
		w.ledger = memory.New(memory.OnEnd(w.runEnded))
	}
	w.tracer = tracing.New(tracing.Settings{
		Provider: config.TracerProvider, Propagator: config.Propagator, Known: w.knows, KnownCode: w.knownCode,
	})
	w.furnish()
	p := &parts{wiring: w, admit: r.admit, registry: config.Registry}
	if p.registry == nil {
		p.registry = prometheus.NewRegistry()
	}
	for _, room := range rpcOrder(r) {
		p.unary, p.stream = append(p.unary, room.unary), append(p.stream, room.stream)
	}
	p.service = &service{
		chain: w.chain(), seal: r.seal.Recovered, ledger: w.ledger, observer: r.observe, tracer: w.tracer, listing: w.listing, capOf: w.capOf, ended: w.runEnded,
		reportScope: w.reportScope,
	}
	p.mcp = newMCP(config, p)
	if err := p.registry.Register(sessionsOf(p.mcp)); err != nil {
		return nil, err
	}
	p.closers = append(p.closers, w.sweep())
	return p, register(p.registry, w)
}

func observing(config Config, knownCode func(string) bool, cures cures) observe.Settings {
	settings := observe.Settings{Logger: config.Logger, SampleEvery: config.LogSampleEvery, KnownCode: knownCode, Cure: cures.cure}
	if config.TracerProvider != nil {
		settings.TraceID = tracing.SampledTraceID
	}
	return settings
}

// wiring holds what the rooms' functions close over.
type wiring struct {
	config    Config
	log       *slog.Logger
	engine    *diagnose.Engine
	ledger    interceptors.Ledger
	permitted func(principal, tool string) bool
	rooms     *rooms
	tracer    *tracing.Tracer // nil: no traces
	lookups   interceptors.Next
	catalogue atomic.Pointer[catalog.Catalog]
	reloads   *reloads
	troubles  sparse
}

// current is the catalogue that serves now.
func (w *wiring) current() *catalog.Catalog { return w.catalogue.Load() }

func (w *wiring) furnish() {
	identity := w.config.Identity
	if identity == nil {
		identity = authenticate.Nobody
	}
	r := w.rooms
	r.recovery = recovery.New(w.logPanic)
	r.authenticate = authenticate.New(identity)
	r.admit = admit.New(w.config.MaxInFlight)
	if w.config.Access != nil {
		r.admit.WithQuota(w.config.Access.quota)
	}

	r.compact = compact.New().WithVisible(w.config.Permitted)
	r.seal = seal.New(r.compact.Finish, w.logSealed)
	r.resolve = resolve.New(func() resolve.Catalogue { return w.current() }, w.permitted)
	r.once = once.New(w.ledger)
	r.rejectioncap = rejectioncap.New(w.ledger, w.keyOf, w.usable)
	r.limits = limits.New(w.ledger)
	r.arguments = arguments.New(w.nearest)
	r.repeat = repeat.New(w.ledger, w.verifiesFor, keptArguments, w.usable)
	r.breaker = breaker.New(breaker.WithShared(w.board()))
	r.retry = retry.New(w.ledger, retry.WithReplicas(w.replicas()))
	r.alternatives = alternatives.New(w.lookUp, w.usable, w.ready)
}

// chain joins the rooms of a tool call around the dispatcher.
func (w *wiring) chain() interceptors.Next {
	var options []dispatch.Option
	if w.tracer != nil {
		options = append(options, dispatch.WithWatch(w.tracer.Attempt))
	}
	dispatcher := dispatch.New(w.diagnose, w.permitted, options...)
	w.lookups = interceptors.Chain(dispatcher.Dispatch, interceptorsOf(lookupOrder(w.rooms))...)
	return interceptors.Chain(dispatcher.Dispatch, interceptorsOf(callOrder(w.rooms))...)
}

// judge is the catalogue's own, else the one with the vocabularies that are built
// in.
func (w *wiring) judge() *diagnose.Engine {
	if judge := w.current().Judge(); judge != nil {
		return judge
	}
	return w.engine
}

// knownCode reports whether a code may be a metric label.
func (w *wiring) knownCode(code string) bool { return w.judge().KnownCode(code) }

// diagnose is dispatch's.
func (w *wiring) diagnose(call *interceptors.Call, reply *interceptors.Reply) (*toolgatev1.ToolError, interceptors.Verdict) {
	return w.judge().Diagnose(diagnose.Input{
		Tool: call.Tool, Arguments: call.Arguments.JSON, Reply: reply, Now: time.Now(),
		IdempotencyKeyed: call.IdempotencyKey != "",
	})
}

// keptArguments is repeat's: what is kept of a call whose outcome is unknown.
func keptArguments(raw []byte) []byte { return redact.Arguments(raw, maxUnknownArguments) }

func (w *wiring) runEnded(run interceptors.RunKey, summary *toolgatev1.RunSummary) {
	w.rooms.observe.RunEnded(run, summary)
	w.rooms.retry.Forget(run)
}

// sweep has the keeper forget idle runs while nobody calls, so that a run that
// brought nothing back is reported in time. The returned function ends it.
func (w *wiring) sweep() (stop func()) {
	keeper, ok := w.ledger.(interface{ Sweep() })
	if !ok {
		return func() {}
	}
	ticker, done := time.NewTicker(sweepEvery), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				keeper.Sweep()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// logPanic is recovery's. The value of a panic may hold anything a caller sent:
// the stack says where, and that must do.
func (w *wiring) logPanic(ctx context.Context, _ any, stack []byte) {
	w.log.ErrorContext(ctx, "panic in an rpc", slog.String("stack", string(stack)))
}

// logSealed is seal's.
func (w *wiring) logSealed(ctx context.Context, call *interceptors.Call, fault seal.Panic) {
	w.log.ErrorContext(ctx, "panic in a tool call",
		slog.String("correlation_id", call.CorrelationID), slog.String("run", call.Run.ID),
		slog.String("tool", call.Name), slog.String("stack", string(fault.Stack)))
}
