package clinic

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Slot is one quarter of an hour with one practitioner.
type Slot struct {
	PractitionerID string `json:"practitioner_id"`
	Start          string `json:"start"` // RFC 3339, UTC
}

const (
	quarter       = 15 * time.Minute
	otherPersonIs = 2 * time.Hour // what seeing somebody else weighs
)

var (
	practitioners = []string{"p_17", "p_22", "p_31"}
	opens         = time.Date(2026, time.March, 12, 9, 0, 0, 0, time.UTC)
	closes        = opens.Add(8 * time.Hour)
)

// parse checks that practitioner and start name a slot, taken or free.
func parse(practitioner, start string) (Slot, *refusal) {
	if !slices.Contains(practitioners, practitioner) {
		return Slot{}, &refusal{Status: http.StatusNotFound, Code: "unknown_practitioner",
			Message: fmt.Sprintf("there is no practitioner %q", practitioner)}
	}
	at, err := time.Parse(time.RFC3339, start)
	if err != nil || at.Before(opens) || !at.Before(closes) || at.Sub(opens)%quarter != 0 {
		return Slot{}, &refusal{Status: http.StatusBadRequest, Code: "invalid_argument",
			Message: "start is not a quarter of an hour between 2026-03-12T09:00:00Z and 2026-03-12T16:45:00Z"}
	}
	return slot(practitioner, at), nil
}

func slot(practitioner string, at time.Time) Slot {
	return Slot{PractitionerID: practitioner, Start: at.UTC().Format(time.RFC3339)}
}

func (s Slot) at() time.Time {
	at, _ := time.Parse(time.RFC3339, s.Start) // written by slot
	return at
}

// distance is how far a slot lies from the wanted one.
func (s Slot) distance(wanted Slot) time.Duration {
	apart := s.at().Sub(wanted.at()).Abs()
	if s.PractitionerID != wanted.PractitionerID {
		apart += otherPersonIs
	}
	return apart
}

// book holds who is booked when.
type book struct {
	mu    sync.Mutex // guards what follows
	taken map[Slot]time.Time
	last  int
}

// openingBook is the day as it stands: p_17 is free at 14:45 and 16:00 alone,
// p_22 is busy in the morning, p_31 has the day off.
func openingBook(bookedAt time.Time) *book {
	b := &book{taken: map[Slot]time.Time{}, last: 700}
	for at := opens; at.Before(closes); at = at.Add(quarter) {
		clock := at.Format("15:04")
		if clock != "14:45" && clock != "16:00" {
			b.taken[slot("p_17", at)] = bookedAt
		}
		if at.Hour() < 12 {
			b.taken[slot("p_22", at)] = bookedAt
		}
		b.taken[slot("p_31", at)] = bookedAt
	}
	return b
}

// take books a slot; an empty id means that it was taken before, at since.
func (b *book) take(wanted Slot, now time.Time) (id string, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if since, busy := b.taken[wanted]; busy {
		return "", since
	}
	b.taken[wanted] = now
	b.last++
	return fmt.Sprintf("bk_%d", b.last), now
}

// free lists the free slots, nearest to wanted first.
func (b *book) free(wanted Slot) []Slot {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := []Slot{}
	for _, practitioner := range practitioners {
		for at := opens; at.Before(closes); at = at.Add(quarter) {
			candidate := slot(practitioner, at)
			if _, busy := b.taken[candidate]; !busy {
				found = append(found, candidate)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Slot) int { return cmp.Compare(x.distance(wanted), y.distance(wanted)) })
	return found
}
