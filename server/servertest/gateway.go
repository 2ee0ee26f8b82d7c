// Package servertest runs a whole gateway, in memory, for tests of the chain:
// a real gRPC server and client over bufconn, and real HTTP upstreams that
// misbehave on purpose. Everything works within a synctest bubble, where the
// waits of a minute take no time.
package servertest

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// Gateway is a running gateway and a client of it.
type Gateway struct {
	Client   toolgatev1.ToolGatewayServiceClient
	Conn     *grpc.ClientConn
	Registry *prometheus.Registry
	Server   *server.Server

	log      *lockedBuffer
	listener *bufconn.Listener
}

// Dial connects another client to the gateway, whatever the address.
func (g *Gateway) Dial(ctx context.Context, _ string) (net.Conn, error) {
	return g.listener.DialContext(ctx)
}

// Log returns what was logged so far.
func (g *Gateway) Log() string { return g.log.String() }

// Option changes the config of a gateway before it starts.
type Option func(*server.Config)

// Start runs a gateway with the catalogue until the test ends.
func Start(t testing.TB, tools *catalog.Catalog, options ...Option) *Gateway {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	g := &Gateway{Registry: prometheus.NewRegistry(), log: &lockedBuffer{}, listener: listener}
	config := server.Config{
		Catalog: tools, Listener: listener, Registry: g.Registry, LogSampleEvery: 1,
		Logger: slog.New(slog.NewJSONHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, option := range options {
		option(&config)
	}
	var err error
	if g.Server, err = server.New(config); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.Server.Serve(ctx) }()
	g.Conn, err = grpc.NewClient("passthrough:///gateway",
		grpc.WithContextDialer(g.Dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.MaxCallSendMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	g.Client = toolgatev1.NewToolGatewayServiceClient(g.Conn)
	t.Cleanup(func() {
		_ = g.Conn.Close()
		stop()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return g
}

// Load parses a catalogue whose tools reach their upstream through dial; nil
// dials the network.
func Load(t testing.TB, yaml string, upstream *Upstream, options ...catalog.Option) *catalog.Catalog {
	t.Helper()
	if upstream != nil {
		options = append(options, catalog.WithDial(upstream.Dial))
	}
	tools, err := catalog.Parse("test.yaml", []byte(yaml), options...)
	if err != nil {
		t.Fatalf("the test's catalogue: %v", err)
	}
	return tools
}

// Call makes one call of a run and returns its outcome; a gRPC status fails the
// test.
func (g *Gateway) Call(t testing.TB, run, tool, arguments string, changes ...func(*toolgatev1.ToolCall)) *toolgatev1.CallToolResponse {
	t.Helper()
	resp, err := g.Try(context.Background(), run, tool, arguments, changes...)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return resp
}

// Try makes one call of a run.
func (g *Gateway) Try(ctx context.Context, run, tool, arguments string, changes ...func(*toolgatev1.ToolCall)) (*toolgatev1.CallToolResponse, error) {
	call := &toolgatev1.ToolCall{Tool: tool, ArgumentsJson: arguments}
	for _, change := range changes {
		change(call)
	}
	return g.Client.CallTool(ctx, &toolgatev1.CallToolRequest{RunId: run, Call: call})
}

// ID gives the call an id.
func ID(id string) func(*toolgatev1.ToolCall) {
	return func(call *toolgatev1.ToolCall) { call.CallId = id }
}

// Fresh says that a person acted.
func Fresh(call *toolgatev1.ToolCall) { call.Fresh = true }

type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
