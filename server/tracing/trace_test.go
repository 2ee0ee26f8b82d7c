package tracing_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc/metadata"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
	"toolgate.dev/toolgate/server/tracing"
)

const (
	rpcSpan   = "toolgate.v1.ToolGatewayService/CallTool"
	batchSpan = "toolgate.v1.ToolGatewayService/CallTools"
)

func text(value *commonv1.AnyValue) string {
	switch v := value.GetValue().(type) {
	case *commonv1.AnyValue_StringValue:
		return v.StringValue
	case *commonv1.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *commonv1.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *commonv1.AnyValue_DoubleValue:
		return strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
	}
	return value.String()
}

// traced is a gateway whose traces go to a receiver.
type traced struct {
	*servertest.Gateway
	receiver *receiver
	flush    func()
}

// start runs a gateway that the environment tells to trace.
func start(t *testing.T, tools *catalog.Catalog, options ...servertest.Option) traced {
	t.Helper()
	r := startReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+r.address)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	pipeline := fromEnvironment(t)
	t.Cleanup(func() { _ = pipeline.Shutdown(context.Background()) })
	tracing := func(config *server.Config) {
		config.TracerProvider, config.Propagator = pipeline.Provider, pipeline.Propagator
	}
	g := servertest.Start(t, tools, append([]servertest.Option{tracing}, options...)...)
	r.flush = func() {
		if err := pipeline.Provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return traced{g, r, r.flush}
}

func fromEnvironment(t *testing.T) *tracing.Pipeline {
	t.Helper()
	pipeline, err := tracing.FromEnvironment(t.Context(), tracing.Environment{
		Getenv: os.Getenv, Logger: slog.New(slog.DiscardHandler), Version: "1.2.3",
	})
	if err != nil {
		t.Fatal(err)
	}
	return pipeline
}

func want(t *testing.T, span *tracev1.Span, attributes map[string]string) {
	t.Helper()
	got := texts(span.GetAttributes())
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		value, there := got[name]
		if wanted := attributes[name]; value != wanted || !there && wanted != "" {
			t.Errorf("%s: %s is %q, want %q; all: %v", span.GetName(), name, value, wanted, got)
		}
	}
}

func wantStatus(t *testing.T, span *tracev1.Span, code tracev1.Status_StatusCode, message string) {
	t.Helper()
	if span.GetStatus().GetCode() != code || span.GetStatus().GetMessage() != message {
		t.Errorf("%s: status %v, want %v %q", span.GetName(), span.GetStatus(), code, message)
	}
}

func wantParent(t *testing.T, child, parent *tracev1.Span) {
	t.Helper()
	if !bytes.Equal(child.GetParentSpanId(), parent.GetSpanId()) || !bytes.Equal(child.GetTraceId(), parent.GetTraceId()) {
		t.Errorf("%s is no child of %s", child.GetName(), parent.GetName())
	}
}

const crm = `
upstreams:
  crm:
    url: %s/v1
    secret_headers: {Authorization: {from: "env:CRM_KEY", prefix: "Bearer "}}
tools:
  - name: get_customer
    upstream: crm
    http: {method: GET, url: "/customers/{email}?expand=all", secret_query: {api_key: {from: "env:CRM_KEY"}}}
    effect: read
    input_schema: {type: object, properties: {email: {type: string}, since: {type: string, format: date}}, required: [email]}
    policy: {backoff: 1ms}
`

const (
	secretKey = "swordfish-8842-key"
	email     = "jane.roe@example.org"
)

func crmGateway(t *testing.T, answers ...http.HandlerFunc) (traced, *[]http.Header) {
	t.Helper()
	var seen []http.Header
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		answer(w, r)
	}))
	t.Cleanup(up.Close)
	t.Setenv("CRM_KEY", secretKey)
	return start(t, servertest.Load(t, fmt.Sprintf(crm, up.URL), nil)), &seen
}

func TestACallIsASpanWithAChildPerAttempt(t *testing.T) {
	unavailable, fine := http.HandlerFunc(servertest.Respond(503, "")), http.HandlerFunc(servertest.Respond(200, `{"name":"x"}`))
	g, seen := crmGateway(t, unavailable, unavailable, fine)
	result := g.Call(t, "run-1", "get_customer", `{"email":"`+email+`","since":"03/14/2026"}`, servertest.ID("call-1")).GetResult()
	if result.GetAttempts() != 3 {
		t.Fatalf("got %v", result)
	}
	g.flush()

	rpc, call := g.receiver.one(t, rpcSpan), g.receiver.one(t, "execute_tool get_customer")
	want(t, rpc, map[string]string{"rpc.system.name": "grpc", "rpc.method": rpcSpan})
	if rpc.GetKind() != tracev1.Span_SPAN_KIND_SERVER || call.GetKind() != tracev1.Span_SPAN_KIND_INTERNAL {
		t.Errorf("kinds %v, %v", rpc.GetKind(), call.GetKind())
	}
	wantParent(t, call, rpc)
	want(t, call, map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_customer", "gen_ai.tool.call.id": "call-1",
		"gen_ai.tool.type": "extension", "toolgate.run.id": "run-1", "toolgate.attempts": "3", "toolgate.coercions": "1", "error.type": "",
	})
	wantStatus(t, call, tracev1.Status_STATUS_CODE_UNSET, "")
	if waits := len(call.GetEvents()); waits != 2 {
		t.Errorf("%d events, want the two waits: %v", waits, call.GetEvents())
	}

	attempts := g.receiver.named("GET /v1/customers/{email}")
	if len(attempts) != 3 {
		t.Fatalf("%d attempts, all: %v", len(attempts), g.receiver.names())
	}
	for i, attempt := range attempts {
		wantParent(t, attempt, call)
		if attempt.GetKind() != tracev1.Span_SPAN_KIND_CLIENT {
			t.Errorf("kind %v", attempt.GetKind())
		}
		resend := ""
		if i > 0 {
			resend = strconv.Itoa(i)
		}
		want(t, attempt, map[string]string{
			"http.request.method": "GET", "server.address": "127.0.0.1", "url.template": "/v1/customers/{email}",
			"http.request.resend_count": resend, "toolgate.upstream": "crm",
		})
		parent := "00-" + hex.EncodeToString(attempt.GetTraceId()) + "-" + hex.EncodeToString(attempt.GetSpanId()) + "-01"
		if got := (*seen)[i].Get("Traceparent"); got != parent {
			t.Errorf("attempt %d: the upstream was told %q, want %q", i, got, parent)
		}
	}
	for _, failed := range attempts[:2] {
		want(t, failed, map[string]string{
			"http.response.status_code": "503", "error.type": "503", "toolgate.error.class": "transient",
		})
		if failed.GetStatus().GetCode() != tracev1.Status_STATUS_CODE_ERROR {
			t.Errorf("status %v", failed.GetStatus())
		}
	}
	want(t, attempts[2], map[string]string{"http.response.status_code": "200", "error.type": ""})
	wantStatus(t, attempts[2], tracev1.Status_STATUS_CODE_UNSET, "")
}

func TestASpanHoldsNothingRaw(t *testing.T) {
	g, _ := crmGateway(t, http.HandlerFunc(servertest.Respond(400, `{"error":"no customer `+email+` for key `+secretKey+`"}`)))
	g.Call(t, "r", "get_customer", `{"email":"`+email+`","since":"2026-03-14"}`)
	g.Call(t, "r", "no_such_tool_of_"+email, `{}`)
	g.flush()
	attempt := g.receiver.one(t, "GET /v1/customers/{email}")
	if full := texts(attempt.GetAttributes())["url.full"]; !strings.HasSuffix(full, "/v1/customers/REDACTED") {
		t.Errorf("url.full is %q", full)
	}
	for _, secret := range []string{secretKey, "jane.roe", "expand=all", "api_key", "Bearer", "no customer", "2026-03-14", "no_such_tool_of"} {
		if bytes.Contains(g.receiver.raw, []byte(secret)) {
			t.Errorf("%q was exported", secret)
		}
	}
	g.receiver.one(t, "execute_tool unknown_tool")
}

func TestAFailureThatRidesOnAnOKReplyIsAnErrorOfTheCallsSpan(t *testing.T) {
	for name, c := range map[string]struct {
		answer        http.HandlerFunc
		arguments     string
		status        string
		call, attempt map[string]string
	}{
		"terminal": {
			http.HandlerFunc(servertest.Respond(403, `{"type":"about:blank","title":"closed","code":"customer_gone"}`)), `{"email":"a@b.example"}`, "terminal: customer_gone",
			map[string]string{"toolgate.error.class": "terminal", "toolgate.error.code": "customer_gone", "toolgate.attempts": "1", "error.type": "_OTHER"},
			map[string]string{"http.response.status_code": "403", "error.type": "403"},
		},
		"invalid request": {
			http.HandlerFunc(servertest.Respond(200, `{}`)), `{}`, "invalid_request: invalid_arguments",
			map[string]string{
				"toolgate.error.class": "invalid_request", "toolgate.error.field": "email", "error.type": "invalid_arguments",
				"toolgate.answered_by": "arguments", "toolgate.attempts": "0",
			},
			nil,
		},
		"a connection that is cut": {
			http.HandlerFunc(servertest.Reset), `{"email":"a@b.example"}`, "transient: unreachable",
			map[string]string{
				"toolgate.error.class": "transient", "toolgate.error.exhausted": "true", "toolgate.attempts": "5", "error.type": "unreachable",
			},
			map[string]string{"error.type": "connection_reset", "http.response.status_code": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := crmGateway(t, c.answer)
			g.Call(t, "r", "get_customer", c.arguments)
			g.flush()
			rpc, call := g.receiver.one(t, rpcSpan), g.receiver.one(t, "execute_tool get_customer")
			wantStatus(t, rpc, tracev1.Status_STATUS_CODE_UNSET, "")
			wantStatus(t, call, tracev1.Status_STATUS_CODE_ERROR, c.status)
			want(t, call, c.call)
			attempts := g.receiver.named("GET /v1/customers/{email}")
			if c.attempt == nil && len(attempts) > 0 {
				t.Errorf("%d attempts", len(attempts))
			}
			for _, attempt := range attempts {
				want(t, attempt, c.attempt)
			}
		})
	}
}

func TestATraceOfTheCallerGoesOn(t *testing.T) {
	g, seen := crmGateway(t, http.HandlerFunc(servertest.Respond(200, `{}`)))
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	call := func(flags string) {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-"+traceID+"-"+parent+"-"+flags, "tracestate", "vendor=1", "baggage", "user=jane")
		if _, err := g.Try(ctx, "r", "get_customer", `{"email":"a@b.example"}`); err != nil {
			t.Fatal(err)
		}
		g.flush()
	}
	call("00") // the caller does not sample
	if n := len(g.receiver.all()); n != 0 {
		t.Errorf("%d spans of a trace that is not sampled", n)
	}
	call("01")
	rpc := g.receiver.one(t, rpcSpan)
	if hex.EncodeToString(rpc.GetTraceId()) != traceID || hex.EncodeToString(rpc.GetParentSpanId()) != parent {
		t.Errorf("the rpc's span is of trace %x below %x", rpc.GetTraceId(), rpc.GetParentSpanId())
	}
	for i, flags := range []string{"00", "01"} {
		got := (*seen)[i]
		if !strings.HasPrefix(got.Get("Traceparent"), "00-"+traceID) || !strings.HasSuffix(got.Get("Traceparent"), flags) {
			t.Errorf("the upstream was told %q", got.Get("Traceparent"))
		}
		if got.Get("Tracestate") != "vendor=1" || got.Get("Baggage") != "" {
			t.Errorf("the upstream was told %v", got)
		}
	}
}

func TestTheCallsOfABatchAreSiblings(t *testing.T) {
	g, _ := crmGateway(t, http.HandlerFunc(servertest.Respond(200, `{}`)))
	stream, err := g.Client.CallTools(t.Context(), &toolgatev1.CallToolsRequest{RunId: "r", Calls: []*toolgatev1.ToolCall{
		{Tool: "get_customer", ArgumentsJson: `{"email":"a@b.example"}`}, {Tool: "get_customer", ArgumentsJson: `{}`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := stream.Recv(); err != nil {
			break
		}
	}
	g.flush()
	rpc, calls := g.receiver.one(t, batchSpan), g.receiver.named("execute_tool get_customer")
	if len(calls) != 2 {
		t.Fatalf("spans %v", g.receiver.names())
	}
	for _, call := range calls {
		wantParent(t, call, rpc)
	}
}

func TestADrainExportsTheLastSpans(t *testing.T) {
	r := startReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+r.address)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // nothing is exported by itself
	t.Setenv("OTEL_SERVICE_NAME", "tools-eu")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging")
	pipeline := fromEnvironment(t)
	defer func() { _ = pipeline.Shutdown(context.Background()) }()
	t.Run("a gateway", func(t *testing.T) { // that drains with its test
		g := servertest.Start(t, servertest.Load(t, `tools: [{name: a, http: {method: GET, url: "http://127.0.0.1:1/"}, policy: {max_attempts: 1}}]`, nil),
			func(config *server.Config) { config.TracerProvider = pipeline.Provider })
		g.Call(t, "r", "a", `{}`)
		if len(r.all()) != 0 {
			t.Fatal("spans were exported before the drain")
		}
	})
	attempt := r.one(t, "GET /")
	want(t, attempt, map[string]string{"error.type": "connection_refused", "server.port": "1"})
	about := r.resources[0]
	if about["service.name"] != "tools-eu" || about["service.version"] != "1.2.3" || about["deployment.environment.name"] != "staging" {
		t.Errorf("the resource is %v", about)
	}
}

func TestWithoutAProviderTheUpstreamIsToldOfNoTrace(t *testing.T) {
	up := servertest.NewUpstream(t)
	g := servertest.Start(t, servertest.Load(t, `tools: [{name: a, http: {method: GET, url: "http://x.test/"}}]`, up))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if _, err := g.Try(ctx, "r", "a", `{}`); err != nil {
		t.Fatal(err)
	}
	if got := up.Requests()[0].Header.Get("Traceparent"); got != "" {
		t.Errorf("the upstream was told %q", got)
	}
	var tracer *tracing.Tracer
	if tracing.New(tracing.Settings{}) != tracer || tracer.ServerOptions() != nil || tracer.Flush(t.Context()) != nil {
		t.Error("a tracer without a provider does something")
	}
}

func TestAHeaderOfTheCataloguesOwnStands(t *testing.T) {
	const own = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00"
	up := servertest.NewUpstream(t)
	g := start(t, servertest.Load(t, `tools: [{name: a, http: {method: GET, url: "http://x.test/", headers: {traceparent: `+own+`}}}]`, up))
	g.Call(t, "r", "a", `{}`)
	if got := up.Requests()[0].Header.Get("Traceparent"); got != own {
		t.Errorf("the upstream was told %q", got)
	}
}

func TestATraceThatIsNotSampledHasNoID(t *testing.T) {
	if id := tracing.SampledTraceID(t.Context()); id != "" {
		t.Errorf("got %q", id)
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	if id := tracing.SampledTraceID(trace.ContextWithSpanContext(t.Context(), span)); id != "" {
		t.Errorf("got %q", id)
	}
}
