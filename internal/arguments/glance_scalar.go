package arguments

import "unicode/utf8"

func (g *glance) str(r *rule) bool {
	w, runes, ok := g.quoted()
	if !ok || runes < r.minLen || (r.maxLen >= 0 && runes > r.maxLen) {
		return false
	}
	if r.pattern == nil && r.otherPattern == nil && r.format == nil && r.values == nil {
		return true
	}
	if !w.canonical || r.values != nil && !among(r.values, w.text) {
		return false
	}
	text := w.text[1 : len(w.text)-1]
	return (r.pattern == nil || r.pattern.Match(text)) &&
		(r.otherPattern == nil || r.otherPattern.MatchString(string(text))) &&
		(r.format == nil || r.format(text))
}

// quoted reads a string and counts its characters. Surrogates are left to the
// canonical form.
func (g *glance) quoted() (w word, runes int, ok bool) {
	start := g.at
	g.at++
	w.canonical = true
	for {
		from := g.at
		for g.at < len(g.b) && plain[g.b[g.at]] {
			g.at++
		}
		runes += g.at - from
		if g.at == len(g.b) {
			return w, 0, false
		}
		switch c := g.b[g.at]; {
		case c == '"':
			g.at++
			w.text = g.b[start:g.at]
			return w, runes, true
		case c == '\\':
			w.canonical = false
			if !g.escape() {
				return w, 0, false
			}
		case c < ' ':
			return w, 0, false
		default:
			r, size := utf8.DecodeRune(g.b[g.at:])
			if r == utf8.RuneError && size == 1 {
				return w, 0, false
			}
			g.at += size
		}
		runes++
	}
}

func (g *glance) escape() bool {
	if g.at+1 >= len(g.b) {
		return false
	}
	g.at += 2
	switch g.b[g.at-1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		return g.unicode()
	}
	return false
}

// unicode reads the digits of \u; false for half a surrogate pair, too.
func (g *glance) unicode() bool {
	if g.at+4 > len(g.b) {
		return false
	}
	var r rune
	for _, c := range g.b[g.at : g.at+4] {
		digit, ok := hexValue(c)
		if !ok {
			return false
		}
		r = r<<4 | digit
	}
	g.at += 4
	return r < 0xD800 || r > 0xDFFF
}

// number reads a number. Its canonical form is what it is compared by, and that
// is its own beginning where it has no exponent and is not too long.
func (g *glance) number(r *rule) bool {
	start := g.at
	if g.b[g.at] == '-' {
		g.at++
	}
	first := g.at
	if !g.digits() || g.b[first] == '0' && g.at > first+1 {
		return false
	}
	end, fraction := g.at, false
	if g.at < len(g.b) && g.b[g.at] == '.' {
		g.at++
		point := g.at
		if !g.digits() {
			return false
		}
		last := g.at
		for last > point && g.b[last-1] == '0' {
			last--
		}
		if fraction = last > point; fraction {
			end = last
		}
	}
	if g.at < len(g.b) && (g.b[g.at] == 'e' || g.b[g.at] == 'E') || g.at-start > plainDigits || g.b[start] == '-' && g.b[first] == '0' && !fraction {
		return false
	}
	kind := isInteger
	if fraction {
		kind = isFraction
	}
	text := g.b[start:end]
	if r.plainBounds && r.values == nil && end-start <= surelyInt64 {
		return r.accepts&kind != 0 && r.bounded(text) && (r.step == 0 || multiple(text, r.step))
	}
	return r.takes(kind, text) && (r.step == 0 || multiple(text, r.step))
}

func (g *glance) digits() bool {
	from := g.at
	for g.at < len(g.b) && isDigit(g.b[g.at]) {
		g.at++
	}
	return g.at > from
}

// surelyInt64 is how long a number may be whose whole part fits into an int64.
const surelyInt64 = 18

// bounded compares a canonical number without an exponent with bounds that are
// whole numbers.
func (r *rule) bounded(number []byte) bool {
	negative := number[0] == '-'
	if negative {
		number = number[1:]
	}
	var below, above int64 // the whole numbers next to it, or itself
	i := 0
	for ; i < len(number) && number[i] != '.'; i++ {
		below = below*10 + int64(number[i]-'0')
	}
	above = below
	if i < len(number) { // what is behind the point is not zero
		above++
	}
	if negative {
		below, above = -above, -below
	}
	return below >= r.least && above <= r.greatest
}

// takes checks a canonical number against what the rule itself says of its kind
// and its bounds, and of the values that it names.
func (r *rule) takes(kind kinds, number []byte) bool {
	switch {
	case r.accepts&kind == 0,
		r.low != nil && r.low.beyond(number, -1),
		r.high != nil && r.high.beyond(number, 1):
		return false
	}
	return r.values == nil || among(r.values, number)
}
