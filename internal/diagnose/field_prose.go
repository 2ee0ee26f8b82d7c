package diagnose

import (
	"regexp"
	"strings"
)

// fieldInProse finds the argument that a sentence is about: a quoted name, an
// echoed value in quotes, a name as a word, an echoed bare value, in that order.
// It names a field; it never decides a class.
func (d *diagnosis) fieldInProse(text string) (string, bool) {
	x := d.index()
	if text = text[:min(len(text), 1024)]; len(x.sent)+len(x.known) == 0 || text == "" {
		return "", false
	}
	for _, path := range pathsIn(text) {
		if found, ok := x.named(path); ok {
			return found, true
		}
	}
	quotes := quoted(text)
	for _, q := range quotes {
		if path, ok := x.named(q); ok {
			return path, true
		}
	}
	for _, q := range quotes {
		if path, ok := x.echoed(q); ok {
			return path, true
		}
	}
	words := wordsOf(text)
	for _, w := range words {
		if path, ok := x.named(w); ok {
			return path, true
		}
	}
	for i := 0; i+1 < len(words); i++ { // "start date" is start_date
		if path, ok := x.named(words[i] + words[i+1]); ok {
			return path, true
		}
	}
	for _, w := range words {
		if len(w) >= 4 || isJSONNumber(w) || len(w) == 3 && strings.ContainsAny(w, "0123456789-_") {
			if path, ok := x.equal(w); ok {
				return path, true
			}
		}
	}
	return "", false
}

// pathsIn lists the words of a text that are paths into a document: `$.a[0].b`,
// `#/a/0`, `a[0].b`.
func pathsIn(text string) []string {
	var out []string
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, "\"'`,:;()")
		if strings.HasPrefix(word, "$.") || strings.HasPrefix(word, "#/") || strings.HasPrefix(word, "/") || strings.Contains(word, "[") && isWordByte(word[0]) {
			out = append(out, word)
		}
		if len(out) == 8 {
			break
		}
	}
	return out
}

// tooLong finds the one text that is longer than the sentence allows.
func (d *diagnosis) tooLong(text string) (string, bool) {
	m := lengthForm.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	most := atoi(orElse(m[1], m[2]))
	return d.index().only(func(s string) bool { return most > 0 && len([]rune(s)) > most })
}

var lengthForm = regexp.MustCompile(`(?i)(?:too long|exceeds?|exceeded|longer than|at most|maximum|max|up to|limit|varying|varchar)[^0-9]{0,24}(\d{1,6})\b ?(?:characters|chars|\))|\b(\d{1,6})[ -]characters? (?:limit|maximum|max)\b`)

// fieldInCode finds the argument that the words of a code name: INVALID_CURRENCY,
// path/not_found.
func (d *diagnosis) fieldInCode() (string, bool) {
	for _, code := range d.finding.codes {
		for _, word := range strings.FieldsFunc(code, func(c rune) bool { return !isNameRune(c) || c == '_' }) {
			if len(word) < 3 || errorWord(word) {
				continue
			}
			if path, ok := d.index().named(word); ok {
				return path, true
			}
		}
	}
	return "", false
}

// named is the argument of exactly that name, its last name or its whole path.
func (x *argumentIndex) named(name string) (string, bool) {
	if !strings.ContainsAny(name, "./[") {
		if a := x.leafs[plain(name)]; a != nil {
			return a.path(), true
		}
		return "", false
	}
	parts := segments(name)
	if len(parts) == 0 || len(name) > 128 {
		return "", false
	}
	want := newArgument(parts, nil)
	if x.leafs[want.leaf()] == nil {
		return "", false
	}
	return x.resolve(name)
}

// equal is the one argument with exactly that value.
func (x *argumentIndex) equal(value string) (string, bool) {
	return x.only(func(s string) bool { return strings.EqualFold(s, value) })
}

// quoted lists what stands in quotes, backticks or guillemets.
func quoted(text string) []string {
	var out []string
	for _, pair := range [...][2]string{{"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}} {
		for rest := text; len(out) < 12; {
			_, after, found := strings.Cut(rest, pair[0])
			if !found {
				break
			}
			inner, tail, closed := strings.Cut(after, pair[1])
			if !closed {
				break
			}
			// An apostrophe inside a word opens nothing.
			if at := len(rest) - len(after) - len(pair[0]); pair[0] == "'" && at > 0 && isWordByte(rest[at-1]) {
				rest = after
				continue
			}
			if inner != "" && len(inner) <= 128 {
				out = append(out, inner)
			}
			rest = tail
		}
	}
	return out
}

// wordsOf lists the words of a text; dots, dashes and underscores inside one
// belong to it.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune("\"'`“”‘’,;:()[]{}<>=!?", c)
	}) {
		if w = strings.Trim(w, ".-_/$%*+"); w != "" && len(w) <= 64 {
			out = append(out, w)
		}
		if len(out) == 120 {
			break
		}
	}
	return out
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
