package funcbackend_test

import (
	"context"
	"encoding/json"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/funcbackend"
)

func ExampleFail() {
	book := func(context.Context, json.RawMessage) (any, error) {
		return nil, funcbackend.Fail(&toolgatev1.ToolError{
			ErrorClass: interceptors.Terminal, Code: "slot_unavailable", Message: "14:30 is taken",
		})
	}
	backend, err := funcbackend.New(book)
	if err != nil {
		fmt.Println(err)
		return
	}
	reply := backend.Attempt(context.Background(), &interceptors.Call{})
	fmt.Println(reply.ToolError.GetErrorClass(), reply.ToolError.GetCode())
	// Output: ERROR_CLASS_TERMINAL slot_unavailable
}
