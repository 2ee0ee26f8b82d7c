package alternatives_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/alternatives"
)

func Example() {
	down := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: interceptors.Transient, Exhausted: true}}, nil
	}
	chain := interceptors.Chain(down, alternatives.New(nil, nil, nil).Interceptor())

	tool := &interceptors.Tool{Name: "list_invoices", Fallbacks: []*toolgatev1.Alternative{
		{Tool: "invoice_summary", Label: "this morning's summary"},
	}}
	outcome, _ := chain(context.Background(), &interceptors.Call{Tool: tool})
	fmt.Println(outcome.Error.GetAlternatives()[0].GetLabel())
	// Output: this morning's summary
}
