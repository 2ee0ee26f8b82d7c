package redact

import (
	"regexp"
	"strings"
)

// text is a text under redaction.
type text struct {
	s    string
	keep Keep
	set  *ruleSet
	has  feature
	hits []hit
	hit  uint64 // the rules that have hits
	read string // the text that has, hits and hit are of
}

func (t *text) run() {
	for i := range t.set.rules {
		t.scan()
		r := &t.set.rules[i]
		if t.has&r.needs != r.needs || (r.any != 0 && t.has&r.any == 0) || (len(r.words) > 0 && t.hit>>i&1 == 0) {
			continue
		}
		places := t.places(i, r.sign)
		switch {
		case r.by != nil:
			r.by(t, places)
		case r.starts:
			t.s = t.startingAt(r, places)
		case r.reach == 0:
			t.s = replace(t.s, r.re, t.keep, r.with)
		default:
			t.s = t.near(r, places)
		}
	}
}

// scan reads the text again where a rule has changed it.
func (t *text) scan() {
	if t.read == t.s && (t.read != "" || t.has != 0) {
		return
	}
	t.read, t.has = t.s, featuresOf(t.s)
	t.hits, t.hit = t.set.find(t.s, t.hits[:0])
}

// places lists where the words, or the sign, of a rule stand.
func (t *text) places(rule int, sign byte) (places []int) {
	for i := 0; sign != 0 && i < len(t.s); i++ {
		if t.s[i] == sign {
			places = append(places, i)
		}
	}
	for _, h := range t.hits {
		if h.rule == rule {
			places = append(places, h.at)
		}
	}
	return places
}

// near runs a rule around its words alone.
func (t *text) near(r *rule, places []int) string {
	var b strings.Builder
	done, s := 0, t.s
	for i := 0; i < len(places); {
		from, to := window(s, places[i], r)
		for i++; i < len(places) && places[i]-r.back <= to; i++ {
			_, to = window(s, places[i], r)
		}
		from = max(from, done)
		b.WriteString(s[done:from])
		b.WriteString(replace(s[from:to], r.re, t.keep, r.with))
		done = to
	}
	b.WriteString(s[done:])
	return b.String()
}

// startingAt runs an anchored rule at its words.
func (t *text) startingAt(r *rule, places []int) string {
	var b strings.Builder
	done, s := 0, t.s
	for _, at := range places {
		if at < done || (at > 0 && isWord(s[at-1])) {
			continue
		}
		_, to := window(s, at, r)
		found := r.re.FindStringSubmatchIndex(s[at:to])
		if found == nil {
			continue
		}
		for i := range found {
			if found[i] >= 0 {
				found[i] += at
			}
		}
		b.WriteString(s[done:at])
		with := r.with(match{text: s, at: found, keep: t.keep})
		t.keep.note(s[at:found[1]], with)
		b.WriteString(with)
		done = found[1]
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// splice replaces what find finds at the places: with takes the place of
// s[from:to]; an empty range is nothing. It serves rules whose expressions would
// read the same bytes again and again where a stranger wants them to.
func (t *text) splice(places []int, find func(s string, at int) (from, to int, with string)) {
	var b strings.Builder
	done, s := 0, t.s
	for _, at := range places {
		if at < done {
			continue
		}
		from, to, with := find(s, at)
		if to <= from || from < done {
			continue
		}
		t.keep.note(s[from:to], with)
		b.WriteString(s[done:from])
		b.WriteString(with)
		done = to
	}
	if done > 0 {
		t.s = b.String() + s[done:]
	}
}

// window is what lies within reach of a place, whole tokens.
func window(s string, at int, r *rule) (from, to int) {
	from, to = max(0, at-r.back), min(len(s), at+r.reach)
	for from > 0 && s[from-1] != ' ' {
		from--
	}
	for to < len(s) && s[to] != ' ' {
		to++
	}
	return from, to
}

func replace(s string, re *regexp.Regexp, keep Keep, with func(match) string) string {
	all := re.FindAllStringSubmatchIndex(s, -1)
	if all == nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	end := 0
	for _, at := range all {
		b.WriteString(s[end:at[0]])
		m := match{text: s, at: at, keep: keep}
		replacement := with(m)
		keep.note(m.group(0), replacement)
		b.WriteString(replacement)
		end = at[1]
	}
	b.WriteString(s[end:])
	return b.String()
}
