package resolve_test

import (
	"context"
	"fmt"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/resolve"
)

func Example() {
	tools := catalogue{"find_slots": {Name: "find_slots"}}
	room := resolve.New(func() resolve.Catalogue { return tools }, func(_, _ string) bool { return true })
	chain := interceptors.Chain(func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		fmt.Println(call.Name, "is", call.Tool.Name)
		return &interceptors.Outcome{}, nil
	}, room.Interceptor())
	for _, name := range []string{"find_slots", "find_slotz"} {
		_, _ = chain(context.Background(), &interceptors.Call{Name: name})
	}
	// Output:
	// find_slots is find_slots
	// find_slotz is unknown_tool
}
