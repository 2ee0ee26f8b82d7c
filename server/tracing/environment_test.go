package tracing_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"toolgate.dev/toolgate/server/tracing"
)

func TestTheEnvironmentSaysWhetherThereAreTraces(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, c := range map[string]struct {
		env      map[string]string
		on       bool
		complain string
	}{
		"nothing is set":           {nil, false, ""},
		"an endpoint":              {map[string]string{endpoint: "http://127.0.0.1:4318"}, true, ""},
		"one of traces alone":      {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318"}, true, ""},
		"an exporter alone":        {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		"an empty endpoint":        {map[string]string{endpoint: " "}, false, ""},
		"no exporter":              {map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"the SDK is disabled":      {map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		"another exporter":         {map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "zipkin"}, false, "OTEL_TRACES_EXPORTER"},
		"another protocol":         {map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, true, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		"another propagator":       {map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_PROPAGATORS": "b3,tracecontext"}, true, "OTEL_PROPAGATORS"},
		"an endpoint that is bare": {map[string]string{endpoint: "user:word@127.0.0.1:4317"}, true, endpoint},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			pipeline, err := tracing.FromEnvironment(t.Context(), tracing.Environment{
				Getenv: func(variable string) string { return c.env[variable] }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = pipeline.Shutdown(context.Background()) }()
			if (pipeline != nil) != c.on {
				t.Errorf("traces: %v, want %v", pipeline != nil, c.on)
			}
			if (log.Len() > 0) != (c.complain != "") || !strings.Contains(log.String(), c.complain) || strings.Contains(log.String(), "word") {
				t.Errorf("logged %q, want something of %q", log.String(), c.complain)
			}
		})
	}
}

func TestPropagatorsAreThoseOfTheEnvironment(t *testing.T) {
	for chosen, fields := range map[string]int{"": 2, "tracecontext,baggage": 2, "none": 0} {
		pipeline, err := tracing.FromEnvironment(t.Context(), tracing.Environment{
			Getenv: func(variable string) string {
				return map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_PROPAGATORS": chosen}[variable]
			},
			Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := pipeline.Propagator.Fields(); len(got) != fields {
			t.Errorf("%q reads %v", chosen, got)
		}
		_ = pipeline.Shutdown(t.Context())
	}
}

// A collector over HTTP gets protobuf at the path of the specification, and the
// headers of the environment.
func TestTracesTravelOverHTTPByDefault(t *testing.T) {
	var spans int
	var path, key string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req collectorv1.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &req); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		path, key = r.URL.Path, r.Header.Get("X-Key")
		for _, of := range req.GetResourceSpans() {
			for _, in := range of.GetScopeSpans() {
				spans += len(in.GetSpans())
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=abc")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_on")
	pipeline := fromEnvironment(t)
	_, span := pipeline.Provider.Tracer("test").Start(t.Context(), "a")
	span.End()
	if err := pipeline.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if spans != 1 || path != "/v1/traces" || key != "abc" {
		t.Errorf("%d spans came to %s with the key %q", spans, path, key)
	}
}

func TestTheSamplerIsThatOfTheEnvironment(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	pipeline := fromEnvironment(t)
	defer func() { _ = pipeline.Shutdown(t.Context()) }()
	if _, span := pipeline.Provider.Tracer("test").Start(t.Context(), "a"); span.SpanContext().IsSampled() {
		t.Error("a span is sampled")
	}
}
