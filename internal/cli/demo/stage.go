package demo

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/examples/agent"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// stage is what runs during the demo: the back ends twice, so that neither
// layer sees what the other did, the gateway, and its client.
type stage struct {
	behindToolgate *examples.Backends
	behindNaive    *examples.Backends
	client         *toolgate.Client
	http           *http.Client
	stops          []func() error // in the order of starting
}

func (d Demo) stage() (_ *stage, err error) {
	s := &stage{http: &http.Client{Transport: &http.Transport{}}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for _, backends := range []**examples.Backends{&s.behindToolgate, &s.behindNaive} {
		if *backends, err = examples.Start(examples.FreeAddresses()); err != nil {
			return nil, err
		}
		s.stops = append(s.stops, (*backends).Close)
	}
	address, stop, err := d.Start(s.behindToolgate.Catalog())
	if err != nil {
		return nil, fmt.Errorf("start the gateway: %w", err)
	}
	s.stops = append(s.stops, stop)
	if s.client, err = toolgate.Dial(address, d.Client...); err != nil {
		return nil, err
	}
	s.stops = append(s.stops, s.client.Close)
	return s, nil
}

// close stops everything, the last started first.
func (s *stage) close() error {
	var errs []error
	s.http.CloseIdleConnections()
	for _, stop := range slices.Backward(s.stops) {
		errs = append(errs, stop())
	}
	return errors.Join(errs...)
}

// naiveStack is a new one, with the routes that its catalogue would have.
func (s *stage) naiveStack() *agent.NaiveStack {
	at := s.behindNaive.Addresses
	return &agent.NaiveStack{Client: s.http, Routes: map[string]agent.Route{
		"list_invoices":         {Method: http.MethodGet, URL: "http://" + at.Billing + "/invoices"},
		"list_invoices_untyped": {Method: http.MethodGet, URL: "http://" + at.Billing + "/invoices"},
		"book_slot":             {Method: http.MethodPost, URL: "http://" + at.Clinic + "/bookings"},
		"transfer_funds":        {Method: http.MethodPost, URL: "http://" + at.Payments + "/transfers"},
		"request_deposit":       {Method: http.MethodPost, URL: "http://" + at.Payments + "/deposits"},
	}}
}
