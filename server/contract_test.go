package server

import (
	"strings"
	"testing"
)

func TestADescriptionIsASentenceBeforeTheContractIs(t *testing.T) {
	for description, want := range map[string]string{
		"":                        contractShort,
		"Finds invoices.":         "Finds invoices. " + contractShort,
		"Finds invoices":          "Finds invoices. " + contractShort,
		"Really?":                 "Really? " + contractShort,
		"Sucht Rechnungen von Ö":  "Sucht Rechnungen von Ö. " + contractShort,
		"Finds (by date)":         "Finds (by date) " + contractShort,
		"Finds. " + contractShort: "Finds. " + contractShort,
	} {
		if got := withContract(description); got != want || strings.Count(got, contractShort) != 1 {
			t.Errorf("%q became %q", description, got)
		}
	}
}
