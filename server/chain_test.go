package server

import (
	"slices"
	"testing"
)

// The order is part of the design: a change of it is a change of what the
// gateway promises.
func TestTheRoomsStandInTheirOrder(t *testing.T) {
	r := &rooms{}
	var calls, rpcs []string
	for _, room := range callOrder(r) {
		calls = append(calls, room.name)
		if room.why == "" {
			t.Errorf("%s stands where it stands without a reason", room.name)
		}
	}
	for _, room := range rpcOrder(r) {
		rpcs = append(rpcs, room.name)
	}
	if want := []string{"recovery", "observe", "authenticate", "admit"}; !slices.Equal(rpcs, want) {
		t.Errorf("every rpc: %v, want %v", rpcs, want)
	}
	want := []string{
		"seal", "compact", "resolve", "once", "rejectioncap", "limits",
		"arguments", "repeat", "alternatives", "retry", "breaker",
	}
	if !slices.Equal(calls, want) {
		t.Errorf("a tool call: %v, want %v", calls, want)
	}
}
