package compact

import (
	"sync"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

// Room gives outcomes their final form. Safe for concurrent use.
type Room struct {
	scrubbers sync.Map // *interceptors.Tool → *observation.Scrubber
}

// New makes the room.
func New() *Room { return &Room{} }

// Finish returns the outcome in its final form. Outcomes may be shared by calls
// (a resend joins the running one), so what it changes is a copy. An outcome
// that is neither result nor error is a fault of the gateway and becomes one.
func (r *Room) Finish(call *interceptors.Call, outcome *interceptors.Outcome) *interceptors.Outcome {
	if outcome == nil || (outcome.Error == nil && outcome.Result == nil) {
		outcome = interceptors.RefuseTerminal(interceptors.CodeInternal, "the gateway failed; the call may be reported under its correlation id")
	}
	finished := *outcome
	if outcome.Error != nil {
		finished.Error, finished.Result = r.finishError(call, outcome), nil
		return &finished
	}
	finished.Result = r.finishResult(call, outcome.Result)
	return &finished
}

func (r *Room) finishError(call *interceptors.Call, outcome *interceptors.Outcome) *toolgatev1.ToolError {
	e := proto.CloneOf(outcome.Error)
	switch {
	case outcome.FromMemory:
		e.Attempts = 0
	case call.Trace.Attempts > 0: // else a resend, which keeps what the call itself spent
		e.Attempts = call.Trace.Attempts
	}
	if scrubber := r.scrubber(call.Tool); scrubber != nil {
		scrubber.Error(e)
	}
	e.CorrelationId = call.CorrelationID
	observation.Finish(toolName(call), e)
	return e
}

func (r *Room) finishResult(call *interceptors.Call, result *toolgatev1.ToolResult) *toolgatev1.ToolResult {
	if scrubber := r.scrubber(call.Tool); scrubber != nil {
		result = scrubber.Result(result)
	}
	return observation.Fit(result)
}

// toolName is the name that alternatives are compared with. An unknown name has
// none of its own: whatever is proposed is another tool.
func toolName(call *interceptors.Call) string {
	if call.Tool == nil || call.Tool.Unknown {
		return call.Name
	}
	return call.Tool.Name
}

// maxScrubbers bounds the tools that are kept: every reload of a catalogue makes
// new ones.
const maxScrubbers = 4096

// scrubber returns the tool's, made on first use; nil where it has no secrets.
func (r *Room) scrubber(tool *interceptors.Tool) *observation.Scrubber {
	if tool == nil || len(tool.Diagnosis.Secrets) == 0 {
		return nil
	}
	if known, ok := r.scrubbers.Load(tool); ok {
		return known.(*observation.Scrubber)
	}
	r.forget()
	made := observation.NewScrubber(tool.Diagnosis.Secrets)
	r.scrubbers.Store(tool, made)
	return made
}

// forget starts anew when the room holds too many.
func (r *Room) forget() {
	n := 0
	r.scrubbers.Range(func(any, any) bool {
		n++
		return n < maxScrubbers
	})
	if n >= maxScrubbers {
		r.scrubbers.Clear()
	}
}
