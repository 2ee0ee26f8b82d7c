package tracing_test

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/server/servertest"
)

func TestASlowCallsTraceIsAnExemplar(t *testing.T) {
	g, _ := crmGateway(t, http.HandlerFunc(servertest.Respond(200, `{}`)))
	g.Call(t, "r", "get_customer", `{"email":"a@b.example"}`)
	g.flush()
	trace := hex.EncodeToString(g.receiver.one(t, rpcSpan).GetTraceId())
	for _, name := range []string{"toolgate_call_seconds", "toolgate_gateway_seconds", "toolgate_rpc_seconds"} {
		if got := exemplars(t, g.Registry, name); !slices.Equal(got, []string{trace}) {
			t.Errorf("%s has the exemplars %v, want %s", name, got, trace)
		}
	}
	g.Call(t, "r", "get_customer", `{}`)
	if !strings.Contains(g.Log(), `"trace_id":"`) {
		t.Error("the line of a failed call does not name its trace")
	}
}

func exemplars(t *testing.T, registry *prometheus.Registry, name string) (ids []string) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, bucket := range family.GetMetric()[0].GetHistogram().GetBucket() {
			for _, label := range bucket.GetExemplar().GetLabel() {
				ids = append(ids, label.GetValue())
			}
		}
	}
	return ids
}
