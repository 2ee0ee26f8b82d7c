package arguments

import (
	"encoding/json"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/arguments"
)

const (
	maxNames = 3   // nearest names that are offered
	maxEcho  = 256 // bytes of the name that is shown again
)

// Nearest returns the names of tools that this caller may use, those most like
// call.Name first. Three are offered; returning a fourth tells that there are
// more. It must be safe for concurrent use.
type Nearest func(call *interceptors.Call) []string

// Room checks arguments. It is safe for concurrent use.
type Room struct{ nearest Nearest }

// New makes the room. A nil nearest offers no names.
func New(nearest Nearest) *Room { return &Room{nearest: nearest} }

// check sets the call's arguments, or answers the call.
func (r *Room) check(call *interceptors.Call) *interceptors.Outcome {
	if call.Tool.Unknown {
		return r.unknown(call)
	}
	checked := schemaOf(call.Tool).Check(call.Text)
	if checked.Fault != nil {
		return &interceptors.Outcome{Error: checked.Fault}
	}
	call.Arguments = checked
	return nil
}

// schemaOf is for tools without a schema, too: any object is good enough.
func schemaOf(tool *interceptors.Tool) interceptors.Schema {
	if tool.Schema == nil {
		return arguments.Unchecked(tool.Name)
	}
	return tool.Schema
}

// unknown answers for a name that is not there or not permitted. Nothing in the
// answer tells which.
func (r *Room) unknown(call *interceptors.Call) *interceptors.Outcome {
	var names []string
	if r.nearest != nil {
		names = r.nearest(call)
	}
	const said = "there is no tool of that name"
	violation := &toolgatev1.Violation{
		Field: "tool", Problem: said,
		Accepted: names[:min(len(names), maxNames)], AcceptedTruncated: len(names) > maxNames,
	}
	if echo, err := json.Marshal(call.Name); err == nil && len(echo) <= maxEcho {
		violation.ValueJson = string(echo)
	}
	return interceptors.RejectArguments(interceptors.CodeUnknownTool, said, violation)
}

// declare lists what was changed in the result.
func declare(call *interceptors.Call, outcome *interceptors.Outcome) {
	if outcome.Result != nil && len(call.Arguments.Coercions) > 0 {
		outcome.Result.Coercions = call.Arguments.Coercions
	}
}
