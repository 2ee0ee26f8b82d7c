package repeat_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/repeat"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func Example() {
	ctx, ledger := context.Background(), memory.New()
	room := repeat.New(ledger, nil, nil, nil)
	transfer := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		fmt.Println("the bank is asked")
		return &interceptors.Outcome{Error: &toolgatev1.ToolError{
			ErrorClass: interceptors.Terminal, Code: "insufficient_funds", Message: "Balance 42.10 below requested 150.00",
		}}, nil
	}
	chain := interceptors.Chain(transfer, room.Interceptor())

	run := interceptors.RunKey{Principal: interceptors.Anonymous, ID: "run-1"}
	for range 2 {
		snapshot, _ := ledger.Snapshot(ctx, run)
		outcome, _ := chain(ctx, &interceptors.Call{
			Run: run, Snapshot: snapshot,
			Tool:      &interceptors.Tool{Name: "transfer_funds", Policy: interceptors.DefaultPolicy()},
			Arguments: interceptors.Checked{JSON: []byte(`{"amount":150.00}`), Key: interceptors.Key{1}},
		})
		fmt.Println(outcome.Error.GetCode(), "from memory:", outcome.FromMemory)
	}
	// Output:
	// the bank is asked
	// insufficient_funds from memory: false
	// insufficient_funds from memory: true
}
