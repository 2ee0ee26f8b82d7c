package runner

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func transientStep() *conformancev1.Step {
	return &conformancev1.Step{Outcomes: []*conformancev1.Expected{{
		RetryAfterFrom: proto.Float64(1),
		Outcome: &conformancev1.Expected_Error{Error: &toolgatev1.ToolError{
			ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, Code: "busy", Message: "later", RetryAfter: proto.Float64(5),
			Alternatives: []*toolgatev1.Alternative{{Tool: "t"}}, Observation: `{"error":"busy","retry_after":5}`,
		}},
		Progress: []*toolgatev1.CallProgress{{Attempt: 1}, {Attempt: 2}},
	}}}
}

// transientResponse is what a faithful SDK makes of it.
func transientResponse() *conformancev1.ExecuteResponse {
	message := &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, Code: "busy", Message: "later", RetryAfter: proto.Float64(3),
		Alternatives: []*toolgatev1.Alternative{{Tool: "t"}}, Observation: `{"error":"busy","retry_after":3}`, CorrelationId: "c",
	}
	return &conformancev1.ExecuteResponse{Outcomes: []*conformancev1.Outcome{{
		Outcome: &conformancev1.Outcome_Failed{Failed: &conformancev1.Failed{
			ErrorClass: "transient", Code: "busy", Message: "later", RetryAfter: proto.Float64(3),
			Alternatives: message.GetAlternatives(), Observation: message.GetObservation(), Error: message,
		}},
		Progress: []*toolgatev1.CallProgress{{Attempt: 1}, {Attempt: 1, Wait: 1}, {Attempt: 2, Wait: 0.3}},
	}}}
}

func TestWhatAnSDKMakesOfAFailureIsComparedInEveryMember(t *testing.T) {
	if faults := faultsOf(transientStep(), transientResponse()); len(faults) > 0 {
		t.Fatal("a faithful SDK fails:", faults)
	}
	for fault, change := range map[string]func(*conformancev1.Outcome, *conformancev1.Failed){
		"of call 1":           func(o *conformancev1.Outcome, _ *conformancev1.Failed) { o.Index = 1 },
		"native error_class":  func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.ErrorClass = "terminal" },
		"native code":         func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Code = "" },
		"native message":      func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Message = "Later" },
		"native retry_after":  func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.RetryAfter = nil },
		"native exhausted":    func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Exhausted = true },
		"native alternatives": func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Alternatives = nil },
		"native observation":  func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Observation += " " },
		"observation:":        func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Error.Observation = `{"error":"busy"}` },
		"code: idle":          func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Error.Code = "idle" },
		"note: nothing":       func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Error.Note = "more" },
		"retry_after: 9":      func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Error.RetryAfter = proto.Float64(9) },
		"without its message": func(_ *conformancev1.Outcome, f *conformancev1.Failed) { f.Error = nil },
		"was not heard":       func(o *conformancev1.Outcome, _ *conformancev1.Failed) { o.Progress = o.GetProgress()[1:2] },
		"of another kind": func(o *conformancev1.Outcome, _ *conformancev1.Failed) {
			o.Outcome = &conformancev1.Outcome_Rpc{Rpc: &conformancev1.RpcFailure{Code: "UNKNOWN"}}
		},
	} {
		response := transientResponse()
		change(response.GetOutcomes()[0], response.GetOutcomes()[0].GetFailed())
		found := strings.Join(faultsOf(transientStep(), response), "\n")
		if fault == "note: nothing" {
			fault = "note: more, want nothing"
		}
		if !strings.Contains(found, fault) {
			t.Errorf("%s is not found: %q", fault, found)
		}
	}
}

func TestAClassThatNobodyKnowsIsTerminalToEverySDK(t *testing.T) {
	for class, name := range map[toolgatev1.ErrorClass]string{
		toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED: "terminal", toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL: "terminal", 7: "terminal",
		toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT: "transient", toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST: "invalid_request",
	} {
		if nameOf(class) != name {
			t.Errorf("%v is %s", class, nameOf(class))
		}
	}
}

func TestShapesAreComparedAsValues(t *testing.T) {
	want := []*conformancev1.Shape{{Name: "mcp", Json: `[{"a":1,"b":2}]`}}
	if faults := shapeFaults(want, []*conformancev1.Shape{{Name: "mcp", Json: ` [{"b":2,"a":1}]`}}); len(faults) > 0 {
		t.Error(faults)
	}
	for _, got := range []string{`[{"a":1}]`, `[]`, `nonsense`, ``} {
		if len(shapeFaults(want, []*conformancev1.Shape{{Name: "mcp", Json: got}})) == 0 {
			t.Error(got, "passes")
		}
	}
}

func TestTheListOfKnownFailuresEndsEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		known  string
		failed bool
		want   string
	}{
		"a failure":                   {"", true, "vectors failed"},
		"a known failure":             {"go: v", true, ""},
		"a known failure that passes": {"go: v", false, "vectors failed"},
		"all pass":                    {"", false, ""},
	} {
		var out strings.Builder
		tally := tally{title: "conformance", known: map[string]bool{}, failed: map[string]map[string]bool{}, out: &out}
		if c.known != "" {
			tally.known[c.known] = true
		}
		tally.begin("go")
		tally.begin("go") // in another way
		if c.failed {
			tally.vector("go", "v", []string{"differs"})
		}
		tally.vector("go", "w", nil)
		err := tally.end(2)
		if (err == nil) != (c.want == "") {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
		if last := strings.TrimSpace(out.String()); !strings.HasSuffix(last, "conformance: go 1/2") && !strings.HasSuffix(last, "conformance: go 2/2") {
			t.Errorf("%s: the last line is not the count: %s", name, last)
		}
	}
}
