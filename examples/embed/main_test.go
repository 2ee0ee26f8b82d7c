package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"

	toolgate "toolgate.dev/toolgate/sdk/go"
	"toolgate.dev/toolgate/server"
)

func TestTheFunctionIsATool(t *testing.T) {
	loaded, err := catalog.Parse("tools.yaml", tools, catalog.WithFunction("local_time", localTime))
	if err != nil {
		t.Fatal(err)
	}
	gateway, err := server.New(server.Config{Catalog: loaded, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- gateway.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	client, err := toolgate.Dial(gateway.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	result, err := client.Call(t.Context(), "run", "local_time", `{"zone": "UTC"}`)
	if err != nil || !strings.Contains(result.Text(), "Z") {
		t.Errorf("%v %v", result, err)
	}
	_, err = client.Call(t.Context(), "run", "local_time", `{"zone": "Mars/Olympus"}`)
	var failed *toolgate.ToolError
	if !errors.As(err, &failed) || failed.Code != "unknown_zone" || !strings.Contains(failed.Observation, `"field":"zone"`) {
		t.Errorf("%v", err)
	}
}

// The program stops when it is told to, and a port that is taken is an error.
func TestTheProgramStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := serve(ctx, "127.0.0.1:0"); err != nil {
		t.Error(err)
	}
	if err := serve(ctx, "0.0.0.0:0"); err == nil {
		t.Error("it serves strangers")
	}
}
