package rest

import (
	"context"
	"fmt"
	"net/http"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// callTools answers POST /v1/tools:callBatch.
func (d *Door) callTools(w http.ResponseWriter, r *http.Request, _ string) error {
	if err := checkQuery(r); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	req, err := batchRequest(body)
	if err != nil {
		return err
	}
	ctx, cancel, err := within(r)
	if err != nil {
		return err
	}
	defer cancel()
	if wantsEvents(r) {
		return d.streamBatch(ctx, w, req)
	}
	return d.collectBatch(ctx, w, req)
}

// collectBatch answers when all calls have ended, in their order.
func (d *Door) collectBatch(ctx context.Context, w http.ResponseWriter, req *toolgatev1.CallToolsRequest) error {
	outcomes := make([]*toolgatev1.CallToolResponse, len(req.GetCalls()))
	err := d.house.CallTools(ctx, req, func(event *toolgatev1.CallToolsResponse) error {
		if done := event.GetDone(); done != nil {
			outcomes[event.GetIndex()] = done
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := []byte(`{"outcomes":[`)
	for i, outcome := range outcomes {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendDone(text, uint32(i), outcome)
	}
	writeJSON(w, http.StatusOK, append(text, "]}"...))
	return nil
}

// batchRequest reads the calls of POST /v1/tools:callBatch.
func batchRequest(body []byte) (*toolgatev1.CallToolsRequest, error) {
	o, err := parse(body, withoutAnyArguments, "run_id", "calls")
	if err != nil {
		return nil, err
	}
	req := &toolgatev1.CallToolsRequest{}
	if req.RunId, err = o.text("run_id"); err != nil {
		return nil, err
	}
	list, there := o.given("calls")
	if there && rawjson.KindOf(list) != rawjson.Array {
		return nil, refuse(http.StatusBadRequest, "INVALID_FIELD", "calls", "a list of calls is wanted here")
	}
	for item := range rawjson.Items(list) {
		call, err := batchCall(item, len(req.GetCalls()))
		if err != nil {
			return nil, err
		}
		req.Calls = append(req.Calls, call)
	}
	return req, nil
}

// batchCall reads one of the calls.
func batchCall(item []byte, place int) (*toolgatev1.ToolCall, error) {
	o, err := membersOf(item, fmt.Sprintf("calls[%d]", place), "tool", "call_id", "arguments", "arguments_json", "want_alternatives", "fresh")
	if err != nil {
		return nil, err
	}
	call, err := callOf(o)
	if err != nil {
		return nil, err
	}
	call.Tool, err = o.text("tool")
	return call, err
}
