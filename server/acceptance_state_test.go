package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/servertest"
)

// gauge reads a metric without labels; NaN where it is missing.
func gaugeOf(t *testing.T, g *servertest.Gateway, name string) (value float64, found bool) {
	t.Helper()
	families, err := g.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue(), true
		}
	}
	return 0, false
}

func stateHealth(t *testing.T, g *servertest.Gateway, service string) healthv1.HealthCheckResponse_ServingStatus {
	t.Helper()
	resp, err := healthv1.NewHealthClient(g.Conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetStatus()
}

func TestHealthAndAMetricTellWhetherTheStateIsThere(t *testing.T) {
	r := newReplicas(t, 1, replicaCatalogue)
	g := r.gateways[0]
	r.upstream.Script(fine)
	check := func(connected float64, status healthv1.HealthCheckResponse_ServingStatus) {
		t.Helper()
		if got, found := gaugeOf(t, g, "toolgate_state_connected"); !found || got != connected {
			t.Errorf("the metric is %v, found %v", got, found)
		}
		if got := stateHealth(t, g, "toolgate.state"); got != status {
			t.Errorf("health of the state is %v", got)
		}
		if got := stateHealth(t, g, ""); got != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("health is %v", got)
		}
		if resp := r.call("find", `{}`); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	}
	check(1, healthv1.HealthCheckResponse_SERVING)
	r.redis.Kill()
	r.call("find", `{}`)
	r.until("the loss is told", func() bool { return stateHealth(t, g, "toolgate.state") == healthv1.HealthCheckResponse_NOT_SERVING })
	check(0, healthv1.HealthCheckResponse_NOT_SERVING)
	r.redis.Restart()
	r.until("it is back", func() bool { return stateHealth(t, g, "toolgate.state") == healthv1.HealthCheckResponse_SERVING })
	check(1, healthv1.HealthCheckResponse_SERVING)
	for _, said := range []string{"is away", "is back"} {
		if !strings.Contains(g.Log(), said) {
			t.Errorf("the log does not say that the state %s", said)
		}
	}
}

func (r *replicas) until(what string, happened func() bool) {
	r.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if happened() {
			return
		}
	}
	r.Fatalf("it never happened that %s", what)
}

func TestWithoutTheStateNoCallIsLostAndNoWriteOfThisReplicaDoubled(t *testing.T) {
	r := newReplicas(t, 1, replicaCatalogue)
	r.upstream.Script(fine)
	r.call("book", `{"slot":1}`, servertest.ID("one"))
	r.upstream.Script(servertest.Reset)
	r.call("book", `{"slot":2}`)
	r.upstream.Script(fine)
	r.redis.Kill()
	for range 3 {
		if resp := r.call("book", `{"slot":1}`, servertest.ID("one")); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
		if e := r.call("book", `{"slot":2}`).GetError(); e.GetCode() != interceptors.CodeOutcomeUnknown {
			t.Errorf("got %v", e)
		}
	}
	if got := r.upstream.Count(); got != 2 {
		t.Errorf("two writes reached the tool %d times", got)
	}
	// Caps begin anew, and hold.
	r.upstream.Script(slotTaken)
	for n := range 6 {
		r.call("book", fmt.Sprintf(`{"slot":%d}`, 100+n))
	}
	if got := r.upstream.Count(); got != 5 {
		t.Errorf("a cap of 3 let %d calls through", got-2)
	}
}

func TestAWaitThatOneReplicaLearnedIsHonouredByAll(t *testing.T) {
	r := newReplicas(t, 2, replicaCatalogue)
	r.upstream.Script(fine)
	r.call("find", `{}`)
	r.call("find", `{}`)
	r.upstream.Script(servertest.Respond(http.StatusTooManyRequests, "", "Retry-After", "90"))
	if e := r.gateways[0].Call(t, "run", "find", `{}`).GetError(); e.GetRetryAfter() < 80 {
		t.Fatalf("got %v", e)
	}
	reached := r.upstream.Count()
	r.until("the other replica knows", func() bool {
		value, found := gaugeOf(t, r.gateways[1], "toolgate_cooldown_seconds")
		return found && value > 80
	})
	e := r.gateways[1].Call(t, "another run", "find", `{}`).GetError()
	if e.GetRetryAfter() < 80 || e.GetAttempts() != 0 {
		t.Errorf("got %v", e)
	}
	if got := r.upstream.Count(); got != reached {
		t.Errorf("it was asked %d times more", got-reached)
	}
}
