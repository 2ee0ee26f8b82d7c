package examples_test

import (
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/examples"
)

func TestTheBackEndsListenAreCountedAndStop(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	at := backends.Addresses
	for _, url := range []string{at.Billing + "/invoices", at.Clinic + "/slots?practitioner_id=p_22&start=2026-03-12T14:30:00Z", at.Payments + "/accounts/acc_1042"} {
		response, err := http.Get("http://" + url)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s answered %d", url, response.StatusCode)
		}
	}
	if n := backends.Requests(); n != 3 {
		t.Errorf("counted %d requests", n)
	}
	named := examples.CatalogAddresses()
	for _, address := range []string{named.Billing, named.Clinic, named.Payments} {
		if strings.Contains(backends.Catalog(), "url: http://"+address+"\n") {
			t.Errorf("the catalogue still names %s", address)
		}
	}
	if err := backends.Close(); err != nil {
		t.Error(err)
	}
	if response, err := http.Get("http://" + at.Billing); err == nil {
		_ = response.Body.Close()
		t.Error("a back end listens on")
	}
}

func TestBackEndsBeginAnew(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	book := func() int {
		t.Helper()
		response, err := http.Post("http://"+backends.Addresses.Clinic+"/bookings", "application/json",
			strings.NewReader(`{"practitioner_id":"p_22","start":"2026-03-12T14:30:00Z"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	first, second := book(), book()
	if counts := backends.Counts(); counts["clinic"] != 2 || counts["billing"] != 0 || len(counts) != 3 {
		t.Errorf("counted %v", counts)
	}
	backends.Reset()
	if n := backends.Requests(); n != 0 {
		t.Errorf("%d requests after a reset", n)
	}
	if third := book(); first >= 300 || second != http.StatusConflict || third != first {
		t.Errorf("booked with %d, again with %d, after the reset with %d", first, second, third)
	}
}

func TestAnAddressInUseIsAnError(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	if _, err := examples.Start(examples.Addresses{Billing: "127.0.0.1:0", Clinic: backends.Addresses.Clinic, Payments: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "start clinic") {
		t.Errorf("got %v", err)
	}
}
