package arguments

import (
	"slices"
	"strings"
	"testing"
)

func TestTheNearestNamesComeFirst(t *testing.T) {
	tools := []string{"book_slot", "list_invoices", "pay_invoice", "find_slots", "send_email", "get_balance"}
	for name, want := range map[string]string{
		"list_invoice":  "list_invoices",
		"listInvoices":  "list_invoices",
		"LIST-INVOICES": "list_invoices",
		"invoices_list": "list_invoices",
		"invoices":      "list_invoices",
		"email":         "send_email",
		"sned_email":    "send_email",
		"slots.find":    "find_slots",
		"balance":       "get_balance",
		"bok_slot":      "book_slot",
	} {
		if got := Nearest(name, tools, 3); len(got) != 3 || got[0] != want {
			t.Errorf("%s: %v, want %s first", name, got, want)
		}
	}
}

func TestNearestIsBoundedAndKeepsTheOrderOfEquals(t *testing.T) {
	if got := Nearest("x", nil, 3); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := Nearest("", []string{"b", "a"}, 5); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("%v", got)
	}
	if got := Nearest(strings.Repeat("é", 1<<20), []string{"a", "b"}, 1); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestSwappedNeighboursAreOneSlip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "", 3}, {"limt", "limit", 1}, {"kitten", "sitting", 3}} {
		if got := slips([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
