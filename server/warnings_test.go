package server_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"toolgate.dev/toolgate/server/servertest"
)

// A schema that does not compile is a fault of the catalogue, and no reason for
// its tool to be dead.
func TestAToolWhoseSchemaDoesNotCompileIsServedUncheckedAndCounted(t *testing.T) {
	const yaml = `
tools:
  - name: create_note
    description: Creates a note.
    http: {method: POST, url: "http://notes.example.com/notes"}
    input_schema:
      type: object
      properties: {text: {type: string, pattern: "(["}}
  - name: get_note
    description: Shows a note.
    http: {method: GET, url: "http://notes.example.com/notes"}
    input_schema: {type: object}
`
	synctest.Test(t, func(t *testing.T) {
		up := servertest.NewUpstream(t)
		up.Script(okay)
		g := servertest.Start(t, servertest.Load(t, yaml, up))
		if resp := g.Call(t, "r", "create_note", `{"text":7}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
		g.Call(t, "r", "get_note", `{}`)
		wantRequests(t, up, 2)
		if body := up.Requests()[0].Body; !strings.Contains(body, `{"text":7}`) {
			t.Errorf("sent %s", body)
		}
		const want = `
			# HELP toolgate_unvalidated_calls_total Calls whose arguments nobody checked, since the tool's schema does not compile.
			# TYPE toolgate_unvalidated_calls_total counter
			toolgate_unvalidated_calls_total{tool="create_note"} 1
		`
		if err := testutil.GatherAndCompare(g.Registry, strings.NewReader(want), "toolgate_unvalidated_calls_total"); err != nil {
			t.Error(err)
		}
		if log := g.Log(); strings.Count(log, "the catalogue has a fault") != 1 || !strings.Contains(log, "test.yaml:8:50: tools[0].input_schema.properties.text.pattern") {
			t.Errorf("log %s", log)
		}
	})
}
