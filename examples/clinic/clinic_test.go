package clinic_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples/clinic"
)

func ask(h http.Handler, method, target, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func booking(practitioner, clock string) string {
	return fmt.Sprintf(`{"practitioner_id":%q,"start":"2026-03-12T%s:00Z"}`, practitioner, clock)
}

func TestATakenSlotStaysTakenAndSaysSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	h := clinic.Handler(func() time.Time { return now })
	for _, tc := range []struct {
		later time.Duration
		since string
	}{{0, "2 seconds"}, {58 * time.Second, "1 minute"}, {3 * time.Hour, "3 hours"}, {48 * time.Hour, "2 days"}} {
		now = now.Add(tc.later)
		status, body := ask(h, http.MethodPost, "/bookings", booking("p_17", "14:30"))
		want := `{"error":"slot_unavailable","message":"2026-03-12 14:30 with p_17 was booked ` + tc.since +
			` ago and cannot be reserved.","practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}`
		if status != http.StatusConflict || body != want {
			t.Errorf("got %d %s, want 409 %s", status, body, want)
		}
	}
}

func TestFreeSlotsComeNearestFirst(t *testing.T) {
	h := clinic.Handler(nil)
	_, body := ask(h, http.MethodGet, "/slots?practitioner_id=p_17&start=2026-03-12T14:30:00Z&limit=4", "")
	want := `{"free":22,"slots":[` + strings.Join([]string{
		booking("p_17", "14:45"), booking("p_17", "16:00"), booking("p_22", "14:30"), booking("p_22", "14:15"),
	}, ",") + `]}`
	if body != want {
		t.Errorf("got %s, want %s", body, want)
	}
}

func TestBooking(t *testing.T) {
	h := clinic.Handler(nil)
	for _, tc := range []struct {
		name, body string
		status     int
		holds      string
	}{
		{"a free slot is booked", booking("p_17", "14:45"), 201, `"booking_id":"bk_701"`},
		{"and then it is taken", booking("p_17", "14:45"), 409, "slot_unavailable"},
		{"an offset names the same instant", `{"practitioner_id":"p_17","start":"2026-03-12T15:45:00+01:00"}`, 409, "14:45"},
		{"an unknown practitioner is not found", booking("p_99", "14:45"), 404, "unknown_practitioner"},
		{"a start between slots is refused", booking("p_22", "14:37"), 400, "quarter of an hour"},
		{"so is one outside the day", booking("p_22", "17:00"), 400, "quarter of an hour"},
		{"and a body that is no booking", `[]`, 400, "not a booking"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, body := ask(h, http.MethodPost, "/bookings", tc.body)
			if status != tc.status || !strings.Contains(body, tc.holds) {
				t.Errorf("got %d %s, want %d with %s", status, body, tc.status, tc.holds)
			}
		})
	}
	_, body := ask(h, http.MethodGet, "/slots?practitioner_id=p_17&start=2026-03-12T14:30:00Z", "")
	if strings.Contains(body, booking("p_17", "14:45")) {
		t.Errorf("a booked slot is still listed: %s", body)
	}
}

func TestALimitIsANumberFromOneToFifty(t *testing.T) {
	for limit, status := range map[string]int{"1": 200, "50": 200, "0": 400, "51": 400, "x": 400} {
		got, _ := ask(clinic.Handler(nil), http.MethodGet, "/slots?practitioner_id=p_17&start=2026-03-12T14:30:00Z&limit="+limit, "")
		if got != status {
			t.Errorf("limit %s: got %d, want %d", limit, got, status)
		}
	}
}
