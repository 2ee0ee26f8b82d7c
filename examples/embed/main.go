// Command embed serves a Go function as a tool, in a gateway of its own:
//
//	go run ./examples/embed
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"log"
	"os"
	"os/signal"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/backend/funcbackend"
	"toolgate.dev/toolgate/server/catalog"
)

//go:embed tools.yaml
var tools []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := serve(ctx, "127.0.0.1:7440")
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, address string) error {
	loaded, err := catalog.Parse("tools.yaml", tools, catalog.WithFunction("local_time", localTime))
	if err != nil {
		return err
	}
	defer loaded.Close()
	gateway, err := server.New(server.Config{Catalog: loaded, Listen: address})
	if err != nil {
		return err
	}
	return gateway.Serve(ctx) // until ctx ends; calls in flight finish
}

// localTime is the tool. Its arguments have passed the schema by the time it is
// called; what only it can know, it says with a ToolError.
func localTime(_ context.Context, arguments json.RawMessage) (any, error) {
	var call struct {
		Zone string `json:"zone"`
	}
	if err := json.Unmarshal(arguments, &call); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(call.Zone)
	if err != nil {
		return nil, funcbackend.Fail(&toolgatev1.ToolError{
			ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST,
			Code:       "unknown_zone", Message: "There is no such time zone.",
			Violations: []*toolgatev1.Violation{{Field: "zone", Format: "IANA name, such as Europe/Oslo"}},
		})
	}
	return map[string]string{"time": time.Now().In(zone).Format(time.RFC3339)}, nil
}
