package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/authenticate"
	"toolgate.dev/toolgate/server/catalog"
)

// Config says what a gateway serves and how. Only Catalog is required.
type Config struct {
	// Catalog holds the tools. Required.
	Catalog *catalog.Catalog

	// Listen is the gRPC address, host:port. Default: 127.0.0.1:7440; port 0
	// picks a free one.
	Listen string
	// Listener serves gRPC on an open listener instead of Listen. The server
	// closes it.
	Listener net.Listener
	// AdminListen is the address of metrics and health over HTTP. Empty: off.
	AdminListen string
	// HTTP opens the HTTP door. Zero: it stays shut.
	HTTP HTTP
	// CallsToAll lets the stream of calls (GET /calls of the admin address) answer
	// other machines, too: run ids and principals stand in it.
	CallsToAll bool
	// AllowAnonymous lets a listener that is not loopback serve callers that
	// nobody authenticated.
	AllowAnonymous bool
	// TLS is spoken by the gRPC and HTTP listeners; nil: neither does. NewTLS makes
	// one of files.
	TLS *tls.Config

	// Logger gets the log; nil: nothing is logged. Calls wait for it: a spool.Spool
	// before its writer is one that nobody waits for.
	Logger *slog.Logger
	// LogSampleEvery logs one answered call in so many; 0 means 100, negative
	// none. Failed calls are always logged.
	LogSampleEvery int
	// Registry gets the metrics; nil: one of the server's own.
	Registry *prometheus.Registry

	// TracerProvider makes spans of rpcs, calls and attempts; nil: there are none.
	// What it has waiting is exported at the end of a drain, within 5 s; the
	// provider stays open. See tracing.FromEnvironment for one that the usual
	// variables configure.
	TracerProvider trace.TracerProvider
	// Propagator reads a caller's trace from its rpc; nil: W3C Trace Context. An
	// upstream is always told in that form.
	Propagator propagation.TextMapPropagator

	// Ledger keeps counts and memory; nil: in this process.
	Ledger interceptors.Ledger
	// Access is who may call what, in the place of Identity and Permitted; nil: see
	// there.
	Access *Access
	// Identity tells who calls; nil: everybody is anonymous.
	Identity authenticate.Identity
	// Permitted reports whether a principal may use a tool; nil: all may use
	// all. It must be safe for concurrent use.
	Permitted func(principal, tool string) bool

	// MaxInFlight bounds the calls of the process; 0 means 4,096.
	MaxInFlight int
	// DrainTimeout is how long a stop waits for calls in flight; 0 means 60 s,
	// the longest default deadline.
	DrainTimeout time.Duration
	// Version is what the MCP door introduces the gateway with. Empty: 0.
	Version string
	// Connections bounds the connections of clients; zero: the defaults.
	Connections Connections
}

const (
	defaultListen       = "127.0.0.1:7440"
	defaultHTTPListen   = "127.0.0.1:7442" // an example: the door is shut unless asked for
	defaultDrainTimeout = 60 * time.Second
	flushTimeout        = 5 * time.Second // for the last spans
)
