package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
)

// seen is what a caller learns of a failed call, whatever the door.
type seen struct{ class, code, observation string }

// doorOf is one way in: it makes one call of `act`.
type doorOf struct {
	name string
	call func(t *testing.T, g *entrance, run, tool, arguments string) seen
}

// backEndOf is one way out: a catalogue with the tool `act`, a read, which fails as
// its argument `how` says.
type backEndOf struct {
	name string
	load func(t *testing.T) *catalog.Catalog
}

// Every door stands here, and every back end: one line each.
var (
	doors = []doorOf{
		{"gRPC", throughGRPC},
		{"a batch over gRPC", throughBatch},
		{"HTTP", throughHTTP},
		{"HTTP events", throughEvents},
		{"a batch over HTTP", throughHTTPBatch},
		{"Connect with JSON", throughConnect},
		{"MCP", throughMCP},
	}
	backEnds = []backEndOf{
		{"HTTP", actOverHTTP},
		{"Go functions", actInProcess},
		{"gRPC", actOverGRPC},
		{"MCP", actOverMCP},
	}
)

// failures are what tools say themselves, so that it is the same from wherever.
var failures = map[string]*toolgatev1.ToolError{
	"invalid": {
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST, Code: "invalid_argument", Message: "invalid date format",
		Violations: []*toolgatev1.Violation{{Field: "start_date", Format: "YYYY-MM-DD"}},
	},
	"invalid in many": {
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST, Code: "invalid_argument", Message: "two things are wrong",
		Violations: []*toolgatev1.Violation{{Field: "a.b[0]", Problem: "is odd", Range: "0.01 to 500.00"}, {Field: "c", Accepted: []string{"x<y>&", "é"}}},
	},
	"blocked": {
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "insufficient_funds", Message: "Balance 42.10 below requested 150.00",
		BlockedBy: "balance", UnblockWith: "act", FactsJson: `{"balance":42.10,"requested":150.00}`,
	},
	"over": {ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "gone", Message: "It is \"over\"\n\u2028 for good."},
	"partial": {
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "half_done", Message: "One of two was written.", Partial: true, MaybeExecuted: true,
	},
	"later":  {ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, Code: "resting", Message: "Come back in a while.", RetryAfter: proto.Float64(45)},
	"outage": {ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, Code: "down", Message: "It is down."},
}

// calls fail before a back end is asked, or as failures says.
func callsThatFail() map[string]string {
	calls := map[string]string{
		"malformed": `{"how":`, "no answer": `{"how":"` + never + `"}`, "of another type": `{"how":{"x":1}}`, "unknown argument": `{"hwo":"x"}`, "too large": `{"how":"` + strings.Repeat("x", 300<<10) + `"}`,
	}
	for how := range failures {
		calls[how] = `{"how":"` + how + `"}`
	}
	return calls
}

// The class, the code and the text that a model reads do not depend on how a call
// came in, nor, where the tool says the same, on where it went.
func TestEveryDoorShowsTheSameFailureOfEveryBackEnd(t *testing.T) {
	calls, first := callsThatFail(), map[string]seen{}
	for _, end := range backEnds {
		synctest.Test(t, func(t *testing.T) {
			g := enter(t, end.load(t))
			for name, arguments := range calls {
				for _, through := range doors {
					if through.name == "MCP" && !json.Valid([]byte(arguments)) {
						continue // what is no JSON can't be sent there
					}
					got, path := through.call(t, g, name+through.name, "act", arguments), end.name+" through "+through.name
					if !strings.HasPrefix(got.observation, `{"error":"`+got.code+`","class":"`+got.class+`"`) {
						t.Errorf("%s: %s shows %+v", name, path, got)
					}
					if _, known := first[name]; !known {
						first[name] = got
					}
					if got != first[name] {
						t.Errorf("%s: %s shows %+v,\nthe first one %+v", name, path, got, first[name])
					}
					time.Sleep(61 * time.Second) // of the bubble: no pause that a tool asked for holds any more
				}
			}
		})
	}
	for name, want := range failures {
		if got := first[name]; got.code != want.GetCode() || got.class != classWord(want.GetErrorClass()) {
			t.Errorf("%s: came as %+v", name, got)
		}
	}
}

// Memory and counts belong to the run, through whichever door.
func TestARejectionCountsThroughWhicheverDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := enter(t, actInProcess(t))
		last := seen{}
		for i := range 4 {
			last = doors[i%len(doors)].call(t, g, "r", "act", `{"how":`+strings.Repeat(" ", i)+`{"x":1}}`)
		}
		if last.code != "rejection_cap" || last.class != "terminal" {
			t.Errorf("the fourth shows %+v", last)
		}
	})
}

func classWord(class toolgatev1.ErrorClass) string {
	return strings.ToLower(strings.TrimPrefix(class.String(), "ERROR_CLASS_"))
}
