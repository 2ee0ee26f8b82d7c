package redis_test

import (
	"fmt"

	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/ledger/redis"
	"toolgate.dev/toolgate/server"
)

// A gateway that shares its state with others.
func ExampleOpen() {
	ledger, err := redis.Open("rediss://gate@redis.internal?password_file=/run/secrets/redis", memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ledger.Close()
	_ = server.Config{Ledger: ledger}
}
