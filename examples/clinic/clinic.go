// Package clinic is an example back end: appointment slots of a practice, over
// plain HTTP and JSON, that knows nothing of toolgate.
//
// Its rules:
//
//   - The day 2026-03-12 has slots every 15 minutes from 09:00 to 17:00 UTC.
//   - GET /slots?practitioner_id=&start=&limit= lists free slots, nearest to
//     start first. Seeing somebody else weighs as much as two hours.
//   - POST /bookings {practitioner_id, start} books a free slot.
//   - A taken slot is a 409 that repeats practitioner and start and says how
//     long ago it was booked. Waiting does not help: it stays taken.
//   - An unknown practitioner is a 404; a start that is no slot is a 400.
package clinic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Handler serves a practice of its own, with the day's bookings made two
// seconds before now. It is safe for concurrent use. A nil now means time.Now.
func Handler(now func() time.Time) http.Handler {
	if now == nil {
		now = time.Now
	}
	desk := &desk{now: now, book: openingBook(now().Add(-2 * time.Second))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /slots", desk.find)
	mux.HandleFunc("POST /bookings", desk.take)
	return mux
}

type desk struct {
	now  func() time.Time
	book *book
}

func (d *desk) find(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	wanted, fault := parse(query.Get("practitioner_id"), query.Get("start"))
	if fault != nil {
		fault.write(w)
		return
	}
	limit := 10
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 50 {
			refusal{Status: 400, Code: "invalid_argument", Message: "limit is a number from 1 to 50"}.write(w)
			return
		}
		limit = n
	}
	free := d.book.free(wanted)
	answer(w, http.StatusOK, map[string]any{"slots": free[:min(limit, len(free))], "free": len(free)})
}

func (d *desk) take(w http.ResponseWriter, r *http.Request) {
	var wanted Slot
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		refusal{Status: 400, Code: "invalid_argument", Message: "the body is not a booking"}.write(w)
		return
	}
	wanted, fault := parse(wanted.PractitionerID, wanted.Start)
	if fault != nil {
		fault.write(w)
		return
	}
	id, since := d.book.take(wanted, d.now())
	if id == "" {
		taken(wanted, d.now().Sub(since)).write(w)
		return
	}
	answer(w, http.StatusCreated, map[string]any{
		"booking_id": id, "practitioner_id": wanted.PractitionerID, "start": wanted.Start,
	})
}

// refusal is the body of every refusal.
type refusal struct {
	Status         int    `json:"-"`
	Code           string `json:"error"`
	Message        string `json:"message"`
	PractitionerID string `json:"practitioner_id,omitempty"`
	Start          string `json:"start,omitempty"`
}

func (f refusal) write(w http.ResponseWriter) { answer(w, f.Status, f) }

func taken(slot Slot, since time.Duration) refusal {
	return refusal{
		Status: http.StatusConflict, Code: "slot_unavailable",
		Message: fmt.Sprintf("%s with %s was booked %s ago and cannot be reserved.",
			slot.at().Format("2006-01-02 15:04"), slot.PractitionerID, words(since)),
		PractitionerID: slot.PractitionerID, Start: slot.Start,
	}
}

// words says a span as people do, in its largest unit.
func words(span time.Duration) string {
	n, unit := int(span.Seconds()), "second"
	for _, next := range []struct {
		per  int
		name string
	}{{60, "minute"}, {60, "hour"}, {24, "day"}} {
		if n < next.per {
			break
		}
		n, unit = n/next.per, next.name
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller went away: nobody to tell
}
