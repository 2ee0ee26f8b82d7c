// Package billing is an example back end: a small invoice service, over plain
// HTTP and JSON, that knows nothing of toolgate.
//
// Its rules:
//
//   - GET /invoices lists the invoices of one account, oldest first.
//   - start_date and end_date are days, YYYY-MM-DD, both inclusive, both
//     optional. Anything else is a 400 that names the field and the format.
//   - status is one of open, paid, overdue; anything else is a 400 that names
//     the field and the accepted values.
//   - A range that ends before it starts is a 400.
package billing

import (
	"encoding/json"
	"net/http"
	"time"
)

// Invoice is one invoice as the service shows it.
type Invoice struct {
	ID     string      `json:"id"`
	Date   string      `json:"date"`
	Amount json.Number `json:"amount"`
	Status string      `json:"status"`
}

// Handler serves the invoices. It holds no state that a request could change
// and is safe for concurrent use.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /invoices", list)
	return mux
}

func list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	filter := filter{end: "9999-12-31", status: query.Get("status")}
	for _, day := range []struct {
		field string
		into  *string
	}{{"start_date", &filter.start}, {"end_date", &filter.end}} {
		value := query.Get(day.field)
		if value == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			refuse(w, fault{Message: "invalid date format", Field: day.field, Format: "YYYY-MM-DD"})
			return
		}
		*day.into = value
	}
	if filter.status != "" && !known(filter.status) {
		refuse(w, fault{Message: "unknown status", Field: "status", Accepted: statuses})
		return
	}
	if filter.end < filter.start {
		refuse(w, fault{Message: "end_date lies before start_date", Field: "end_date", Format: "a day on or after start_date"})
		return
	}
	found := filter.of(invoices)
	answer(w, http.StatusOK, map[string]any{"invoices": found, "count": len(found)})
}

// fault is the body of every refusal.
type fault struct {
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Field    string   `json:"field"`
	Format   string   `json:"format,omitempty"`
	Accepted []string `json:"accepted,omitempty"`
}

func refuse(w http.ResponseWriter, f fault) {
	f.Code = "invalid_argument"
	answer(w, http.StatusBadRequest, map[string]any{"error": f})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller went away: nobody to tell
}
