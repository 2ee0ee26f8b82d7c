package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/expfmt"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/access"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// holder is a caller with a key.
type holder struct {
	key  string
	line string // what the file holds of it
}

func newHolder() holder {
	key, kept := access.NewKey()
	return holder{key: key, line: fmt.Sprintf("{id: %s, sha256: %s}", kept.ID, kept.SHA256)}
}

// as is a context of its calls.
func (h holder) as(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "x-api-key", h.key)
}

func accessTo(t testing.TB, text string, values ...any) *server.Access {
	t.Helper()
	opened, err := server.ParseAccess("access.yaml", fmt.Appendf(nil, text, values...))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func with(opened *server.Access) servertest.Option {
	return func(c *server.Config) { c.Access = opened }
}

// guardedCatalogue has tools that lead to others; the last two are not for
// everybody.
const guardedCatalogue = `
upstreams:
  api: {url: http://upstream.test}
tools:
  - name: open_book
    description: Books.
    upstream: api
    http: {method: POST, url: /book}
    input_schema: {type: object, properties: {slot: {type: string}}, required: [slot]}
    errors:
      - {when: 'status == 409', class: terminal, code: taken, alternatives: /free}
      - {when: 'status == 402', class: terminal, code: no_funds, blocked_by: balance, unblock_with: %[1]s}
    %[2]s
  - name: open_list
    description: Lists.
    upstream: api
    http: {method: GET, url: /list}
    input_schema: {type: object}
%[3]s`

const hiddenTools = `
  - name: secret_deposit
    description: Deposits.
    upstream: api
    http: {method: POST, url: /deposit}
    input_schema: {type: object, properties: {amount: {type: number}}, required: [amount]}
  - name: secret_list
    description: Lists what is free.
    upstream: api
    http: {method: GET, url: /free}
    input_schema: {type: object}
`

const hiddenLinks = `alternatives: {tool: secret_list, when: always, arguments: '{}', items: 'result.map(x, {"arguments": {"slot": x}, "label": x})'}
    verify_with: {tool: secret_list, not_executed: 'false'}
    fallbacks: [{tool: secret_list, arguments: {}, label: what is free}]`

// world plays a story to a caller who may use the open tools, in a house that has
// hidden ones or in one that has not, and returns all that the caller saw and the
// metrics showed.
func world(t *testing.T, hidden bool) (seen []string) {
	t.Helper()
	catalogue := fmt.Sprintf(guardedCatalogue, "open_list", "", "")
	if hidden {
		catalogue = fmt.Sprintf(guardedCatalogue, "secret_deposit", hiddenLinks, hiddenTools)
	}
	synctest.Test(t, func(t *testing.T) {
		ann := newHolder()
		up := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, catalogue, up), with(accessTo(t, `
principals:
  ann: {keys: [%s], rights: {tools: ["open_*"], report: true}}`, ann.line)))
		ctx := ann.as(t.Context())
		note := func(what string, message proto.Message, err error) {
			seen = append(seen, what+": "+plain(message)+fmt.Sprint(err))
		}
		listed, err := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
		listed.CatalogVersion = "" // it tells that something is otherwise, and not what
		note("list", listed, err)
		for _, call := range []struct{ tool, arguments string }{
			{"secret_deposit", `{"amount": 1}`}, {"secret_deposit", `{}`}, {"secret_deposit", `{`}, {"secret_lis", `{}`}, {"secret_list", `{}`}, {"secret_list", `{}`},
			{"Secret_List", `{}`}, {"open_lis", `{}`},
		} {
			for _, change := range []func(*toolgatev1.ToolCall){func(*toolgatev1.ToolCall) {}, servertest.Fresh, servertest.ID("id-" + call.tool)} {
				resp, err := g.Try(ctx, "r", call.tool, call.arguments, change)
				note(call.tool+call.arguments, resp, err)
			}
		}
		for _, step := range []servertest.Step{
			servertest.Respond(http.StatusConflict, `{"code":"taken","free":["secret_slot"]}`), servertest.Respond(http.StatusBadGateway, "secret_list"), servertest.Reset,
		} {
			up.Script(step)
			resp, err := g.Try(ctx, "r2", "open_book", fmt.Sprintf(`{"slot":"%d"}`, len(seen)))
			note("book", resp, err)
		}
		run, err := g.Client.GetRun(ctx, &toolgatev1.GetRunRequest{RunId: "r"})
		note("run", run, err)
		ended, err := g.Client.EndRun(ctx, &toolgatev1.EndRunRequest{RunId: "r"})
		note("ended", ended, err)
		for _, tool := range []string{"", "secret_list", "nothing"} {
			report, err := g.Client.GetFailureReport(ctx, &toolgatev1.GetFailureReportRequest{Tool: tool})
			note("report on "+tool, report, err)
		}
		seen = append(seen, "metrics: "+toolMetrics(t, g), fmt.Sprint("requests: ", up.Count()))
	})
	return seen
}

// plain writes a message without what is random or a time.
func plain(message proto.Message) string {
	text := fmt.Sprint(message)
	return regexp.MustCompile(`(correlation_id:"[^"]*"|(started_at|since|age):\{[^}]*\}| +)`).ReplaceAllString(text, " ")
}

// toolMetrics are the metrics that name tools, without times.
func toolMetrics(t *testing.T, g *servertest.Gateway) string {
	t.Helper()
	families, err := g.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, family := range families {
		if name := family.GetName(); strings.Contains(name, "seconds") || strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") || strings.Contains(name, "catalogue") || strings.Contains(name, "bytes") {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// Whatever a caller does, a tool that it may not use is to it as one that does not
// exist: the same bytes in every answer, the same counts in every metric.
func TestAForbiddenToolIsAsOneThatDoesNotExist(t *testing.T) {
	with, without := world(t, true), world(t, false)
	for i := range max(len(with), len(without)) {
		if i >= len(with) || i >= len(without) {
			t.Fatalf("%d answers and %d", len(with), len(without))
		}
		if with[i] != without[i] {
			t.Errorf("where it is forbidden:\n%s\nwhere there is none:\n%s", with[i], without[i])
		}
	}
	for _, answer := range with {
		if strings.HasPrefix(answer, "metrics") && strings.Contains(answer, "secret_") {
			t.Errorf("the metrics name a hidden tool: %s", answer)
		}
	}
}

func TestARunBelongsToItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, bob := newHolder(), newHolder()
		up := servertest.NewUpstream(t, rejected)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, up), with(accessTo(t, `
principals:
  ann: {keys: [%s], rights: {tools: ["*"]}}
  bob: {keys: [%s], rights: {tools: ["*"]}}`, ann.line, bob.line)))
		call := func(who holder, id string) *toolgatev1.CallToolResponse {
			resp, err := g.Try(who.as(t.Context()), "shared", "lookup", id, servertest.ID("the-call"))
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}
		first := call(ann, `{"id":"1"}`)
		if got := call(ann, `{"id":"1"}`); got.GetError().GetCorrelationId() != first.GetError().GetCorrelationId() && up.Count() != 1 {
			t.Errorf("ann's own call is not found again: %v", got)
		}
		if call(bob, `{"id":"1"}`); up.Count() != 2 {
			t.Error("bob is answered from ann's memory")
		}
		runOf := func(who holder) *toolgatev1.RunSummary {
			resp, err := g.Client.GetRun(who.as(t.Context()), &toolgatev1.GetRunRequest{RunId: "shared"})
			if err != nil {
				t.Fatal(err)
			}
			return resp.GetRun()
		}
		if got := runOf(bob).GetCalls(); got != 1 {
			t.Errorf("bob sees %d calls", got)
		}
		if _, err := g.Client.EndRun(bob.as(t.Context()), &toolgatev1.EndRunRequest{RunId: "shared"}); err != nil {
			t.Fatal(err)
		}
		if runOf(ann).GetCalls() == 0 {
			t.Error("bob has ended ann's run")
		}
	})
}

func reasonOf(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}

func retryOf(err error) time.Duration {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

func TestWhoIsNotKnownIsToldSoAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, stranger := newHolder(), newHolder()
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t)), with(accessTo(t, `
principals: {ann: {keys: [%s], rights: {tools: [lookup]}}}`, ann.line)))
		for name, c := range map[string]struct {
			headers []string
			code    codes.Code
			reason  string
		}{
			"nothing":      {nil, codes.Unauthenticated, "CREDENTIAL_MISSING"},
			"another key":  {[]string{"x-api-key", stranger.key}, codes.Unauthenticated, "CREDENTIAL_INVALID"},
			"a token":      {[]string{"authorization", "Bearer swordfish.swordfish.swordfish"}, codes.Unauthenticated, "CREDENTIAL_INVALID"},
			"a password":   {[]string{"authorization", "Basic swordfish"}, codes.Unauthenticated, "CREDENTIAL_MISSING"},
			"a key twice":  {[]string{"x-api-key", ann.key, "x-api-key", stranger.key}, codes.Unauthenticated, "CREDENTIAL_INVALID"},
			"the right":    {[]string{"x-api-key", ann.key}, codes.OK, ""},
			"as a bearer":  {[]string{"authorization", "bearer " + ann.key}, codes.OK, ""},
			"with a space": {[]string{"x-api-key", ann.key + " "}, codes.OK, ""},
		} {
			ctx := metadata.AppendToOutgoingContext(t.Context(), c.headers...)
			_, err := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
			if status.Code(err) != c.code || reasonOf(err) != c.reason {
				t.Errorf("%s: %v (%s)", name, err, reasonOf(err))
			}
			if text := fmt.Sprint(err, status.Convert(err).Details(), g.Log()); strings.Contains(text, "swordfish") || strings.Contains(text, stranger.key[12:]) || strings.Contains(text, ann.key[12:]) {
				t.Errorf("%s: the credential stands in %s", name, text)
			}
			stream, err := g.Client.CallTools(ctx, &toolgatev1.CallToolsRequest{RunId: "r", Calls: []*toolgatev1.ToolCall{{Tool: "lookup", ArgumentsJson: "{}"}}})
			if err == nil {
				_, err = stream.Recv()
			}
			if status.Code(err) != c.code {
				t.Errorf("%s: as a stream %v", name, err)
			}
		}
		if _, err := healthv1.NewHealthClient(g.Conn).Check(t.Context(), &healthv1.HealthCheckRequest{}); err != nil {
			t.Errorf("health: %v", err)
		}
		reflected, err := reflectionv1.NewServerReflectionClient(g.Conn).ServerReflectionInfo(t.Context())
		if err == nil {
			_, err = reflected.Recv()
		}
		if status.Code(err) != codes.Unauthenticated {
			t.Errorf("reflection for strangers: %v", err)
		}
	})
}

func TestStrangersDontFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann := newHolder()
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t)), with(accessTo(t, `
principals: {ann: {keys: [%s], rights: {tools: [lookup]}}}`, ann.line)))
		for range 500 {
			_, _ = g.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{})
		}
		time.Sleep(time.Minute)
		_, _ = g.Client.ListTools(t.Context(), &toolgatev1.ListToolsRequest{})
		var warned []map[string]any
		for line := range strings.Lines(g.Log()) {
			var entry map[string]any
			if json.Unmarshal([]byte(line), &entry) == nil && entry["level"] == "WARN" {
				warned = append(warned, entry)
			}
		}
		if len(warned) != 11 || warned[10]["refused_meanwhile"] != 490.0 || warned[0]["reason"] != "no_credential" {
			t.Errorf("%d warnings: %v", len(warned), warned)
		}
		if text := toolMetrics(t, g); !strings.Contains(text, `toolgate_authentications_total{credential="none",outcome="no_credential"} 501`) {
			t.Errorf("metrics: %s", text)
		}
	})
}

func TestAListNamesWhatMayBeCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann := newHolder()
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t)), with(accessTo(t, `
anonymous: {tools: [lookup]}
principals: {ann: {keys: [%s], roles: [desk], rights: {except: [transfer]}}}
roles: {desk: {tools: ["*"], except: [remove]}}`, ann.line)))
		names := func(ctx context.Context) (all []string) {
			resp, err := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range resp.GetTools() {
				all = append(all, tool.GetName())
			}
			return all
		}
		if got := names(ann.as(t.Context())); !slices.Equal(got, []string{"book", "create", "deposit", "lookup"}) {
			t.Errorf("ann: %v", got)
		}
		if got := names(t.Context()); !slices.Equal(got, []string{"lookup"}) {
			t.Errorf("anybody: %v", got)
		}
		version := func(ctx context.Context) string {
			resp, _ := g.Client.ListTools(ctx, &toolgatev1.ListToolsRequest{})
			return resp.GetCatalogVersion()
		}
		of, anybodys := version(ann.as(t.Context())), version(t.Context())
		changed := strings.Replace(capCatalogue, "description: Books.", "description: Books slots.", 1)
		g.Server.Reload(servertest.Load(t, changed, servertest.NewUpstream(t)))
		if version(ann.as(t.Context())) == of || version(t.Context()) != anybodys {
			t.Error("a change is noticed by whoever can't see it, or not by whoever can")
		}
	})
}
