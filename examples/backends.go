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
	services  []*service
}

// service is one back end: it can begin anew while it listens.
type service struct {
	name     string
	fresh    func() http.Handler
	handler  atomic.Pointer[http.Handler]
	requests atomic.Int64
	server   *http.Server
}

// Start opens the three back ends, each with a state of its own.
func Start(at Addresses) (*Backends, error) {
	b := &Backends{}
	for _, opening := range []struct {
		name   string
		listen string
		into   *string
		fresh  func() http.Handler
	}{
		{"billing", at.Billing, &b.Addresses.Billing, billing.Handler},
		{"clinic", at.Clinic, &b.Addresses.Clinic, func() http.Handler { return clinic.Handler(nil) }},
		{"payments", at.Payments, &b.Addresses.Payments, payments.Handler},
	} {
		opened := &service{name: opening.name, fresh: opening.fresh}
		address, err := opened.serve(opening.listen)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start %s: %w", opening.name, err), b.Close())
		}
		*opening.into = address
		b.services = append(b.services, opened)
	}
	return b, nil
}

func (s *service) serve(address string) (string, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", err
	}
	s.reset()
	s.server = &http.Server{
		ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.requests.Add(1)
			(*s.handler.Load()).ServeHTTP(w, r)
		}),
	}
	go func() { _ = s.server.Serve(listener) }() // returns when Close is called
	return listener.Addr().String(), nil
}

func (s *service) reset() {
	handler := s.fresh()
	s.handler.Store(&handler)
	s.requests.Store(0)
}

// Requests counts what has arrived at the back ends.
func (b *Backends) Requests() (sum int64) {
	for _, requests := range b.Counts() {
		sum += requests
	}
	return sum
}

// Counts are the requests that have arrived, by the name of the back end:
// billing, clinic, payments.
func (b *Backends) Counts() map[string]int64 {
	counts := make(map[string]int64, len(b.services))
	for _, service := range b.services {
		counts[service.name] = service.requests.Load()
	}
	return counts
}

// Reset gives every back end the state that it started with, and counts from 0.
func (b *Backends) Reset() {
	for _, service := range b.services {
		service.reset()
	}
}

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
	for _, service := range b.services {
		if service.server.Shutdown(ctx) != nil {
			errs = append(errs, service.server.Close())
		}
	}
	return errors.Join(errs...)
}
