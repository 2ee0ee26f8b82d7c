package diagnose

import "strings"

// condition compares the value at a place with texts.
type condition struct {
	place  place
	values []wanted
}

// wanted is one text that a value may be: folded, with a `*` at an end.
type wanted struct {
	text           string // lower case, without the stars
	before, behind bool   // any text may stand there
	absent         bool   // null: absent, null or empty
}

func newWanted(s string) wanted {
	w := wanted{text: strings.ToLower(s)}
	if s == "*" {
		return wanted{before: true, behind: true}
	}
	w.text, w.before = strings.CutPrefix(w.text, "*")
	w.text, w.behind = strings.CutSuffix(w.text, "*")
	return w
}

// matches compares a present text.
func (w wanted) matches(s string) bool {
	if w.absent {
		return s == ""
	}
	if len(s) < len(w.text) {
		return false
	}
	switch {
	case w.before && w.behind:
		return w.text == "" || strings.Contains(strings.ToLower(s), w.text)
	case w.before:
		return strings.EqualFold(s[len(s)-len(w.text):], w.text)
	case w.behind:
		return strings.EqualFold(s[:len(w.text)], w.text)
	}
	return strings.EqualFold(s, w.text)
}

func (c condition) holds(r *reading) bool { return c.accepts(c.place.first(r)) }

// accepts compares what stands at the place, nil for nothing.
func (c condition) accepts(n *node) bool {
	for _, w := range c.values {
		if n == nil {
			if w.absent {
				return true
			}
			continue
		}
		if n.isContainer() {
			if w.before && w.behind && w.text == "" {
				return true
			}
			continue
		}
		if !w.absent && w.matches(n.str()) {
			return true
		}
	}
	return false
}

// allHold reports whether every condition holds; an empty list holds.
func allHold(conditions []condition, r *reading) bool {
	for _, c := range conditions {
		if !c.holds(r) {
			return false
		}
	}
	return true
}

// anyHolds reports whether one of the alternatives holds whole.
func anyHolds(alternatives [][]condition, r *reading) bool {
	for _, conditions := range alternatives {
		if allHold(conditions, r) {
			return true
		}
	}
	return false
}

// allAccept is allHold for body places relative to n.
func allAccept(conditions []condition, n *node) bool {
	for _, c := range conditions {
		if !c.accepts(firstAt(n, c.place.steps)) {
			return false
		}
	}
	return true
}
