package catalog

import (
	"crypto/sha256"
	"log/slog"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/funcbackend"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// Function is a tool in Go; see funcbackend.Function.
type Function = funcbackend.Function

// Option changes how a catalogue is read. Options are read once.
type Option func(*settings)

type settings struct {
	functions map[string]Function
	added     []addition
	pool      *httpbackend.Pool
	ownPool   []httpbackend.PoolOption
	secret    func(from string) (string, error) // nil: environment and files
	readFile  func(path string, digest [sha256.Size]byte)
	failed    func(expression.Failure)
	panicked  funcbackend.PanicHook
	servers   *mcpbackend.Pool  // nil: of the catalogue's own
	grpc      *grpcbackend.Pool // nil: of the catalogue's own
	dial      backend.Dial      // of the catalogue's own pools; nil: their own
	version   string
	log       *slog.Logger
	changed   func() // what is described elsewhere is no longer what was read
	documents *Documents
	offline   bool // nothing is asked and no program started

	anyFunction    bool // every function counts as registered
	unreadFiles    bool // certificates are not read
	noVocabularies bool // none are looked at
}

// addition is a whole tool of the embedding program.
type addition struct {
	tool     *catalogv1.Tool
	function Function
}

// WithFunction registers a Go function for the catalogue's `function:` entries
// of that name. A function that no tool names is not an error.
func WithFunction(name string, function Function) Option {
	return func(s *settings) { s.functions[name] = function }
}

// WithTool adds a whole tool beside those of the file. tool says everything but
// its backend, which is function; names are unique over both.
func WithTool(tool *catalogv1.Tool, function Function) Option {
	return func(s *settings) { s.added = append(s.added, addition{tool, function}) }
}

// WithPool has HTTP tools use the connections of pool, which outlives the
// catalogue: give the same one when a catalogue is loaded again. Default: a pool
// of the catalogue's own, closed by Catalog.Close.
func WithPool(pool *httpbackend.Pool) Option {
	return func(s *settings) { s.pool = pool }
}

// WithGRPCPool is WithPool for gRPC tools.
func WithGRPCPool(pool *grpcbackend.Pool) Option {
	return func(s *settings) { s.grpc = pool }
}

// WithDial replaces how the catalogue's own pools open connections.
func WithDial(dial backend.Dial) Option {
	return func(s *settings) {
		s.ownPool, s.dial = append(s.ownPool, httpbackend.WithDial(dial)), dial
	}
}

// WithVersion sets the version that the catalogue's own pools show: in a User-Agent, to
// MCP servers.
func WithVersion(version string) Option {
	return func(s *settings) {
		s.ownPool, s.version = append(s.ownPool, httpbackend.WithVersion(version)), version
	}
}

// WithServers has MCP servers run in pool, which outlives the catalogue: give the
// same one when a catalogue is loaded again, so that it finds their sessions.
// Default: a pool of the catalogue's own, closed by Catalog.Close.
func WithServers(pool *mcpbackend.Pool) Option {
	return func(s *settings) { s.servers = pool }
}

// WithLogger sets where it is logged what MCP servers say beside the protocol, and
// why they can't be reached. Default: nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(s *settings) { s.log = log }
}

// WithSecrets replaces how secrets are read. read gets what stands in the file
// (`env:NAME`, `file:PATH`); its error must not hold the value. Default: the
// environment and files, relative to the catalogue's folder.
func WithSecrets(read func(from string) (string, error)) Option {
	return func(s *settings) { s.secret = read }
}

// WithReadFiles has each file that is read beside the catalogue (`file:PATH`)
// reported to hook, with the SHA-256 of what it holds, zero where it can't be
// read: whoever follows the catalogue follows these as well. It is called while
// the catalogue is read, also of one that is refused.
func WithReadFiles(hook func(path string, digest [sha256.Size]byte)) Option {
	return func(s *settings) { s.readFile = hook }
}

// WithFailedExpressions has each CEL expression that fails at run time reported
// to hook, which must be safe for concurrent use and fast.
func WithFailedExpressions(hook func(tool, place, kind string)) Option {
	return func(s *settings) {
		s.failed = func(f expression.Failure) { hook(f.Tool, f.Place, string(f.Kind)) }
	}
}

// WithPanicHook has each panic of a Go function reported to hook, which must be
// safe for concurrent use. The value and the stack are for logs alone.
func WithPanicHook(hook func(call *interceptors.Call, value any, stack []byte)) Option {
	return func(s *settings) { s.panicked = hook }
}

// WithChanged has hook called when what the catalogue took from elsewhere (the list
// of an MCP server, the description of a gRPC service) is no longer what it was, or
// can be had for the first time: then the catalogue is to be loaded again. It may
// be called from any goroutine, while the catalogue is read and long after, and
// must not block.
func WithChanged(hook func()) Option {
	return func(s *settings) { s.changed = hook }
}

// WithOffline has the catalogue read without asking anybody and without starting
// a program: what it would import from servers is missing, and a warning says so.
func WithOffline() Option {
	return func(s *settings) { s.offline = true }
}

func newSettings(options []Option) *settings {
	s := &settings{functions: map[string]Function{}, readFile: func(string, [sha256.Size]byte) {}, changed: func() {}, log: slog.New(slog.DiscardHandler)}
	for _, option := range options {
		option(s)
	}
	return s
}
