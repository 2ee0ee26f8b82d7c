// Command stage runs the example back ends and a gateway in front of them, on
// free loopback ports, for a program that drives it:
//
//	go run ./examples/stage
//
// It prints one line of JSON that says where everything listens, and ends when
// its standard input does. Its control answers
//
//	GET  /requests   what has arrived at each back end: {"billing":2,"clinic":0,"payments":0}
//	POST /reset      204: the back ends have the state that they started with, and count from 0
//
// What the gateway remembers belongs to a run: a new story takes a new run.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "stage:", err)
		os.Exit(1)
	}
}

// directory says where everything listens: the gateway as host:port, the rest as
// URLs.
type directory struct {
	Gateway  string `json:"gateway"`
	Billing  string `json:"billing"`
	Clinic   string `json:"clinic"`
	Payments string `json:"payments"`
	Control  string `json:"control"`
}

// run opens the stage, and closes it when the context or the input ends.
func run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		return err
	}
	defer backends.Close()
	control, err := serveControl(backends)
	if err != nil {
		return err
	}
	defer control.Close()
	tools, err := catalog.Parse("catalog.yaml", []byte(backends.Catalog()))
	if err != nil {
		return err
	}
	defer tools.Close()
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", DrainTimeout: time.Second})
	if err != nil {
		return err
	}
	at := backends.Addresses
	err = json.NewEncoder(out).Encode(directory{
		Gateway: gateway.Addr(), Control: "http://" + control.Addr,
		Billing: "http://" + at.Billing, Clinic: "http://" + at.Clinic, Payments: "http://" + at.Payments,
	})
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // whatever ended it: nobody is there any more
		stop()
	}()
	return gateway.Serve(ctx)
}

func serveControl(backends *examples.Backends) (*http.Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /requests", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(backends.Counts()) // a driver that is gone
	})
	routes.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		backends.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	control := &http.Server{Addr: listener.Addr().String(), Handler: routes, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = control.Serve(listener) }() // returns when it is closed
	return control, nil
}
