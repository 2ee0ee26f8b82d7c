package diagnose

import "strings"

// offerRateLimit reads the RateLimit header of both drafts: structured items
// `"name";r=0;t=30` (draft 8 and later) and `limit=10, remaining=0, reset=50`
// (draft 7). The three separate headers (draft 6) are read as resets.
func (d *diagnosis) offerRateLimit(h *hint) {
	value := d.reading.header("Ratelimit")
	if value == "" {
		return
	}
	if strings.Contains(strings.ToLower(value), "reset=") {
		d.offerDraft7(h, value)
		return
	}
	// Several policies may be listed; the empty ones bind, the last to open
	// decides.
	longest := wait{}
	for item := range strings.SplitSeq(value, ",") {
		parameters := parametersOf(item, ";")
		left, known := plainNumber(parameters["r"])
		if known && left > 0 {
			continue
		}
		if w := d.parse(parameters["t"], unitSeconds); w.kind == goodWait && w.seconds >= longest.seconds {
			longest = w
		}
	}
	h.offer(longest, "ratelimit")
}

func (d *diagnosis) offerDraft7(h *hint, value string) {
	parameters := parametersOf(value, ",")
	left, known := plainNumber(parameters["remaining"])
	if known && left > 0 {
		return
	}
	h.offer(d.parse(parameters["reset"], unitSeconds), "ratelimit")
}

func parametersOf(s, separator string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(s, separator) {
		if name, value, found := strings.Cut(part, "="); found {
			out[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return out
}
