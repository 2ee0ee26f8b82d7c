package redact

import (
	"encoding/base64"
	"strings"
)

// opaque replaces long runs without words, which no reader can use: tokens of
// providers that nobody listed, cursors, digests.
func (t *text) opaque([]int) {
	var b strings.Builder
	s, done := t.s, 0
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && isOpaqueByte(s[end]) {
			end++
		}
		run := s[i:end]
		if (len(run) >= minOpaque && isOpaque(run) || len(run) >= minEncodedText && isEncodedText(run)) && !t.keep.Has(run) {
			for end < len(s) && s[end] == '=' {
				end++
			}
			t.keep.note(run, idMark)
			b.WriteString(s[done:i])
			b.WriteString(idMark)
			done = end
		}
		i = max(end, i+1)
	}
	if done > 0 {
		b.WriteString(s[done:])
		t.s = b.String()
	}
}

// The lengths from which a run is looked at, in bytes.
const (
	minOpaque      = 20
	minEncodedText = 16
)

// isEncodedText reports base64 of readable text. Twelve bytes are readable by
// chance once in a hundred thousand.
func isEncodedText(s string) bool {
	s = strings.NewReplacer("-", "+", "_", "/").Replace(s[:len(s)-len(s)%4])
	decoded, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return false
	}
	for _, c := range decoded {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

func isOpaqueByte(c byte) bool { return isWord(c) && c < 0x80 || c == '-' || c == '+' || c == '/' }

// isOpaque reports whether a run of token bytes is random rather than a name:
// digits among letters, and few letters that stand as in words.
func isOpaque(s string) bool {
	n := census(s)
	switch {
	case n.hex == len(s) && len(s) >= 32 && n.letters > 0 && n.digits > 0:
		return true
	case n.letters == 0 || n.slashes > 2 || ofWords(s):
		return false
	case len(s) == 40 && n.rises >= 3 && n.digits > 0 && n.uppers >= 8: // an AWS secret key
		return true
	case n.longest > 7, n.inWords*5 > n.letters*3 && n.digits*4 < len(s):
		return false
	case n.uppers >= 2 && n.letters-n.uppers >= 2:
		return n.digits >= 3 || len(s) >= 40 && n.digits > 0
	}
	return n.digits >= 6 && n.letters >= 6 && len(s) >= 24
}

// counts is what a run is made of.
type counts struct {
	digits, letters, uppers, hex, slashes int
	rises                                 int // a capital behind a small letter
	longest                               int // stretch of small letters, a leading capital included
	inWords                               int // letters in such stretches of four or more
}

func census(s string) (n counts) {
	run := 0
	end := func() {
		n.longest = max(n.longest, run)
		if run >= 4 {
			n.inWords += run
		}
		run = 0
	}
	for i := range len(s) {
		c := s[i]
		if isHex(c) {
			n.hex++
		}
		switch {
		case isLower(c):
			n.letters++
			run++
			continue
		case isUpper(c):
			n.letters++
			n.uppers++
			if i > 0 && isLower(s[i-1]) {
				n.rises++
			}
			end()
			run = 1
			continue
		case isDigit(c):
			n.digits++
		case c == '/':
			n.slashes++
		}
		end()
	}
	end()
	return n
}

// ofWords reports a name whose parts are words, numbers, or words with a short
// number: TLS_RSA_WITH_AES_128_GCM_SHA256, x86_64-linux-gnu.
func ofWords(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("_-/+", r) }) {
		letters := len(part) - len(strings.TrimLeftFunc(part, func(r rune) bool { return r >= 'A' }))
		digits := len(part) - letters
		if strings.Trim(part[letters:], "0123456789") != "" {
			if len(part) > 4 {
				return false
			}
			continue
		}
		if letters > 15 || digits > 6 || (letters == 1 && digits > 4) {
			return false
		}
	}
	return strings.ContainsAny(s, "_-/")
}
