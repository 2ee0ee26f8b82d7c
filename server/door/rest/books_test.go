package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

func TestTheListOfToolsIsSentAgainOnlyWhenItChanged(t *testing.T) {
	g := start(t)
	first := g.do(http.MethodGet, "/v1/tools", "")
	for _, want := range []string{`"name":"find","description":"Finds. On failure obey`, `"effect":"read"`, `"effect":"write"`, `"catalog_version":"`, `"contract":"`, `"input_schema":{"type":"object"`} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("%s is not in %s", want, first.Text)
		}
	}
	tag := first.Header.Get("ETag")
	for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		if got := g.do(http.MethodGet, "/v1/tools", "", "If-None-Match", known); got.StatusCode != http.StatusNotModified || got.Text != "" || got.Header.Get("ETag") != tag {
			t.Errorf("%s: %d %s", known, got.StatusCode, got.Text)
		}
	}
	upstream := servertest.NewUpstream(t)
	changed := servertest.Load(t, strings.ReplaceAll(catalogue, "Finds.", "Finds more."), upstream)
	g.Server.Reload(changed)
	if got := g.do(http.MethodGet, "/v1/tools", "", "If-None-Match", tag); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, "Finds more.") {
		t.Errorf("%d %.200s", got.StatusCode, got.Text)
	}
}

func TestTheListIsTheCallersOwn(t *testing.T) {
	upstream := servertest.NewUpstream(t)
	g := startWith(t, servertest.Load(t, catalogue, upstream), upstream, func(c *server.Config) {
		c.Permitted = func(_, tool string) bool { return tool != "pay" }
	})
	got := g.do(http.MethodGet, "/v1/tools", "")
	if strings.Contains(got.Text, `"pay"`) || !strings.Contains(got.Header.Get("Vary"), "Authorization") || got.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%v %s", got.Header, got.Text)
	}
	forbidden, unknown := g.call("pay", `{"run_id":"r"}`), g.call("pax", `{"run_id":"s"}`)
	if forbidden.StatusCode != unknown.StatusCode || forbidden.Text != unknown.Text {
		t.Errorf("a forbidden tool answers %d %s, an unknown one %d %s", forbidden.StatusCode, forbidden.Text, unknown.StatusCode, unknown.Text)
	}
}

func TestARunIsTold(t *testing.T) {
	for _, path := range []string{"r", "a%2Fb%20c", "x:end", "%2E%2E", "%C3%A9"} {
		g := start(t)
		name := strings.NewReplacer("%2F", "/", "%20", " ", "%2E", ".", "%C3%A9", "é").Replace(path)
		g.call("find", `{"run_id":"`+name+`"}`)
		g.call("find", `{"run_id":"`+name+`","arguments":{"n":"x"}}`)
		for _, step := range []struct{ method, path, want string }{
			{http.MethodGet, path, `"calls":2,"results":1,"errors":{"invalid_request":1},"attempts":1,"tools":[{"tool":"find","results":1,"rejections":1,"rejection_cap":3}]`},
			{http.MethodPost, path + ":end", `"calls":2`},
			{http.MethodPost, path + ":end", `"calls":0`},
			{http.MethodDelete, path, `"calls":0`},
		} {
			got := g.do(step.method, "/v1/runs/"+step.path, "")
			if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Text, `{"run_id":"`+name+`"`) || !strings.Contains(got.Text, step.want) {
				t.Errorf("%s %s: %d %s", step.method, step.path, got.StatusCode, got.Text)
			}
		}
	}
}

func TestTheReportCountsFailures(t *testing.T) {
	g := start(t, servertest.Respond(501, `{}`))
	g.call("find", `{"run_id":"r","arguments":{"n":"x"}}`)
	g.call("pay", `{"run_id":"r"}`)
	for path, want := range map[string]string{
		"/v1/report":          `"calls":2,"failures_total":2`,
		"/v1/report?tool=pay": `"failures":[{"tool":"pay",`,
		"/v1/report?limit=1":  `"dropped_failures":1`,
	} {
		if got := g.do(http.MethodGet, path, ""); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.Text)
		}
	}
}
