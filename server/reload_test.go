package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

func TestAReloadKeepsWhatDidNotChangeAndForgetsWhatDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, up))
		up.Script(refused)
		g.Call(t, "r", "lookup", id(1))
		g.Call(t, "r", "transfer", `{"amount":1}`)
		wantRequests(t, up, 2)

		changed := strings.Replace(capCatalogue, "description: Looks up.", "description: Looks up a thing.", 1)
		changed = strings.Replace(changed, "- name: remove\n", "- name: remove_thing\n", 1)
		changes := g.Server.Reload(servertest.Load(t, changed, up))
		if got := strings.Join(changes.Changed, ",") + "|" + strings.Join(changes.Added, ",") + "|" + strings.Join(changes.Removed, ","); got != "lookup|remove_thing|remove" {
			t.Errorf("changes %s", got)
		}
		g.Call(t, "r", "transfer", `{"amount":1}`) // remembered
		wantRequests(t, up, 2)
		g.Call(t, "r", "lookup", id(1)) // another tool now
		wantRequests(t, up, 3)
	})
}

func TestCallsRunThroughReloadsWithoutOneLostOrMisrouted(t *testing.T) {
	up := servertest.NewUpstream(t)
	up.Script(okay)
	versions := []*catalog.Catalog{
		servertest.Load(t, capCatalogue, up),
		servertest.Load(t, strings.Replace(capCatalogue, "Looks up.", "Looks it up.", 1), up),
	}
	g := servertest.Start(t, versions[0])
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 100 {
				if resp := g.Call(t, "r", "lookup", `{"id":"x"}`); resp.GetResult() == nil {
					t.Errorf("lost: %v", resp)
				}
			}
		})
	}
	for i := range 20 {
		g.Server.Reload(versions[i%2])
	}
	calls.Wait()
	wantRequests(t, up, 800)
}

func TestBreakersCooldownsAndCountsOutliveAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, up))
		call := func(tool, arguments string) *toolgatev1.ToolError {
			return g.Call(t, "r", tool, arguments).GetError()
		}
		up.Script(servertest.Respond(http.StatusTooManyRequests, `{}`, "Retry-After", "50"))
		call("deposit", `{}`) // cools down
		up.Script(servertest.Reset)
		call("lookup", id(1)) // five attempts in a row: open
		up.Script(servertest.Respond(http.StatusConflict, `{}`))
		for i := range 3 { // to the cap
			call("create", fmt.Sprintf(`{"name":"n%d"}`, i))
		}
		up.Script(okay)
		before := up.Count()

		changed := strings.Replace(capCatalogue, "description: Deletes.", "description: Deletes a thing.", 1)
		if changes := g.Server.Reload(servertest.Load(t, changed, up)); fmt.Sprint(changes.Parts) != "map[remove:[description]]" {
			t.Errorf("changes %v", changes)
		}
		// The waits of lookup come to 15 s at the most.
		if e := call("deposit", `{}`); e.GetErrorClass() != interceptors.Transient || e.GetRetryAfter() < 35 {
			t.Errorf("the cooldown is forgotten: %v", e)
		}
		if e := call("lookup", id(7)); e.GetCode() != interceptors.CodeCircuitOpen {
			t.Errorf("the circuit is forgotten: %v", e)
		}
		if e := call("create", `{"name":"other"}`); e.GetCode() != interceptors.CodeRejectionCap {
			t.Errorf("the count is forgotten: %v", e)
		}
		wantRequests(t, up, before)
	})
}
