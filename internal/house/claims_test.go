package house

import (
	"strings"
	"testing"
	"testing/synctest"

	"toolgate.dev/toolgate/server/servertest"
)

// What README.md says of its one tool happens.
func TestTheToolOfTheReadmeDoesWhatTheReadmeSays(t *testing.T) {
	yaml := strings.ReplaceAll(blocks(t, "README.md", "yaml")[0], "https://", "http://")
	synctest.Test(t, func(t *testing.T) {
		unavailable, fine := servertest.Respond(503, ""), servertest.Respond(200, `{"days":["rain"]}`)
		upstream := servertest.NewUpstream(t, fine)
		g := servertest.Start(t, servertest.Load(t, yaml, upstream))

		result := g.Call(t, "r", "get_weather", `{"city": "Oslo", "from": "03/14/2026", "days": "3"}`).GetResult()
		if len(result.GetCoercions()) != 2 {
			t.Errorf("corrected %v", result.GetCoercions())
		}
		if got := upstream.Requests()[0]; got.Path != "/v1/forecast/Oslo" || got.Query != "from=2026-03-14&days=3" {
			t.Errorf("sent %s?%s", got.Path, got.Query)
		}

		failed := g.Call(t, "r", "get_weather", `{"city": "Oslo", "days": 90}`).GetError()
		if upstream.Count() != 1 || len(failed.GetViolations()) != 1 || failed.GetViolations()[0].GetField() != "days" ||
			!strings.Contains(failed.GetViolations()[0].GetRange(), "14") {
			t.Errorf("%d requests, %v", upstream.Count(), failed)
		}

		upstream.Script(unavailable, unavailable, fine)
		result = g.Call(t, "r", "get_weather", `{"city": "Bergen"}`).GetResult()
		if result.GetAttempts() != 3 || upstream.Count() != 4 {
			t.Errorf("%d attempts, %d requests, %v", result.GetAttempts(), upstream.Count(), result)
		}
	})
}
