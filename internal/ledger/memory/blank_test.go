package memory

import (
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func TestARunIsBlankUntilSomethingIsRemembered(t *testing.T) {
	l, run, key := New(), interceptors.RunKey{ID: "r"}, interceptors.Key{1}
	if !l.Blank(t.Context(), run) {
		t.Error("a run that nobody knows is not blank")
	}
	snapshot, _ := l.Snapshot(t.Context(), run)
	if !l.Blank(t.Context(), run) {
		t.Error("a run without a failure is not blank")
	}
	failure := &interceptors.Memory{Tool: "t", Unknown: true, Error: &toolgatev1.ToolError{Code: interceptors.CodeOutcomeUnknown}}
	if err := l.Remember(t.Context(), run, key, failure, snapshot); err != nil || l.Blank(t.Context(), run) {
		t.Errorf("a run with an unknown outcome is blank (%v)", err)
	}
	if l.Blank(t.Context(), interceptors.RunKey{ID: "other"}) != true {
		t.Error("another run is not blank")
	}
}
