package server_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"

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
