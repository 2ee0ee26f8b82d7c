package toolgate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	toolgate "toolgate.dev/toolgate/sdk/go"
)

// One tool call of an agent: the class is the only thing that it branches on.
func Example() {
	client, err := toolgate.Dial("127.0.0.1:7440", toolgate.WithTransientWait(30*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	result, err := client.Call(context.Background(), "run-1", "list_invoices", `{"start_date": "2026-03-14"}`)
	var failed *toolgate.ToolError
	switch {
	case err == nil:
		fmt.Println("tool:", result.Text())
	case errors.As(err, &failed):
		fmt.Println("tool failed:", failed.Observation) // the model reads it and makes its next move
	default:
		log.Print(err) // the gateway or this program is at fault
	}
}

// A model's parallel calls of one turn: outcomes come as they finish.
func ExampleClient_CallMany() {
	client, err := toolgate.Dial("127.0.0.1:7440")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	calls := []toolgate.Call{
		{Tool: "list_invoices", Args: map[string]string{"start_date": "2026-03-14"}},
		{Tool: "get_balance", Args: map[string]string{"account_id": "acc_1042"}},
	}
	for done := range client.CallMany(context.Background(), "run-1", calls) {
		fmt.Println(calls[done.Index].Tool, done.Result, done.Err)
	}
}
