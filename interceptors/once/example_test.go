package once_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/once"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func Example() {
	transfers := 0
	transfer := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		transfers++
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `{"transfer":"t_1"}`}}, nil
	}
	chain := interceptors.Chain(transfer, once.New(memory.New()).Interceptor())

	for range 2 { // the runtime lost its connection and sends the call again
		outcome, _ := chain(context.Background(), &interceptors.Call{
			Run:  interceptors.RunKey{Principal: interceptors.Anonymous, ID: "run-1"},
			ID:   "call-7",
			Name: "transfer_funds",
			Text: `{"amount":150.00}`,
			Tool: &interceptors.Tool{Name: "transfer_funds"},
		})
		fmt.Println(outcome.Result.GetStructuredJson())
	}
	fmt.Println("transfers:", transfers)
	// Output:
	// {"transfer":"t_1"}
	// {"transfer":"t_1"}
	// transfers: 1
}
