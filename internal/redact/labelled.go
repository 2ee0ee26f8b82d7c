package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// labelled removes values that stand behind the name of a secret:
// `MCP_API_KEY=x`, `"password": "x"`, `X-Api-Key: x`, `API key provided: x`.
// It looks at each separator, to the left for a name and to the right for a
// value, which no expression does in linear time.
func (t *text) labelled([]int) {
	var b strings.Builder
	s, done := t.s, 0
	for i := range len(s) {
		if (s[i] != ':' && s[i] != '=') || i < done {
			continue
		}
		name, echoed := withoutFillers(nameBefore(s[done:i]))
		if name == "" || !secretLabel(name) {
			continue
		}
		from, to := valueAfter(s, i, s[i] == ':' && !echoed)
		if to > from {
			t.keep.note(s[from:to], secretMark)
			b.WriteString(s[done:from])
			b.WriteString(secretMark)
			done = to
		}
	}
	if done > 0 {
		b.WriteString(s[done:])
		t.s = b.String()
	}
}

// encoded removes percent-encoded text that holds a secret once it is decoded.
func (t *text) encoded([]int) {
	t.s = replace(t.s, percentEncoded, t.keep, func(m match) string {
		decoded, err := url.QueryUnescape(m.group(0))
		if err != nil || decoded == m.group(0) || SecretText(decoded) == decoded {
			return m.group(0)
		}
		return secretMark
	})
}

var percentEncoded = regexp.MustCompile(`[\w.~+*!-]*%[0-9A-Fa-f]{2}[\w.~+*!%-]*`)

// secretStems are parts of every secret's name: where none is, nothing is looked
// at.
var secretStems = []string{
	"pass", "pwd", "secret", "cred", "key", "token", "auth", "bearer", "cookie", "jwt", "jwe", "psk", "dsn", "pin", "otp", "mfa",
	"cvv", "cvc", "csc", "ssn", "sess", "csrf", "xsrf", "conn", "shared", "url", "uri", "code", "pem", "pfx", "hmac", "one time",
	"one-time", "one_time", "onetime", "card", "pkcs",
}

// fillers may stand between a name and its separator in a sentence.
var fillers = setOf(`provided supplied given used received specified is was value header sent configured currently set`)

// withoutFillers takes them off a name; with one the sentence says that a value
// is being shown.
func withoutFillers(name string) (string, bool) {
	words := strings.Fields(name)
	n := len(words)
	for len(words) > 1 && fillers[strings.ToLower(words[len(words)-1])] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " "), len(words) < n
}

// nameBefore returns the name in front of a separator: up to three words, with
// quotes left out. A name in quotes stands alone.
func nameBefore(s string) string {
	end := strings.TrimRight(s, " \t\"'`\\*")
	quoted := end != "" && len(end) < len(s) && strings.ContainsAny(s[len(end):], "\"'`")
	words := 0
	start := len(end)
	for start > 0 {
		c := end[start-1]
		switch {
		case isWord(c) || c == '-' || c == '.':
			start--
			continue
		case c == ' ' && !quoted && start < len(end) && words < 4:
			words++
			start--
			continue
		}
		break
	}
	if len(end)-start > 80 {
		start = len(end) - 80
	}
	return strings.TrimSpace(end[start:])
}

// secretLabel reports whether what stands before a separator names a secret.
// The name is its last words: at the front of a sentence others may stand.
func secretLabel(label string) bool {
	words := strings.Fields(label)
	last := words[len(words)-1]
	if len(words) > 1 && strings.EqualFold(last, "pass") {
		return false // of a compiler, an exam, a test
	}
	if SecretName(last) {
		return !strings.EqualFold(last, "token") || len(words) < 2 || !tokenCompanions[strings.ToLower(words[len(words)-2])]
	}
	return len(words) > 1 && SecretName(words[len(words)-2]+" "+last) && !SecretName(words[len(words)-2])
}

// valueAfter returns where the secret value behind the separator at i starts
// and ends; an empty range where what follows is no value. strict: a plain word
// is none.
func valueAfter(s string, i int, strict bool) (from, to int) {
	from = i + 1
	for from < len(s) && (s[from] == ' ' || s[from] == '=' || s[from] == '>') {
		from++
	}
	if from < len(s) && (s[from] == '{' || s[from] == '[') {
		return container(s, from)
	}
	opened := from
	for from < len(s) && s[from] == '\\' {
		from++
	}
	if from < len(s) && strings.IndexByte("\"'`", s[from]) >= 0 {
		quote := s[opened : from+1]
		from++
		to = len(s)
		if end := closing(s[from:], quote); end >= 0 {
			to = from + end
		}
		if harmlessQuoted(s[from:to]) {
			return from, from
		}
		return from, to
	}
	return bare(s, opened, strict)
}

// closing finds the quote, written as the opening one was, that ends a value.
func closing(s, quote string) int {
	for at := 0; ; {
		end := strings.Index(s[at:], quote)
		if end < 0 {
			return -1
		}
		end += at
		if end == 0 || s[end-1] != '\\' || quote[0] == '\\' {
			return end
		}
		at = end + 1
	}
}

// container covers a JSON object or array whole: under the name of a secret
// nothing of it may be shown, whatever its own names are. A list of messages is
// none.
func container(s string, from int) (int, int) {
	if strings.HasPrefix(s[from:], secretMark) {
		return from, from
	}
	depth, inString := 0, false
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return sentences(s, from, i+1)
			}
		}
	}
	return from, len(s)
}

// sentences returns an empty range for a list of sentences about the value.
func sentences(s string, from, to int) (int, int) {
	inner := strings.Trim(s[from:to], `[]"' `)
	if inner == "" || (s[from] == '[' && harmlessQuoted(inner)) {
		return from, from
	}
	return from, to
}

// bare covers a value without quotes. Behind a colon a plain word is prose, not
// a value: `password: must not be empty`.
func bare(s string, from int, strict bool) (int, int) {
	stops := " \t\n&;\"'<>`"
	if strict {
		stops += ",{}()|"
	}
	end := strings.IndexAny(s[from:], stops)
	if end < 0 {
		end = len(s) - from
	}
	value := strings.TrimRight(s[from:from+end], `.,;:!?)]}\`)
	to := from + len(value)
	if scheme := value; isScheme(scheme) && to < len(s) && s[to] == ' ' {
		return credential(s, from, to)
	}
	if value == "" || strings.HasPrefix(value, "[") || strings.HasPrefix(value, "*") || harmless[strings.ToLower(value)] {
		return from, from
	}
	if strict && !secretShape(value) {
		return from, from
	}
	return from, to
}

// credential covers what follows an authentication scheme; the signed schemes
// have parameters up to the end of the line.
func credential(s string, from, space int) (int, int) {
	if strings.HasPrefix(strings.ToLower(s[from:space]), "aws4") || strings.EqualFold(s[from:space], "digest") {
		if end := strings.IndexAny(s[space:], "\n\"'"); end >= 0 && !strings.EqualFold(s[from:space], "digest") {
			return from, space + end
		}
		return from, len(s)
	}
	inner, to := bare(s, space+1, true)
	if to > inner {
		return from, to
	}
	return from, from
}

// secretShape reports whether a bare value looks like a secret rather than a
// word of a sentence: it mixes letters with digits, symbols or cases.
func secretShape(value string) bool {
	if strings.HasPrefix(value, "[") || len(value) < 4 {
		return false
	}
	var letters, digits, symbols int
	for i := range len(value) {
		switch c := value[i]; {
		case isDigit(c):
			digits++
		case isWord(c) && c != '_':
			letters++
		case strings.IndexByte("'-", c) < 0:
			symbols++
		}
	}
	switch {
	case letters == 0:
		return digits >= 4 && symbols == 0
	case digits > 0:
		return len(value) >= 5
	case symbols > 0:
		return len(value) >= 6 && !isSnake(value)
	}
	// Words, acronyms and names of code are prose; anything wilder is not.
	return len(value) >= 12 && census(value).rises >= 3 || len(value) >= 24
}

// isSnake reports a name such as `not_found` or `a/b`.
func isSnake(value string) bool {
	for i := range len(value) {
		if !isLower(value[i]) && !isUpper(value[i]) && strings.IndexByte("_-./", value[i]) < 0 {
			return false
		}
	}
	return true
}

// harmless are values that say something about a secret and are none.
var harmless = setOf(`
	null nil none true false undefined required missing invalid expired incorrect empty blank unauthorized unauthenticated
	forbidden revoked rejected unknown unset string integer number boolean array object redacted hidden masked optional
	absent denied failed wrong malformed unsupported not_found`)

// sentenceWords tell a sentence about a value from a value of several words.
var sentenceWords = setOf(`
	must is are be required invalid not cannot can't should has have too least most expired missing field may please does
	already incorrect wrong match blank empty allowed characters expected needs was were long short only contain contains`)

// harmlessQuoted reports whether a quoted value is a word or a sentence about
// the secret.
func harmlessQuoted(value string) bool {
	words := strings.Fields(strings.ToLower(value))
	switch len(words) {
	case 0:
		return true
	case 1:
		return harmless[strings.Trim(words[0], ".,!")] || strings.HasPrefix(words[0], "[") || strings.Trim(words[0], "*•x") == ""
	}
	for _, word := range words {
		if sentenceWords[strings.Trim(word, `.,!"'`)] || harmless[strings.Trim(word, `.,!"'`)] {
			return true
		}
	}
	return false
}
