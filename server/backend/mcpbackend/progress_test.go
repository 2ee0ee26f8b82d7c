package mcpbackend_test

import (
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func TestACallIsToldHowFarItsToolIs(t *testing.T) {
	for name, spec := range map[string]func(t *testing.T) mcpbackend.Spec{
		"a program": func(*testing.T) mcpbackend.Spec { return program("well", "http://127.0.0.1:1") },
		"HTTP":      func(t *testing.T) mcpbackend.Spec { return overHTTP(t, serveHTTP(t, &playHTTP{hit: func() {}})) }, //nolint:thelper // no helper
	} {
		t.Run(name, func(t *testing.T) {
			server := pooled(t).Server(spec(t))
			for range 2 { // each call has a token of its own
				call := backendtest.NewCall(`{}`)
				var told []*toolgatev1.CallProgress
				call.Progress = func(p *toolgatev1.CallProgress) { told = append(told, p) }
				if reply := newBackend(server, "works", "").Attempt(t.Context(), call); reply.Failure != interceptors.FailureNone {
					t.Fatalf("%+v", reply)
				}
				if len(told) != 1 {
					t.Fatalf("told %v, want what came first", told)
				}
				got := told[0]
				if got.GetPhase() != toolgatev1.CallProgress_PHASE_WORKING || got.GetProgress() != 3 || got.GetTotal() != 10 || got.GetAttempt() != 1 {
					t.Errorf("got %v", got)
				}
				if !strings.HasPrefix(got.GetMessage(), "reading") || strings.Contains(got.GetMessage(), password) {
					t.Errorf("it says %q", got.GetMessage())
				}
			}
		})
	}
}
