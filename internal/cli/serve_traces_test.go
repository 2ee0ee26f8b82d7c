package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"toolgate.dev/toolgate/internal/cli"
)

func TestAServedGatewayIsTracedAsTheEnvironmentSays(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
	defer up.Close()
	var names atomic.Value
	names.Store("")
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req collectorv1.ExportTraceServiceRequest
		_ = proto.Unmarshal(body, &req)
		for _, of := range req.GetResourceSpans() {
			for _, in := range of.GetScopeSpans() {
				for _, span := range in.GetSpans() {
					names.Store(names.Load().(string) + span.GetName() + "\n")
				}
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s := serveAs(t, cli.Program{Getenv: os.Getenv}, "--catalog", write(t, `tools: [{name: a, http: {method: GET, url: "`+up.URL+`/a"}}]`),
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	if got := run(t, cli.Program{}, "call", "a", "--gateway", s.Grpc); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	if code := s.ends(t); code != 0 {
		t.Fatalf("it ended with %d: %s", code, s.log)
	}
	for _, name := range []string{"toolgate.v1.ToolGatewayService/CallTools\n", "execute_tool a\n", "GET /a\n"} {
		if !strings.Contains(names.Load().(string), name) {
			t.Errorf("no span %s of %s", name, names.Load())
		}
	}
}
