package peers

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// gateway is a whole one, called over the network.
type gateway struct {
	client  toolgatev1.ToolGatewayServiceClient
	log     *safeBuffer
	metrics *prometheus.Registry
	runs    int
}

// start serves a catalogue of testdata whose upstream stands at address.
func start(t *testing.T, file, placeholder, address string) *gateway {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Parse(file, bytes.ReplaceAll(text, []byte(placeholder), []byte(address)))
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{log: &safeBuffer{}, metrics: prometheus.NewRegistry()}
	s, err := server.New(server.Config{
		Catalog: tools, Listen: "127.0.0.1:0", Registry: g.metrics, LogSampleEvery: 1,
		Logger: slog.New(slog.NewJSONHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.client = toolgatev1.NewToolGatewayServiceClient(serve(t, s))
	return g
}

// serve runs the gateway until the test ends, and connects to it.
func serve(t *testing.T, s *server.Server) *grpc.ClientConn {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	conn, err := grpc.NewClient(s.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		if err := <-done; err != nil {
			t.Errorf("the gateway stopped with %v", err)
		}
	})
	return conn
}

// call makes one call in a run of its own.
func (g *gateway) call(t *testing.T, tool, arguments string) *toolgatev1.CallToolResponse {
	t.Helper()
	g.runs++
	response, err := g.client.CallTool(t.Context(), &toolgatev1.CallToolRequest{
		RunId: fmt.Sprintf("run-%d", g.runs), Call: &toolgatev1.ToolCall{Tool: tool, ArgumentsJson: arguments},
	})
	if err != nil {
		t.Fatalf("%s %s: a tool's failure is no status: %v", tool, arguments, err)
	}
	return response
}

func (g *gateway) fails(t *testing.T, tool, arguments string) *toolgatev1.ToolError {
	t.Helper()
	response := g.call(t, tool, arguments)
	if response.GetError() == nil {
		t.Fatalf("%s %s succeeded: %.300s", tool, arguments, protojson.Format(response))
	}
	return response.GetError()
}

func (g *gateway) succeeds(t *testing.T, tool, arguments string) *toolgatev1.ToolResult {
	t.Helper()
	response := g.call(t, tool, arguments)
	if response.GetResult() == nil {
		t.Fatalf("%s %s failed: %s", tool, arguments, protojson.Format(response))
	}
	return response.GetResult()
}

func wantClass(t *testing.T, failed *toolgatev1.ToolError, class toolgatev1.ErrorClass) {
	t.Helper()
	if failed.GetErrorClass() != class {
		t.Errorf("class %v, want %v: %s", failed.GetErrorClass(), class, protojson.Format(failed))
	}
	if (failed.RetryAfter != nil) != (failed.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT) {
		t.Errorf("retry_after %v on %v", failed.RetryAfter, failed.GetErrorClass())
	}
}

func wantField(t *testing.T, failed *toolgatev1.ToolError, field string) {
	t.Helper()
	if len(failed.GetViolations()) != 1 || failed.GetViolations()[0].GetField() != field {
		t.Errorf("violations %v, want one of %s", failed.GetViolations(), field)
	}
}

// wantNowhere looks for secrets in a message, in the log and in the metrics.
func wantNowhere(t *testing.T, g *gateway, message proto.Message, secrets ...string) {
	t.Helper()
	places := map[string]string{"the response": protojson.Format(message), "the log": g.log.String(), "the metrics": g.exposition(t)}
	for place, text := range places {
		if len(text) < 10 {
			t.Errorf("%s is empty, so this test shows nothing", place)
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %s: %s", place, secret, text)
			}
		}
	}
}

// exposition is what a scrape of the metrics shows.
func (g *gateway) exposition(t *testing.T) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	promhttp.HandlerFor(g.metrics, promhttp.HandlerOpts{}).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return recorder.Body.String()
}

func textOf(result *toolgatev1.ToolResult) string {
	text := result.GetStructuredJson()
	for _, block := range result.GetContent() {
		text += block.GetText().GetText()
	}
	return text
}

// sizeOf counts the bytes of an answer that a caller reads.
func sizeOf(result *toolgatev1.ToolResult) int {
	n := len(result.GetStructuredJson())
	for _, block := range result.GetContent() {
		n += len(block.GetText().GetText()) + len(block.GetImage().GetData()) + len(block.GetAudio().GetData()) +
			len(block.GetResource().GetText()) + len(block.GetResource().GetData())
	}
	return n
}

// safeBuffer is a buffer that a logger and a test may share.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer // guarded by mu
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
