package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/diagnose"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// failureJSON prints {"error", "rungs"}; error is null for a success.
func (s *session) failureJSON(e *toolgatev1.ToolError, trail *diagnose.Trail) error {
	type rung struct {
		Rung    string `json:"rung"`
		Saw     string `json:"saw"`
		Decided bool   `json:"decided"`
	}
	failure, rungs := json.RawMessage("null"), []rung{}
	if e != nil {
		var err error
		if failure, err = (protojson.MarshalOptions{UseProtoNames: true}).Marshal(e); err != nil {
			return err
		}
	}
	for _, step := range trail.Steps {
		rungs = append(rungs, rung(step))
	}
	text, err := compactJSON(struct {
		Error json.RawMessage `json:"error"`
		Rungs []rung          `json:"rungs"`
	}{failure, rungs})
	if err != nil {
		return err
	}
	s.printJSON(text)
	return nil
}

// failureTable shows a judgement to a person.
func (s *session) failureTable(e *toolgatev1.ToolError, trail *diagnose.Trail) {
	if e == nil {
		fmt.Fprintln(s.Stdout, s.out.good("a success: the tool's answer would be passed on"))
		return
	}
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(s.Stdout, "%s %s\n", s.out.bold(fmt.Sprintf("%-13s", name)), value)
		}
	}
	row("class", s.out.class(classOf(e)))
	row("code", e.GetCode())
	row("message", e.GetMessage())
	for _, violation := range e.GetViolations() {
		row("field", violationText(violation))
	}
	if e.RetryAfter != nil {
		row("retry after", fmt.Sprintf("%g s", e.GetRetryAfter()))
	}
	row("facts", e.GetFactsJson())
	row("blocked by", e.GetBlockedBy())
	if e.GetMaybeExecuted() {
		row("executed", "maybe: check before it is repeated")
	}
	row("note", e.GetNote())
	fmt.Fprintln(s.Stdout)
	rungs := table{head: []string{"RUNG", "", "SAW"}}
	for _, step := range trail.Steps {
		decided := ""
		if step.Decided {
			decided = "decides"
		}
		rungs.add(step.Rung, decided, step.Saw)
	}
	rungs.write(s.Stdout, s.out, s.Width)
	fmt.Fprintf(s.Stdout, "\n%s\n%s\n", s.out.bold(fmt.Sprintf("the model reads (%d bytes)", len(e.GetObservation()))), e.GetObservation())
}

func violationText(v *toolgatev1.Violation) string {
	field := v.GetField()
	if field == "" {
		field = "(the arguments as a whole)"
	}
	return sentence(field, v.GetProblem(), strings.Join(v.GetAccepted(), ", "), v.GetFormat(), v.GetRange())
}

// sentence joins the parts that say something.
func sentence(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

func classOf(e *toolgatev1.ToolError) toolgate.Class {
	switch e.GetErrorClass() {
	case toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
		return toolgate.Transient
	case toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST:
		return toolgate.InvalidRequest
	default:
		return toolgate.Terminal
	}
}
