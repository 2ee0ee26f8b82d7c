package mcp_test

import (
	"log"
	"net/http"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/door"
)

// A program that serves other things over HTTP, too, mounts the door among them.
func Example() {
	tools, err := catalog.Load("tools.yaml")
	if err != nil {
		log.Fatal(err)
	}
	gateway, err := server.New(server.Config{Catalog: tools})
	if err != nil {
		log.Fatal(err)
	}
	guard := door.Guard{Hosts: []string{"localhost", "127.0.0.1"}}
	mux := http.NewServeMux()
	mux.Handle("/mcp", guard.Wrap(gateway.MCP()))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", mux))
}
