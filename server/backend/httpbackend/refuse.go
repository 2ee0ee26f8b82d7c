package httpbackend

import (
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// refusal is an argument that can't be sent where it belongs.
type refusal struct {
	argument string
	value    []byte // echoed; nil: nothing to show
	problem  string
}

func refuse(argument string, value []byte, problem string) *refusal {
	if len(value) > maxEchoBytes {
		value = nil
	}
	return &refusal{argument: argument, value: value, problem: problem}
}

const maxEchoBytes = 256

// reply makes the reply of a request that was never sent. Its ToolError is the
// gateway's own word, not the upstream's.
func (r *refusal) reply() *interceptors.Reply {
	return &interceptors.Reply{
		Transport: interceptors.TransportHTTP, Failure: interceptors.FailureRequest,
		Cause: fmt.Sprintf("argument %q: %s", r.argument, r.problem),
		ToolError: &toolgatev1.ToolError{
			ErrorClass: interceptors.InvalidRequest, Code: interceptors.CodeInvalidArguments,
			Message:      fmt.Sprintf("The argument %q can't be sent: %s.", r.argument, r.problem),
			ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
			Violations: []*toolgatev1.Violation{{
				Field: r.argument, ValueJson: string(r.value), Problem: r.problem,
			}},
		},
	}
}
