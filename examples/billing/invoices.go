package billing

import "slices"

var statuses = []string{"open", "paid", "overdue"}

// invoices is the account's book, oldest first.
var invoices = []Invoice{
	{ID: "inv_3071", Date: "2026-01-19", Amount: "1250.00", Status: "paid"},
	{ID: "inv_3096", Date: "2026-02-11", Amount: "84.50", Status: "paid"},
	{ID: "inv_3118", Date: "2026-03-02", Amount: "310.00", Status: "overdue"},
	{ID: "inv_3131", Date: "2026-03-14", Amount: "99.90", Status: "open"},
	{ID: "inv_3140", Date: "2026-03-27", Amount: "1250.00", Status: "open"},
}

func known(status string) bool { return slices.Contains(statuses, status) }

// filter selects invoices. Days are compared as text, which for YYYY-MM-DD is
// the order of the days.
type filter struct{ start, end, status string }

func (f filter) of(all []Invoice) []Invoice {
	found := []Invoice{} // an empty list is [] in JSON, not null
	for _, invoice := range all {
		inside := invoice.Date >= f.start && invoice.Date <= f.end
		if inside && (f.status == "" || f.status == invoice.Status) {
			found = append(found, invoice)
		}
	}
	return found
}
