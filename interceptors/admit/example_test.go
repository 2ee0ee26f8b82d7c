package admit_test

import (
	"fmt"

	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors/admit"
)

func Example() {
	room := admit.New(2)
	leave, _ := room.Enter(2) // a batch of two calls
	_, err := room.Enter(1)
	fmt.Println(status.Code(err))
	leave()
	_, err = room.Enter(1)
	fmt.Println(err)
	// Output:
	// ResourceExhausted
	// <nil>
}
