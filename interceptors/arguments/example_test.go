package arguments_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	room "toolgate.dev/toolgate/interceptors/arguments"
	"toolgate.dev/toolgate/internal/arguments"
)

func Example() {
	schema, err := arguments.Compile("set_limit", []byte(`{
		"type": "object",
		"properties": {"limit": {"type": "integer", "maximum": 100}},
		"required": ["limit"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := &interceptors.Tool{Name: "set_limit", Schema: schema}
	dispatch := func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		fmt.Printf("sent %s\n", call.Arguments.JSON)
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil
	}
	call := interceptors.Chain(dispatch, room.New(nil).Interceptor())
	for _, text := range []string{`{"limit": "25"}`, `{"limit": "500"}`} {
		outcome, _ := call(context.Background(), &interceptors.Call{Tool: tool, Text: text})
		for _, v := range outcome.Error.GetViolations() {
			fmt.Printf("%s %s: %s, %s\n", v.GetField(), v.GetProblem(), v.GetFormat(), v.GetRange())
		}
	}
	// Output:
	// sent {"limit":25}
	// limit is too large: integer, at most 100
}
