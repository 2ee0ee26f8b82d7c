package openapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// judge is a server that answers 204 to a request that fits the document, and 400
// with the reason to any other. It reads the document with kin-openapi.
type judge struct {
	spec *openapi3.T
	// operation is the one that the next request is for; tests call one at a time.
	method, path string
}

func newJudge(t *testing.T, name string) *judge {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromFile(document(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return &judge{spec: spec}
}

func (j *judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := j.check(r); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"code":"refused","message":%q}`, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

var variable = regexp.MustCompile(`\\\{([^{}]*)\\\}`)

func (j *judge) check(r *http.Request) error {
	item := j.spec.Paths.Value(j.path)
	if r.Method != j.method {
		return fmt.Errorf("%s is not %s", r.Method, j.method)
	}
	var names []string
	pattern := variable.ReplaceAllStringFunc(regexp.QuoteMeta(j.path), func(written string) string {
		names = append(names, strings.Trim(written, `\{}`))
		return "([^/]+)"
	})
	found := regexp.MustCompile("^" + pattern + "$").FindStringSubmatch(r.URL.EscapedPath())
	if found == nil {
		return fmt.Errorf("%s is not at %s", r.URL.EscapedPath(), j.path)
	}
	parameters := map[string]string{}
	for i, name := range names {
		value, err := url.PathUnescape(found[i+1])
		if err != nil {
			return err
		}
		parameters[name] = value
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: parameters,
		Route:   &routers.Route{Spec: j.spec, Path: j.path, PathItem: item, Method: j.method, Operation: item.GetOperation(j.method)},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	})
}

// imported are the tools of a catalogue, and their places in the document.
func imported(t *testing.T, text string) (*catalog.Catalog, map[string]catalog.ImportedTool) {
	t.Helper()
	reading, err := catalog.Read("catalog.yaml", []byte(text))
	if err != nil || len(reading.Problems) > 0 || len(reading.Imports) != 1 {
		t.Fatal(err, reading.Problems)
	}
	t.Cleanup(reading.Catalog.Close)
	places := map[string]catalog.ImportedTool{}
	for _, tool := range reading.Imports[0].Tools {
		places[tool.Written.GetName()] = tool
	}
	return reading.Catalog, places
}

// judged calls every operation of a document twice: with what it requires, and with
// everything that it takes. One that is excused, with the reason, is called with what
// it requires alone.
func judged(t *testing.T, peer, file string, atLeast int, excused map[string]string) {
	t.Helper()
	j := newJudge(t, file)
	server := httptest.NewServer(j)
	t.Cleanup(server.Close)
	text := fmt.Sprintf(`
upstreams: {it: {url: %q, secret_headers: {Authorization: {from: "env:PEER_TOKEN"}}}}
defaults: {max_attempts: 1, breaker_failures: 0}
openapi: [{document: %s, upstream: it, max_schema_bytes: 262144}]
`, server.URL, document(t, file))
	t.Setenv("PEER_TOKEN", "token-1234")
	tools, places := imported(t, text)
	if len(tools.Tools()) < atLeast {
		t.Errorf("%d tools", len(tools.Tools()))
	}
	g := servertest.Start(t, tools)
	for i, tool := range tools.Tools() {
		peertest.Check(t, peer, tool.Name, func(t *testing.T) {
			j.method, j.path = places[tool.Name].Method, places[tool.Name].Path
			for _, all := range []bool{false, true} {
				if reason := excused[tool.Name]; all && reason != "" {
					t.Logf("excused: %s", reason)
					continue
				}
				callJudged(t, g, tool, fmt.Sprintf("run-%d-%v", i, all), all)
			}
		})
	}
}

func callJudged(t *testing.T, g *servertest.Gateway, tool *interceptors.Tool, run string, all bool) {
	t.Helper()
	arguments := sample(tool.SchemaJSON, all)
	response, err := g.Client.CallTool(t.Context(), &toolgatev1.CallToolRequest{
		RunId: run, Call: &toolgatev1.ToolCall{Tool: tool.Name, ArgumentsJson: arguments},
	})
	if err != nil {
		t.Fatal(err)
	}
	if failed := response.GetError(); failed != nil {
		t.Errorf("all %v: %s\n%s", all, failed.GetObservation(), arguments)
	}
}

func TestEveryOperationOfGitHub(t *testing.T) {
	const has = "the judge does not know a text from a list where a query may hold either"
	judged(t, "github", "github.json", 1222, map[string]string{
		"dependabot_list-alerts-for-enterprise": has, "dependabot_list-alerts-for-org": has, "dependabot_list-alerts-for-repo": has,
	})
}

func TestEveryOperationOfFigma(t *testing.T) {
	judged(t, "figma", "figma.yaml", 54, nil)
}
