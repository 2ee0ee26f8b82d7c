package openapi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// document is the path of a document that `make peers` fetches.
func document(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../../.bin/openapi", name))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		t.Skip("make test-peers fetches what this needs")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: make test-peers fetches it", path)
	}
	return path
}

// parse reads a catalogue's text as a file of the test's own folder.
func parse(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	tools, err := catalog.Parse(filepath.Join(t.TempDir(), "catalog.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	return tools
}

const stripeCatalogue = `
upstreams:
  stripe: {url: %q, provider: stripe}
defaults: {max_attempts: 1, max_in_flight_per_run: 100, breaker_failures: 0}
openapi:
  - document: %s
    upstream: stripe
    max_schema_bytes: 262144 # so that the whole of it can be tried
    security: {bearerAuth: {from: "env:PEER_STRIPE_KEY"}}
    tools:
      "Post*": {idempotency_key: {}}
`

func stripe(t testing.TB) *catalog.Catalog {
	t.Helper()
	t.Setenv("PEER_STRIPE_KEY", "sk_test_123")
	return parse(t, fmt.Sprintf(stripeCatalogue, peertest.StripeMock(t), document(t, "stripe.json")))
}

// Every operation that can be a tool is called twice through a whole gateway: with
// what it requires, and with everything that it takes. stripe-mock refuses what
// does not fit the document.
func TestEveryOperationOfStripe(t *testing.T) {
	tools := stripe(t)
	if len(tools.Tools()) < 590 {
		t.Errorf("%d tools", len(tools.Tools()))
	}
	g := servertest.Start(t, tools)
	for i, tool := range tools.Tools() {
		peertest.Check(t, "stripe", tool.Name, func(t *testing.T) {
			for _, all := range []bool{false, true} {
				arguments := sample(tool.SchemaJSON, all)
				response, err := g.Client.CallTool(t.Context(), &toolgatev1.CallToolRequest{
					RunId: fmt.Sprintf("run-%d-%v", i, all), Call: &toolgatev1.ToolCall{Tool: tool.Name, ArgumentsJson: arguments},
				})
				if err != nil {
					t.Fatal(err)
				}
				if failed := response.GetError(); failed != nil {
					t.Errorf("all %v: %s\n%s", all, failed.GetObservation(), arguments)
				}
			}
		})
	}
}

func TestWhatOfStripeIsNoToolIsExplained(t *testing.T) {
	warnings := stripe(t).Warnings()
	said := warnings.Error()
	for _, part := range []string{"PostFiles", "multipart/form-data", "GetQuotesQuotePdf", "files.stripe.com"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q lacks %s", said, part)
		}
	}
	if len(warnings) != 2 {
		t.Errorf("%d warnings: %s", len(warnings), said)
	}
}

func TestTheCatalogueOfTheManualIsServed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/openapi.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	t.Setenv("STRIPE_KEY", "sk_test_123")
	tools := parse(t, strings.ReplaceAll(text, "openapi/stripe.json", document(t, "stripe.json")))
	if refund, ok := tools.Lookup("stripe_PostRefunds"); !ok || !refund.HasIdempotencyKey || refund.Verification == nil || len(tools.Warnings()) != 0 {
		t.Errorf("%+v, %v", refund, tools.Warnings())
	}
}
