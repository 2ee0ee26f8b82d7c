// Command backends runs the example back ends at the addresses that
// examples/catalog.yaml names, until it is interrupted.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"toolgate.dev/toolgate/examples"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "backends:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	backends, err := examples.Start(examples.CatalogAddresses())
	if err != nil {
		return err
	}
	at := backends.Addresses
	fmt.Printf("billing on %s, clinic on %s, payments on %s\n", at.Billing, at.Clinic, at.Payments)
	<-ctx.Done()
	return backends.Close()
}
