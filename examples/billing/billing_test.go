package billing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgate.dev/toolgate/examples/billing"
)

func TestHandler(t *testing.T) {
	for _, tc := range []struct {
		name, query string
		status      int
		body        string
	}{
		{"a range lists what lies in it, both ends included", "start_date=2026-03-14&end_date=2026-03-27", 200,
			`{"count":2,"invoices":[{"id":"inv_3131","date":"2026-03-14","amount":99.90,"status":"open"},{"id":"inv_3140","date":"2026-03-27","amount":1250.00,"status":"open"}]}`},
		{"no filter lists the whole book", "", 200, `"count":5`},
		{"an empty range is an empty list", "start_date=2026-05-01", 200, `{"count":0,"invoices":[]}`},
		{"a status filters", "status=overdue", 200, `"inv_3118"`},
		{"an American date is refused, naming field and format", "start_date=03/14/2026", 400,
			`{"error":{"code":"invalid_argument","message":"invalid date format","field":"start_date","format":"YYYY-MM-DD"}}`},
		{"so is a day that no calendar has", "end_date=2026-02-30", 400, `"field":"end_date","format":"YYYY-MM-DD"`},
		{"an unknown status names the accepted ones", "status=late", 400, `"field":"status","accepted":["open","paid","overdue"]`},
		{"a range backwards is refused", "start_date=2026-03-14&end_date=2026-03-01", 400, `"field":"end_date"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			billing.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/invoices?"+tc.query, nil))
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.body) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, tc.status, tc.body)
			}
		})
	}
}
