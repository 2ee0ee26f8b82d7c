package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
	"toolgate.dev/toolgate/server/door/rest"
)

// slots is a house of one tool, for which it is always too late.
type slots struct{ door.House }

func (slots) CallTool(_ context.Context, req *toolgatev1.CallToolRequest, _ func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error) {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, HttpStatus: http.StatusUnprocessableEntity,
		Observation: fmt.Sprintf(`{"error":"slot_unavailable","class":"terminal","retryable":false,"requested":%s}`, req.GetCall().GetArgumentsJson()),
	}}}, nil
}

func Example() {
	gateway := httptest.NewServer(rest.New(slots{}))
	defer gateway.Close()
	resp, err := http.Post(gateway.URL+"/v1/tools/book_slot:call", "application/json", strings.NewReader(`{"run_id":"r","arguments":{"start":1.50}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
	// Output: 422 {"error":"slot_unavailable","class":"terminal","retryable":false,"requested":{"start":1.50}}
}
