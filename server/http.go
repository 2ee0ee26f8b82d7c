package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"toolgate.dev/toolgate/server/door"
	"toolgate.dev/toolgate/server/door/rest"
	"toolgate.dev/toolgate/server/door/web"
)

// HTTP says where and for whom the HTTP door stands open.
type HTTP struct {
	// Listen is its address, host:port: JSON with server-sent events, Connect and
	// gRPC-Web, health and metrics, over HTTP/1.1 and HTTP/2. Empty: off; port 0
	// picks a free one.
	Listen string
	// Listener serves it on an open listener instead of Listen. The server closes
	// it.
	Listener net.Listener
	// Origins are the web pages that may call, as browsers name them
	// (`https://app.example`); `*` invites all. Empty: none; a request that names
	// its origin is refused.
	Origins []string
	// Hosts are names by which callers may address the door besides those of
	// loopback (`gateway.internal`); `*`: any. They are looked at where it stands
	// open on loopback to callers that nobody authenticates.
	Hosts []string
}

func (h HTTP) on() bool { return h.Listen != "" || h.Listener != nil }

// The bounds of a connection. A call may take longer than any of them.
const (
	httpHeaderTimeout = 10 * time.Second
	httpIdleTimeout   = 2 * time.Minute
	httpBodyTimeout   = time.Minute
	httpWriteTimeout  = time.Minute
)

// httpServer is the HTTP door. Its zero value is a door that is not there.
type httpServer struct {
	listener net.Listener
	http     *http.Server
	farewell farewell
	served   chan struct{} // closed: no more connections are taken
}

func newHTTP(config Config, parts *parts, ready func() bool) (*httpServer, error) {
	if !config.HTTP.on() {
		return &httpServer{}, nil
	}
	listener := config.HTTP.Listener
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", config.HTTP.Listen); err != nil {
			return nil, err
		}
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	handler := door.Patience{Body: httpBodyTimeout, Write: httpWriteTimeout}.Wrap(guardOf(config).Wrap(httpRoutes(parts, ready)))
	handler = sealed(parts.wiring.tracer.Handler(handler, traced), parts.wiring.logPanic)
	h := &httpServer{listener: secured(listener, config.TLS, "h2", "http/1.1"), served: make(chan struct{})}
	h.http = &http.Server{
		Handler: h.farewell.wrap(handler), ConnState: h.farewell.connection, Protocols: protocols, MaxHeaderBytes: maxHeaderListBytes,
		ReadHeaderTimeout: httpHeaderTimeout, IdleTimeout: httpIdleTimeout,
		ErrorLog: slog.NewLogLogger(config.Logger.Handler(), slog.LevelDebug), // peers that break off
	}
	h.http.RegisterOnShutdown(parts.mcp.Close) // its streams end with their sessions alone
	return h, nil
}

// sealed keeps a panic outside the rooms from net/http, which would log its value.
func sealed(next http.Handler, log func(ctx context.Context, value any, stack []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if value != http.ErrAbortHandler { //nolint:errorlint // that very value, see net/http
				log(r.Context(), value, debug.Stack())
			}
			panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler says that its answer is broken off
		}()
		next.ServeHTTP(w, r)
	})
}

// httpRoutes mounts what the door leads to.
func httpRoutes(parts *parts, ready func() bool) http.Handler {
	behind := newHouse(parts)
	mux := http.NewServeMux()
	mux.Handle("/", door.Vouch(rest.New(behind), parts.wiring.config.atDoor())) // knows what is not there, too
	mux.Handle(web.Prefix, door.Vouch(web.New(behind), parts.wiring.config.atDoor()))
	mux.Handle(mcpPath, parts.mcp)
	mux.Handle("GET /metrics", parts.wiring.known(parts.metricsHandler()))
	mux.Handle("GET /healthz", healthHandler(parts, ready))
	mux.Handle("GET /readyz", healthHandler(parts, ready))
	mux.Handle("GET /livez", healthHandler(parts, func() bool { return true }))
	return mux
}

// traced reports whether a request gets a span. Probes would outnumber the calls.
func traced(r *http.Request) bool {
	switch r.URL.Path {
	case "/metrics", "/healthz", "/readyz", "/livez":
		return false
	}
	return true
}

// known lets those in alone who may see every tool, where somebody asks who they are:
// metrics name them all.
func (w *wiring) known(next http.Handler) http.Handler {
	identity := w.config.Identity
	if identity == nil {
		return next
	}
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		principal, err := identity(door.Caller(r))
		if err == nil {
			err = w.seesAll(principal)
		}
		if err != nil {
			door.ProblemOf(err).Write(out)
			return
		}
		next.ServeHTTP(out, r)
	})
}

// healthHandler answers 503 where this process is to get no calls.
func healthHandler(parts *parts, ready func() bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if state, ok := parts.service.ledger.(sharedState); ok && !state.Connected() {
			_, _ = io.WriteString(w, stateAway+"\n")
		}
	}
}

// guardOf tells which names and pages may call. On loopback, where callers need no
// credentials, a name that leads here need not be ours.
func guardOf(config Config) door.Guard {
	guard := door.Guard{}
	if config.Identity == nil {
		guard = door.OnLoopback(config.HTTP.Listen, config.HTTP.Hosts...)
	}
	guard.Origins = config.HTTP.Origins
	return guard
}

func (h *httpServer) addr() string {
	if h.listener == nil {
		return ""
	}
	return h.listener.Addr().String()
}

func (h *httpServer) serve(failed chan<- error) {
	if h.http == nil {
		return
	}
	go func() {
		defer close(h.served)
		if err := h.http.Serve(h.listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
}

// drain takes no more connections and waits for the calls in flight, until ctx
// ends: then they are cut off. It reports whether all ended by themselves.
func (h *httpServer) drain(ctx context.Context) bool {
	if h.http == nil {
		return true
	}
	_ = h.listener.Close()
	<-h.served
	h.farewell.say(ctx)
	if h.http.Shutdown(ctx) == nil {
		return true
	}
	_ = h.http.Close()
	return false
}
