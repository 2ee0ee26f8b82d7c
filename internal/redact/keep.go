package redact

import (
	"encoding/json"
	"strings"
)

// Keep is what the caller itself sent and so may see again: its e-mail
// addresses, numbers, identifiers, hosts and paths. Values that it sent under
// the name of a secret are the opposite: they are removed wherever they appear.
// It also remembers what was removed, for Sweep: one is made per failure. The
// zero value keeps nothing and remembers nothing. Safe for concurrent use.
type Keep struct {
	sent    string // lower case, values between line breaks
	digits  string // digits alone, values between line breaks
	secrets matcher
	found   *finds
}

// KeepFrom makes a Keep of a call's arguments. What is not JSON is kept as the
// text that it is.
func KeepFrom(argumentsJSON []byte) Keep {
	keep := Keep{found: &finds{}}
	if len(argumentsJSON) == 0 {
		return keep
	}
	var c collector
	if json.Valid(argumentsJSON) {
		walkJSON(argumentsJSON, c.visit)
	} else {
		c.line(string(argumentsJSON))
	}
	keep.sent, keep.digits = strings.ToLower(c.sent.String()), digitsOf(c.sent.String())
	if len(c.secrets) > 0 {
		keep.secrets = newMatcher(needles(c.secrets))
		keep.secrets.words = true
	}
	return keep
}

// Has reports whether the caller sent token, as a value or a part of one, in
// any case. Tokens under 3 bytes are not worth removing.
func (k Keep) Has(token string) bool {
	return len(token) < 3 || (k.sent != "" && strings.Contains(k.sent, strings.ToLower(token)))
}

// hasDigits reports whether the caller sent these digits, however grouped.
func (k Keep) hasDigits(token string) bool {
	return k.digits != "" && strings.Contains(k.digits, strings.TrimSpace(digitsOf(token)))
}

// scrub removes the caller's own secrets, where they stand as words.
func (k Keep) scrub(s string) string { return k.Sweep(k.secrets.remove(s)) }

// collector gathers the scalars of a JSON text.
type collector struct {
	sent    strings.Builder
	secrets []string
}

func (c *collector) visit(v scalar) {
	switch {
	case v.isKey:
		c.line(v.text)
	case v.secret && len(v.text) >= minSecret && v.text != "true" && v.text != "false" && v.text != "null":
		c.secrets = append(c.secrets, v.text)
	case !v.secret:
		c.line(v.text)
	}
}

func (c *collector) line(s string) {
	c.sent.WriteString(s)
	c.sent.WriteByte('\n')
}

// digitsOf keeps digits and line breaks.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || (r >= '0' && r <= '9') {
			return r
		}
		return -1
	}, s)
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
