package compact

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

// Room gives outcomes their final form. Safe for concurrent use.
type Room struct {
	visible   Visible  // nil: every caller sees all tools
	scrubbers sync.Map // *interceptors.Tool → *observation.Scrubber
}

// Visible reports whether a principal may use a tool. It must be safe for concurrent
// use.
type Visible func(principal, tool string) bool

// New makes the room.
func New() *Room { return &Room{} }

// WithVisible keeps the names of tools from callers that may not use them: what is
// kept of an earlier call may be older than their rights. Call it before the room is
// used.
func (r *Room) WithVisible(visible Visible) *Room {
	r.visible = visible
	return r
}

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
	r.hideTools(call, e)
	e.CorrelationId = call.CorrelationID
	observation.Finish(toolName(call), e)
	return e
}

// hideTools leaves out what this caller may not use. An alternative that names no tool
// is of the call's own.
func (r *Room) hideTools(call *interceptors.Call, e *toolgatev1.ToolError) {
	if r.visible == nil {
		return
	}
	hidden := func(tool string) bool { return tool != "" && !r.visible(call.Run.Principal, tool) }
	if hidden(e.GetUnblockWith()) {
		e.UnblockWith = ""
	}
	e.Alternatives = slices.DeleteFunc(e.GetAlternatives(), func(a *toolgatev1.Alternative) bool { return hidden(a.GetTool()) })
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
