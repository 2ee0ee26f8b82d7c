package diagnose

import (
	"strings"
)

// segments splits a field's name in whatever notation it came: dots, brackets,
// JSON Pointer, JSONPath, XPath, arrows. Names keep their spelling; an index is
// a number counted from 0.
func segments(s string) []string {
	s = strings.Trim(strings.TrimSpace(s), "`\"'")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "#"), "$")
	xpath := strings.ContainsRune(s, '/') && (strings.ContainsRune(s, ':') || strings.ContainsRune(s, '['))
	var out []string
	for _, part := range strings.FieldsFunc(s, func(c rune) bool {
		return c == '.' || c == '/' || c == '[' || c == ']' || c == '>' || c == ' '
	}) {
		part = strings.Trim(part, `"'`+"`")
		part = strings.TrimSuffix(part, "-")
		if part == "" || part == "@" || part == "*" || part == "?" {
			continue
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if xpath {
			part = local(part)
			if n := atoi(part); n > 0 && strings.Contains(s, "["+part+"]") {
				part = itoa(n - 1) // XPath counts from 1
			}
		}
		if out = append(out, part); len(out) == 16 {
			break
		}
	}
	return out
}

// atoi is the number that all of s writes, -1 for anything else.
func atoi(s string) int {
	if s == "" || len(s) > 6 || digits(s) != len(s) {
		return -1
	}
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// joinPath writes segments as google.rpc.BadRequest writes a field:
// `a.b[0].c`.
func joinPath(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		switch {
		case atoi(part) >= 0 && b.Len() > 0:
			b.WriteString("[" + part + "]")
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

// wrappers are segments that name the place of the arguments, not an argument.
var wrappers = map[string]bool{
	"body": true, "query": true, "path": true, "params": true, "param": true, "header": true, "headers": true, "cookie": true,
	"data": true, "attributes": true, "relationships": true, "request": true, "payload": true, "input": true, "json": true,
	"form": true, "root": true, "variables": true, "arguments": true, "args": true, "requestbody": true, "querystring": true,
	"formdata": true, "instance": true,
}

// withoutWrappers drops leading segments that name no argument.
func withoutWrappers(parts []string) []string {
	for len(parts) > 1 && wrappers[plain(parts[0])] {
		parts = parts[1:]
	}
	return parts
}
