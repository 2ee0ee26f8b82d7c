package cli_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/cli"
)

// gateway answers every call alike and remembers what came.
type gateway struct {
	toolgatev1.UnimplementedToolGatewayServiceServer

	events []*toolgatev1.CallToolsResponse
	err    error
	hangs  bool

	mu   sync.Mutex // guards what follows
	runs []string
	sent []*toolgatev1.ToolCall
}

func (g *gateway) CallTools(request *toolgatev1.CallToolsRequest, stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]) error {
	g.mu.Lock()
	g.runs, g.sent = append(g.runs, request.GetRunId()), append(g.sent, request.GetCalls()...)
	g.mu.Unlock()
	for _, event := range g.events {
		if err := stream.Send(event); err != nil {
			return err
		}
	}
	if g.hangs {
		<-stream.Context().Done()
		return status.FromContextError(stream.Context().Err()).Err()
	}
	return g.err
}

func (g *gateway) ListTools(context.Context, *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return &toolgatev1.ListToolsResponse{
		Contract: "the contract", CatalogVersion: "c1",
		Tools: []*toolgatev1.Tool{
			{Name: "find_slots", Description: "Lists free appointments.", Effect: toolgatev1.Effect_EFFECT_READ},
			{Name: "transfer_funds", Description: "Transfers money.", Effect: toolgatev1.Effect_EFFECT_WRITE, InputSchemaJson: `{"type":"object",` +
				`"properties":{"amount":{"type":"number","description":"How much."},"to":{"type":"string"}},"required":["amount"]}`},
		},
	}, nil
}

// last is the last call that came, with its run.
func (g *gateway) last() (string, *toolgatev1.ToolCall) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sent) == 0 {
		return "", nil
	}
	return g.runs[len(g.runs)-1], g.sent[len(g.sent)-1]
}

func (g *gateway) serve(t *testing.T) string {
	t.Helper()
	return serveGateway(t, g)
}

func serveGateway(t *testing.T, g toolgatev1.ToolGatewayServiceServer) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	toolgatev1.RegisterToolGatewayServiceServer(server, g)
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-served })
	return listener.Addr().String()
}

// ran is what one command did.
type ran struct {
	code     int
	out, err string
}

func run(t *testing.T, p cli.Program, args ...string) ran {
	t.Helper()
	var out, err bytes.Buffer
	p.Args, p.Stdout, p.Stderr = args, &out, &err
	if p.Stdin == nil {
		p.Stdin = strings.NewReader("")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := cli.Run(ctx, p)
	return ran{code: code, out: out.String(), err: err.String()}
}

func done(response *toolgatev1.CallToolResponse) *toolgatev1.CallToolsResponse {
	return &toolgatev1.CallToolsResponse{Event: &toolgatev1.CallToolsResponse_Done{Done: response}}
}

func result(r *toolgatev1.ToolResult) *toolgatev1.CallToolsResponse {
	return done(&toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: r}})
}

func failure(class toolgatev1.ErrorClass, code, observation string) *toolgatev1.CallToolsResponse {
	return done(&toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: &toolgatev1.ToolError{
		ErrorClass: class, Code: code, Observation: observation, Attempts: 1, CorrelationId: "c0ffee", ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_RULE,
	}}})
}

func waiting(phase toolgatev1.CallProgress_Phase, attempt uint32, wait float64) *toolgatev1.CallToolsResponse {
	return &toolgatev1.CallToolsResponse{Event: &toolgatev1.CallToolsResponse_Progress{Progress: &toolgatev1.CallProgress{
		Phase: phase, Attempt: attempt, MaxAttempts: 5, Wait: wait, Code: "unavailable"}}}
}

func TestTheExitCodeIsTheClass(t *testing.T) {
	for _, tc := range []struct {
		name  string
		event *toolgatev1.CallToolsResponse
		code  int
		out   string
	}{
		{"a result", result(&toolgatev1.ToolResult{StructuredJson: `{"b":42.10,"a":1}`}), 0, `{"b":42.10,"a":1}` + "\n"},
		{"text", result(&toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{
			{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "hello"}}},
			{Block: &toolgatev1.ContentBlock_Image{Image: &toolgatev1.BlobBlock{MimeType: "image/png", Data: []byte{1, 2}}}},
			{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{Uri: "file:a"}}},
		}}), 0, "hello\n[image image/png, 2 bytes]\n[resource file:a]\n"},
		{"transient", failure(1, "busy", `{"error":"busy"}`), 10, `{"error":"busy"}` + "\n"},
		{"invalid_request", failure(2, "bad", `{"error":"bad"}`), 11, `{"error":"bad"}` + "\n"},
		{"terminal", failure(3, "gone", `{"error":"gone"}`), 12, `{"error":"gone"}` + "\n"},
		{"a class that nobody knows is terminal", failure(42, "new", `{"error":"new"}`), 12, `{"error":"new"}` + "\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := &gateway{events: []*toolgatev1.CallToolsResponse{tc.event}}
			got := run(t, cli.Program{}, "--gateway", g.serve(t), "call", "t")
			if got.code != tc.code || got.out != tc.out || got.err != "" {
				t.Errorf("got %+v, want %d %q", got, tc.code, tc.out)
			}
		})
	}
}

func TestTheWholeResponseIsJSON(t *testing.T) {
	failed := &gateway{events: []*toolgatev1.CallToolsResponse{failure(3, "gone", `{"error":"gone"}`)}}
	got := run(t, cli.Program{}, "call", "t", "-o", "json", "--gateway", failed.serve(t))
	want := `{"error":{"class":"ERROR_CLASS_TERMINAL","code":"gone","attempts":1,"classifiedBy":"CLASSIFIED_BY_RULE","correlationId":"c0ffee","observation":"{\"error\":\"gone\"}"}}` + "\n"
	if got.code != 12 || got.out != want {
		t.Errorf("got %+v, want %s", got, want)
	}
	fine := &gateway{events: []*toolgatev1.CallToolsResponse{result(&toolgatev1.ToolResult{StructuredJson: `{}`, Attempts: 2})}}
	if got := run(t, cli.Program{}, "call", "t", "-o", "json", "--gateway", fine.serve(t)); got.code != 0 || got.out != `{"result":{"structuredJson":"{}","attempts":2}}`+"\n" {
		t.Errorf("got %+v", got)
	}
}

func TestArgumentsReachTheGateway(t *testing.T) {
	file := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(file, []byte(`{"from": "file"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"none", nil, ""},
		{"pairs, typed", []string{"amount=150.00", "to=42"}, `{"amount":150.00,"to":"42"}`},
		{"text as it stands, malformed or not", []string{"--json", `{"amount": 150.00,`}, `{"amount": 150.00,`},
		{"from a file", []string{"--json", "@" + file}, `{"from": "file"}`},
		{"from standard input", []string{"--json", "-"}, `{"from": "stdin"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := &gateway{events: []*toolgatev1.CallToolsResponse{result(&toolgatev1.ToolResult{StructuredJson: `{}`})}}
			args := append([]string{"call", "transfer_funds", "--gateway", g.serve(t)}, tc.args...)
			if got := run(t, cli.Program{Stdin: strings.NewReader(`{"from": "stdin"}`)}, args...); got.code != 0 {
				t.Fatalf("got %+v", got)
			}
			if _, call := g.last(); call.GetArgumentsJson() != tc.want || call.GetTool() != "transfer_funds" {
				t.Errorf("sent %v, want %s", call, tc.want)
			}
		})
	}
}

func TestACallBelongsToARun(t *testing.T) {
	g := &gateway{events: []*toolgatev1.CallToolsResponse{result(&toolgatev1.ToolResult{StructuredJson: `{}`})}}
	address := g.serve(t)
	environment := cli.Program{Getenv: func(name string) string { return map[string]string{"TOOLGATE_GATEWAY": address}[name] }}
	run(t, environment, "call", "t", "--run", "night", "--call-id", "c1", "--fresh", "--alternatives")
	if id, call := g.last(); id != "night" || call.GetCallId() != "c1" || !call.GetFresh() || !call.GetWantAlternatives() {
		t.Errorf("run %q, call %v", id, call)
	}
	run(t, environment, "call", "t")
	first, _ := g.last()
	run(t, environment, "call", "t")
	if second, _ := g.last(); first == "" || first == second {
		t.Errorf("runs %q and %q", first, second)
	}
}

func TestProgressGoesToStandardError(t *testing.T) {
	g := &gateway{events: []*toolgatev1.CallToolsResponse{
		waiting(toolgatev1.CallProgress_PHASE_ATTEMPT, 1, 0),
		waiting(toolgatev1.CallProgress_PHASE_WAIT, 1, 1.25),
		waiting(toolgatev1.CallProgress_PHASE_ATTEMPT, 2, 0),
		waiting(toolgatev1.CallProgress_PHASE_QUEUED, 0, 0),
		result(&toolgatev1.ToolResult{StructuredJson: `{}`, Coercions: []*toolgatev1.Coercion{{Field: "start_date", FromJson: `"03/14/2026"`, ToJson: `"2026-03-14"`}}}),
	}}
	got := run(t, cli.Program{}, "call", "t", "--gateway", g.serve(t))
	want := "waiting 1.25 s after unavailable, 1 of 5 attempts made\nattempt 2 of 5 after unavailable\nwaiting for a turn\n" +
		"sent start_date as \"2026-03-14\", not \"03/14/2026\"\n"
	if got.out != "{}\n" || got.err != want {
		t.Errorf("got %+v", got)
	}
}

func TestAPersonGetsColourAndIndentation(t *testing.T) {
	g := &gateway{events: []*toolgatev1.CallToolsResponse{failure(3, "gone", `{"error":"gone","balance":42.10}`)}}
	address := g.serve(t)
	got := run(t, cli.Program{Terminal: true, ErrTerminal: true}, "call", "t", "--gateway", address)
	if got.out != "{\n  \"error\": \"gone\",\n  \"balance\": 42.10\n}\n" || !strings.Contains(got.err, "\x1b[31mterminal\x1b[0m") ||
		!strings.Contains(got.err, "decided by rule, 1 attempt, log c0ffee") {
		t.Errorf("got %+v", got)
	}
	plain := cli.Program{Terminal: true, ErrTerminal: true, Getenv: func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }}
	if got := run(t, plain, "call", "t", "--gateway", address); strings.Contains(got.err+got.out, "\x1b") {
		t.Errorf("coloured in spite of NO_COLOR: %+v", got)
	}
}

func TestToolsAreATableForAPersonAndJSONForAPipe(t *testing.T) {
	address := (&gateway{}).serve(t)
	piped := run(t, cli.Program{}, "tools", "--gateway", address)
	want := `{"catalog_version":"c1","contract":"the contract","tools":[{"name":"find_slots","description":"Lists free appointments.","effect":"read"},` +
		`{"name":"transfer_funds","description":"Transfers money.","effect":"write","input_schema":{"type":"object","properties":{"amount":{"type":"number","description":"How much."},"to":{"type":"string"}},"required":["amount"]}}]}` + "\n"
	if piped.code != 0 || piped.out != want {
		t.Errorf("got %+v", piped)
	}
	person := run(t, cli.Program{Terminal: true, Width: 60, Getenv: func(string) string { return "dumb" }}, "tools", "--gateway", address)
	if person.out != "TOOL            EFFECT  DESCRIPTION\nfind_slots      read    Lists free appointments.\ntransfer_funds  write   Transfers money.\n" {
		t.Errorf("got %s", person.out)
	}
	one := run(t, cli.Program{}, "tools", "transfer_funds", "-o", "table", "--gateway", address)
	if one.out != "transfer_funds (write)\nTransfers money.\n\nARGUMENT  TYPE              DESCRIPTION\namount    number  required  How much.\nto        string\n" {
		t.Errorf("got %s", one.out)
	}
}

func TestEveryMistakeSaysWhatToDoNext(t *testing.T) {
	address := (&gateway{}).serve(t)
	for _, tc := range []struct {
		name  string
		args  []string
		hints []string
	}{
		{"no tool", []string{"call"}, []string{"which tool?", "toolgate tools"}},
		{"no pair", []string{"call", "t", "amount"}, []string{`"amount" is not key=value`, "--json"}},
		{"bad JSON value", []string{"call", "t", "a:={"}, []string{"not JSON"}},
		{"both forms", []string{"call", "t", "a=1", "--json", "{}"}, []string{"exclude each other"}},
		{"no such file", []string{"call", "t", "--json", "@/no/such/file"}, []string{"/no/such/file"}},
		{"no such output", []string{"call", "t", "-o", "xml"}, []string{"-o json"}},
		{"no such flag", []string{"call", "t", "--amount", "3"}, []string{"unknown flag: --amount", "toolgate call --help"}},
		{"no such tool", []string{"tools", "nothing"}, []string{`no tool "nothing"`, "toolgate tools"}},
		{"two tools", []string{"tools", "a", "b"}, []string{"one tool at a time"}},
		{"no such command", []string{"tolls"}, []string{"tolls", "tools"}},
		{"arguments for version", []string{"version", "x"}, []string{"takes no arguments"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{}, append([]string{"--gateway", address}, tc.args...)...)
			if got.code != 1 || got.out != "" {
				t.Errorf("got %+v", got)
			}
			for _, hint := range tc.hints {
				if !strings.Contains(got.err, hint) {
					t.Errorf("%q lacks %q", got.err, hint)
				}
			}
		})
	}
}

func TestAFaultOfTheGatewayExitsWithOne(t *testing.T) {
	full, _ := status.New(codes.ResourceExhausted, "the gateway is full").WithDetails(&errdetails.ErrorInfo{Reason: "GATEWAY_FULL"})
	for _, tc := range []struct {
		name    string
		gateway *gateway
		args    []string
		hint    string
	}{
		{"a status with a reason", &gateway{err: full.Err()}, nil, "the gateway refused: the gateway is full (GATEWAY_FULL)"},
		{"a status without one", &gateway{err: status.Error(codes.Internal, "broken")}, nil, "the gateway failed: broken (Internal)"},
		{"something else that answers", &gateway{err: status.Error(codes.Unimplemented, "unknown service")}, nil, "not a toolgate gateway"},
		{"a deadline", &gateway{hangs: true}, []string{"--timeout", "20ms"}, "more time with --timeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{}, append([]string{"call", "t", "--gateway", tc.gateway.serve(t)}, tc.args...)...)
			if got.code != 1 || got.out != "" || !strings.Contains(got.err, tc.hint) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestNoGatewayIsAMistakeWithANextStep(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	for _, args := range [][]string{{"call", "t"}, {"call", "t", "a=1"}, {"tools"}} {
		got := run(t, cli.Program{}, append(args, "--gateway", address)...)
		if got.code != 1 || !strings.Contains(got.err, "no gateway answers at "+address) || !strings.Contains(got.err, "toolgate serve") {
			t.Errorf("%v: got %+v", args, got)
		}
	}
}

func TestACertificateThatIsNotTrustedIsNoMissingGateway(t *testing.T) {
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	stranger.EnableHTTP2 = true
	stranger.StartTLS()
	defer stranger.Close()
	got := run(t, cli.Program{}, "tools", "--gateway", stranger.URL)
	if got.code != 1 || !strings.Contains(got.err, "TLS with "+stranger.URL+" failed") || !strings.Contains(got.err, "TOOLGATE_CA") {
		t.Errorf("got %+v", got)
	}
}

func TestHelpAndVersion(t *testing.T) {
	if got := run(t, cli.Program{}); got.code != 0 || !strings.Contains(got.out, "call") {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{}, "--version"); got.code != 0 || !strings.HasPrefix(got.out, "toolgate ") {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{}, "version"); got.code != 0 || !strings.HasPrefix(got.out, "toolgate ") {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{Stdin: io.LimitReader(nil, 0)}, "call", "--help"); got.code != 0 || !strings.Contains(got.out, "Exit codes: 0 result, 10 transient, 11 invalid_request, 12 terminal") {
		t.Errorf("got %+v", got)
	}
}

// listen serves HTTP on loopback until the test ends.
func listen(t *testing.T, server *http.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-served })
	return listener.Addr().String()
}
