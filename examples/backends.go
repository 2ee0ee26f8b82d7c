// Package examples starts the example back ends and holds the catalogue of
// their tools.
package examples

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/examples/billing"
	"toolgate.dev/toolgate/examples/clinic"
	"toolgate.dev/toolgate/examples/payments"
)

//go:embed catalog.yaml
var catalog string

// Addresses are where the back ends listen, host:port each; port 0 picks a free
// one.
type Addresses struct{ Billing, Clinic, Payments string }

// CatalogAddresses are the addresses that catalog.yaml names.
func CatalogAddresses() Addresses {
	return Addresses{Billing: "127.0.0.1:7451", Clinic: "127.0.0.1:7452", Payments: "127.0.0.1:7453"}
}

// FreeAddresses are free ports on loopback.
func FreeAddresses() Addresses {
	return Addresses{Billing: "127.0.0.1:0", Clinic: "127.0.0.1:0", Payments: "127.0.0.1:0"}
}

// Backends are the three back ends, running. Close them.
type Backends struct {
	Addresses Addresses // as they listen, ports resolved
	requests  atomic.Int64
	servers   []*http.Server
}

// Start opens the three back ends, each with a state of its own.
func Start(at Addresses) (*Backends, error) {
	b := &Backends{}
	for _, service := range []struct {
		name    string
		listen  string
		into    *string
		handler http.Handler
	}{
		{"billing", at.Billing, &b.Addresses.Billing, billing.Handler()},
		{"clinic", at.Clinic, &b.Addresses.Clinic, clinic.Handler(nil)},
		{"payments", at.Payments, &b.Addresses.Payments, payments.Handler()},
	} {
		address, err := b.serve(service.listen, service.handler)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start %s: %w", service.name, err), b.Close())
		}
		*service.into = address
	}
	return b, nil
}

func (b *Backends) serve(address string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", err
	}
	server := &http.Server{
		ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b.requests.Add(1)
			handler.ServeHTTP(w, r)
		}),
	}
	b.servers = append(b.servers, server)
	go func() { _ = server.Serve(listener) }() // returns when Close is called
	return listener.Addr().String(), nil
}

// Requests counts what has arrived at the back ends.
func (b *Backends) Requests() int64 { return b.requests.Load() }

// Catalog is catalog.yaml with the addresses of these back ends.
func (b *Backends) Catalog() string {
	named := CatalogAddresses()
	return strings.NewReplacer(
		named.Billing, b.Addresses.Billing,
		named.Clinic, b.Addresses.Clinic,
		named.Payments, b.Addresses.Payments,
	).Replace(catalog)
}

// Close stops the back ends; requests in flight have a second to finish.
func (b *Backends) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var errs []error
	for _, server := range b.servers {
		if server.Shutdown(ctx) != nil {
			errs = append(errs, server.Close())
		}
	}
	return errors.Join(errs...)
}
