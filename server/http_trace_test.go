package server_test

import (
	"net/http"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// A request continues its caller's trace, and is named for its path, not for what
// stands in it.
func TestARequestGoesOnInItsCallersTrace(t *testing.T) {
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for path, want := range map[string]string{
		"/v1/tools/find:call": "POST /v1/tools/{tool}:call",
		toolgatev1.ToolGatewayService_CallTool_FullMethodName: "POST /toolgate.v1.ToolGatewayService/",
	} {
		upstream := servertest.NewUpstream(t)
		spans := tracetest.NewSpanRecorder()
		provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
		open, client, _ := atHTTP(t)
		servertest.Start(t, servertest.Load(t, lifecycleCatalogue, upstream), open, func(c *server.Config) { c.TracerProvider = provider })
		body := `{"run_id":"r"}`
		if path[1] == 't' {
			body = `{"runId":"r","call":{"tool":"find"}}`
		}
		if status, _, text := post(client, path, body, "Traceparent", "00-"+traceID+"-"+parent+"-01"); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		if status, _, _ := get(client, "http://gateway.test/healthz"); status != http.StatusOK {
			t.Error("it is not healthy")
		}
		var names []string
		for _, span := range spans.Ended() {
			names = append(names, span.Name())
			if span.SpanContext().TraceID().String() != traceID {
				t.Errorf("%s: %s is of trace %s", path, span.Name(), span.SpanContext().TraceID())
			}
			if span.Name() == want && span.Parent().SpanID().String() != parent {
				t.Errorf("%s: it stands below %s", path, span.Parent().SpanID())
			}
		}
		if !slices.Contains(names, want) || !slices.Contains(names, "execute_tool find") || slices.Contains(names, "GET /healthz") {
			t.Errorf("%s: spans %q", path, names)
		}
		if got := upstream.Requests()[0].Header.Get("Traceparent"); len(got) < 35 || got[3:35] != traceID {
			t.Errorf("%s: the upstream was told %q", path, got)
		}
	}
}
