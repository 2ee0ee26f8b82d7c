package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxValue bounds the echo of an argument, in bytes.
const maxValue = 256

// Value returns the echo of an argument for a Violation or Coercion: JSON text
// of at most 256 bytes, a long string shortened, secrets inside replaced. It is
// empty where there is nothing to show: a secret by its name or its looks, a
// large object, text that is not JSON. name is the argument's name or path.
func Value(name string, rawJSON []byte) string {
	if len(rawJSON) == 0 || !json.Valid(rawJSON) || secretPath(name) {
		return ""
	}
	var s string
	if json.Unmarshal(rawJSON, &s) == nil && s != "" {
		if SecretText(s) != s {
			return ""
		}
		return quoteShort(clean(s))
	}
	out := rewrite(rawJSON, nil)
	if len(out) > maxValue {
		return ""
	}
	return string(out)
}

// secretPath reports whether any name in a path such as `auth.tokens[0].value`
// is a secret's.
func secretPath(path string) bool {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("./[]", r) }) {
		if SecretName(name) {
			return true
		}
	}
	return false
}

// SecretText removes from a string what looks like a secret, and nothing else.
func SecretText(s string) string {
	t := text{s: s, set: secretsAlone}
	t.run()
	return t.s
}

// hideURLs hides URLs that carry credentials. An argument's own URL is no secret
// otherwise.
func (t *text) hideURLs(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		from, to = urlAt(s, at)
		authority := s[min(at+len("://"), to):to]
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		userInfo, _, found := strings.Cut(authority, "@")
		if !found || !strings.Contains(userInfo, ":") {
			return 0, 0, ""
		}
		return from, to, secretMark
	})
}

func quoteShort(s string) string {
	quoted := quoteJSON(s)
	for len(quoted) > maxValue {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-max(size, (len(quoted)-maxValue)/6)]
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
		quoted = quoteJSON(s + "…")
	}
	return quoted
}

// Arguments returns arguments that are to be kept: valid JSON of at most max
// bytes with secrets replaced. Numbers keep their digits, members their order;
// where they do not fit, the largest members go. What is no JSON object comes
// back as an empty one.
func Arguments(raw []byte, max int) []byte {
	empty := []byte("{}")
	if !json.Valid(raw) || len(bytes.TrimSpace(raw)) == 0 || bytes.TrimSpace(raw)[0] != '{' {
		return empty
	}
	members := membersOf(rewrite(raw, nil))
	size := 2
	for _, m := range members {
		size += len(m) + 1
	}
	for size-1 > max && len(members) > 0 {
		largest := 0
		for i, m := range members {
			if len(m) > len(members[largest]) {
				largest = i
			}
		}
		size -= len(members[largest]) + 1
		members = slices.Delete(members, largest, largest+1)
	}
	if len(members) == 0 {
		return empty
	}
	return append(append([]byte{'{'}, bytes.Join(members, []byte{','})...), '}')
}

// membersOf splits a valid object into its members as they are written.
func membersOf(object []byte) (members [][]byte) {
	dec := json.NewDecoder(bytes.NewReader(object))
	_, _ = dec.Token()
	for dec.More() {
		key, err := dec.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || dec.Decode(&value) != nil {
			return members
		}
		members = append(members, append([]byte(quoteJSON(name)+":"), value...))
	}
	return members
}
