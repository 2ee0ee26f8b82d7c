package rest

import (
	"net/http"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// callTool answers POST /v1/tools/{tool}:call.
func (d *Door) callTool(w http.ResponseWriter, r *http.Request, tool string) error {
	if err := checkQuery(r); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	req, err := callRequest(body, tool)
	if err != nil {
		return err
	}
	ctx, cancel, err := within(r)
	if err != nil {
		return err
	}
	defer cancel()
	if wantsEvents(r) {
		return d.streamCall(ctx, w, req)
	}
	resp, err := d.house.CallTool(ctx, req, nil)
	if err != nil {
		return inTheBody(err)
	}
	writeOutcome(w, resp)
	return nil
}

func callRequest(body []byte, tool string) (*toolgatev1.CallToolRequest, error) {
	o, err := parse(body, withoutArguments, "run_id", "call_id", "arguments", "arguments_json", "want_alternatives", "fresh")
	if err != nil {
		return nil, err
	}
	run, err := o.text("run_id")
	if err != nil {
		return nil, err
	}
	call, err := callOf(o)
	if err != nil {
		return nil, err
	}
	call.Tool = tool
	return &toolgatev1.CallToolRequest{RunId: run, Call: call}, nil
}

// callOf reads all of a call but its tool.
func callOf(o object) (call *toolgatev1.ToolCall, err error) {
	call = &toolgatev1.ToolCall{}
	if call.CallId, err = o.text("call_id"); err != nil {
		return nil, err
	}
	if call.ArgumentsJson, err = argumentsOf(o); err != nil {
		return nil, err
	}
	if call.WantAlternatives, err = o.flag("want_alternatives"); err != nil {
		return nil, err
	}
	if call.Fresh, err = o.flag("fresh"); err != nil {
		return nil, err
	}
	return call, nil
}

// argumentsOf is the text of the arguments, digit for digit: of a value that
// stands in the body, or of a string that holds what the model wrote.
func argumentsOf(o object) (string, error) {
	value, there := o.given("arguments")
	text, err := o.text("arguments_json")
	switch {
	case err != nil:
		return "", err
	case there && text != "":
		return "", refuse(http.StatusBadRequest, "INVALID_FIELD", o.field("arguments_json"), "arguments stand there already: one of the two is enough")
	case there:
		return string(value), nil
	}
	return text, nil
}

// inTheBody names the fields of a status as the body has them.
func inTheBody(err error) error {
	problem := door.ProblemOf(err)
	problem.Field = strings.TrimPrefix(problem.Field, "call.")
	return problem
}
