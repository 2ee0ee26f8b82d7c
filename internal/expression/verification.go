package expression

import (
	"cel.dev/cel-go/cel"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Verification compiles the two questions that settle an unknown outcome of
// tool. The error is a Faults.
func (c *Compiler) Verification(tool string, written *catalogv1.Verification) (*interceptors.Verification, error) {
	var faults collector
	question := func(field, text string) *program {
		if text == "" {
			return nil
		}
		return c.compile(site{
			env: c.verification, cost: costLimitOfRule, tool: tool, place: "verify_with." + field, path: field,
			want: []*cel.Type{cel.BoolType}, wants: "a CEL expression that is true or false",
		}, text, &faults)
	}
	v := verification{
		notExecuted: question("not_executed", written.GetNotExecuted()),
		executed:    question("executed", written.GetExecuted()),
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &interceptors.Verification{Tool: written.GetTool(), Settle: v.settle}, nil
}

type verification struct{ notExecuted, executed *program }

// settle judges one unknown call. Where both questions say yes, neither is
// believed. An outcome that says nothing about the world (the moment was wrong,
// or the gateway itself refused) settles nothing, and what is missing from a
// part of an answer is no proof of absence.
func (v verification) settle(outcome *interceptors.Outcome, arguments, unknown []byte) interceptors.Settlement {
	if saysNothing(outcome) {
		return interceptors.StillUnknown
	}
	r := &reader{}
	vars := variables{
		"result": r.result(outcome.Result), "error": r.failure(outcome.Error),
		"arguments": r.arguments(arguments), "unknown": r.arguments(unknown),
	}
	did := v.executed != nil && v.executed.isTrue(vars)
	didNot := v.notExecuted != nil && v.notExecuted.isTrue(vars) && whole(outcome.Result)
	switch {
	case did && !didNot:
		return interceptors.DidExecute
	case didNot && !did:
		return interceptors.DidNotExecute
	}
	return interceptors.StillUnknown
}

func saysNothing(outcome *interceptors.Outcome) bool {
	if outcome.Error == nil {
		return outcome.Result == nil
	}
	switch outcome.Error.GetErrorClass() {
	case toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED:
		return true
	}
	return outcome.Error.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
}

// whole reports whether nothing is missing from a list. No result (an error
// speaks) is whole.
func whole(result *toolgatev1.ToolResult) bool {
	return !result.GetTruncated() && (result == nil || result.Matched == nil || result.GetMatched() <= result.GetReturned())
}
