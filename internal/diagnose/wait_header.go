package diagnose

import (
	"net/textproto"
	"strings"
)

// exactWaits are headers that say when to come back, most exact first.
var exactWaits = [...]struct {
	name string
	unit waitUnit
}{
	{"Retry-After-Ms", unitMillis},
	{"X-Ms-Retry-After-Ms", unitMillis},
	{"X-Amz-Retry-After", unitMillis},
	{"Grpc-Retry-Pushback-Ms", unitMillis},
	{"Retry-After", unitAuto},
	{"X-Retry-After", unitAuto},
	{"X-Ratelimit-Retry-After", unitAuto},
	{"X-Rate-Limit-Retry-After", unitAuto},
	{"X-Rate-Limit-Retry-After-Seconds", unitSeconds},
	{"X-Ratelimit-Retryafter", unitAuto},
	{"X-Rate-Limit-Retry-After-Ms", unitMillis},
}

// offerExact offers the headers that bind whatever the status is.
func (d *diagnosis) offerExact(h *hint) {
	for _, header := range exactWaits {
		value := d.reading.header(header.name)
		if value == "" {
			continue
		}
		// A repeated header may come joined; a date has its own comma.
		w := d.parse(value, header.unit)
		if first, _, joined := strings.Cut(value, ","); joined && w.kind == noWait {
			w = d.parse(first, header.unit)
		}
		h.offer(w, strings.ToLower(header.name))
	}
}

// offerWindows offers what rate limit headers say of their window's end. They
// tell of every request, so they bind only where nothing remains, or where the
// answer is a 429 and nothing is said of what remains.
func (d *diagnosis) offerWindows(h *hint) {
	if d.reading.http() && !limitStatus(d.reading.status) && d.finding.meaning.class != transient {
		return
	}
	d.offerRateLimit(h)
	d.offerResets(h)
}

func limitStatus(status int) bool { return status == 403 || status == 429 || status == 503 }

// offerResets reads the pairs of remaining and reset headers, among them those
// per kind of window: x-ratelimit-remaining-tokens.
func (d *diagnosis) offerResets(h *hint) {
	longest, from := wait{}, ""
	for name, values := range d.reading.reply.Header {
		lower := strings.ToLower(name)
		if !strings.Contains(lower, "reset") || len(values) == 0 || !strings.Contains(lower, "rate") || lower == "x-ratelimit-resource" {
			continue
		}
		left, known := d.remaining(lower)
		if known && left > 0 || !known && d.reading.status != 429 {
			continue
		}
		unit := unitAuto
		if strings.HasSuffix(lower, "after") || strings.HasSuffix(lower, "-in") {
			unit = unitSeconds
		}
		w := d.parse(values[0], unit)
		if strings.HasSuffix(lower, "-ms") {
			w = d.parse(values[0], unitMillis)
		}
		if w.kind == goodWait && (longest.kind != goodWait || w.seconds > longest.seconds || w.seconds == longest.seconds && lower < from) {
			longest, from = w, lower
		}
	}
	h.offer(longest, from)
}

// remaining is what is left in the window that a reset header tells of.
func (d *diagnosis) remaining(reset string) (float64, bool) {
	name := strings.Replace(strings.TrimSuffix(strings.TrimSuffix(reset, "-after"), "-ms"), "reset", "remaining", 1)
	value := d.reading.header(textproto.CanonicalMIMEHeaderKey(name))
	if value == "" {
		return 0, false
	}
	first, _, _ := strings.Cut(value, ",")
	return plainNumber(strings.TrimSpace(first))
}
