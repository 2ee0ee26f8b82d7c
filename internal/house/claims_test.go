package house

import (
	"strings"
	"testing"
	"testing/synctest"

	"toolgate.dev/toolgate/server/servertest"
)

// What README.md says of its one tool happens.
func TestTheToolOfTheReadmeDoesWhatTheReadmeSays(t *testing.T) {
	page := read(t, "README.md")
	tools := blocks(t, "README.md", "yaml")[0]
	synctest.Test(t, func(t *testing.T) {
		unavailable, fine := servertest.Respond(503, ""), servertest.Respond(200, `{"invoices":[]}`)
		upstream := servertest.NewUpstream(t, fine)
		g := servertest.Start(t, servertest.Load(t, tools, upstream))

		result := g.Call(t, "r", "list_invoices", `{"start_date": "03/14/2026"}`).GetResult()
		if len(result.GetCoercions()) != 1 || upstream.Requests()[0].Query != "start_date=2026-03-14" {
			t.Errorf("corrected %v, sent %s", result.GetCoercions(), upstream.Requests()[0].Query)
		}

		failed := g.Call(t, "r", "list_invoices", `{"status": "unpaid"}`).GetError()
		if upstream.Count() != 1 || !strings.Contains(page, failed.GetObservation()) {
			t.Errorf("%d requests; the page does not show %s", upstream.Count(), failed.GetObservation())
		}

		upstream.Script(unavailable, unavailable, fine)
		result = g.Call(t, "r", "list_invoices", `{}`).GetResult()
		if result.GetAttempts() != 3 || upstream.Count() != 4 {
			t.Errorf("%d attempts, %d requests, %v", result.GetAttempts(), upstream.Count(), result)
		}
	})
}
