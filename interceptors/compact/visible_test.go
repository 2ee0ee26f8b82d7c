package compact_test

import (
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/compact"
)

func TestToolsThatACallerMayNotUseAreNotNamedToIt(t *testing.T) {
	room := compact.New().WithVisible(func(principal, tool string) bool { return principal == "ann" && tool != "secret" })
	outcome := interceptors.RefuseTerminal("taken", "no")
	outcome.Error.BlockedBy, outcome.Error.UnblockWith = "slot", "secret"
	outcome.Error.Alternatives = []*toolgatev1.Alternative{{Tool: "secret", Label: "x"}, {ArgumentsJson: `{"slot":2}`}, {Tool: "open"}}
	call := &interceptors.Call{Run: interceptors.RunKey{Principal: "ann", ID: "r"}, Name: "book", Tool: &interceptors.Tool{Name: "book"}}
	got := room.Finish(call, outcome).Error
	if len(got.GetAlternatives()) != 2 || got.GetUnblockWith() != "" || got.GetBlockedBy() != "slot" || strings.Contains(got.String(), "secret") {
		t.Errorf("got %v", got)
	}
	if len(outcome.Error.GetAlternatives()) != 3 || outcome.Error.GetUnblockWith() != "secret" {
		t.Error("an outcome that others share was changed")
	}
}
