package schema_test

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog/schema"
)

// An access file as the page shows it is valid, and one with a mistake is not.
func TestTheSchemaOfAnAccessFileKnowsOne(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, "docs/security.md"), "```yaml\n")
	page, _, _ := strings.Cut(rest, "```")
	judge := compiledOf(t, schema.Access())
	if err := judge.Validate(document(t, page)); err != nil {
		t.Errorf("the page's: %v", err)
	}
	for _, wrong := range []string{
		"principals: {ann: {kyes: []}}", "principals: {ann: {keys: [{id: a}]}}", "issuers: {c: {issuer: i, audiences: [a], algorithms: [HS256]}}",
		"certificates: [{name: ann, roles: [a]}]", "roles: {r: {tools: all}}", "anonymous: {limits: {per_second: fast}}",
	} {
		if judge.Validate(document(t, wrong)) == nil {
			t.Errorf("%s is valid", wrong)
		}
	}
}
