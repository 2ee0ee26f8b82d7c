package diagnose

import (
	"net/url"
	"strings"
)

// unwrapText removes what stands around JSON: guards against script inclusion,
// a JSONP call, an event stream, several JSON lines.
func unwrapText(s string) string {
	for _, guard := range []string{")]}',", ")]}'", "while(1);", "for(;;);", "/**/"} {
		if rest, found := strings.CutPrefix(s, guard); found {
			s = strings.TrimSpace(rest)
		}
	}
	if inner, ok := unwrapCall(s); ok {
		return inner
	}
	if isEventStream([]byte(s[:min(len(s), 8)])) {
		s, _ = unwrapEvents(s)
	}
	return s
}

// unwrapCall takes the argument of `callback({…})`.
func unwrapCall(s string) (string, bool) {
	open := strings.IndexByte(s[:min(len(s), 64)], '(')
	end := strings.LastIndexByte(s, ')')
	if open <= 0 || end < open || open+1 >= len(s) || s[open+1] != '{' && s[open+1] != '[' {
		return "", false
	}
	for _, c := range s[:open] {
		if !isNameRune(c) && c != '.' && c != '$' {
			return "", false
		}
	}
	return s[open+1 : end], true
}

// unwrapEvents takes the data of the event named error, else of the last one;
// named reports the former.
func unwrapEvents(s string) (data string, named bool) {
	last, isError := "", false
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, "event:"); found {
			isError = strings.Contains(strings.ToLower(name), "error")
		}
		value, found := strings.CutPrefix(line, "data:")
		if value = strings.TrimSpace(value); !found || value == "" || value == "[DONE]" {
			continue
		}
		if last = value; isError || !named && strings.Contains(value, `"error"`) {
			data, named = value, named || isError
		}
	}
	switch {
	case data != "":
		return data, named
	case last != "":
		return last, false
	}
	return s, false
}

// parseForm reads `a=b&c=d`, nil where s is no such thing.
func parseForm(s string) *node {
	name, _, found := strings.Cut(s, "=")
	if !found || len(s) > 16<<10 || name == "" || strings.ContainsAny(s, " \n<>{") {
		return nil
	}
	for _, c := range name {
		if !isNameRune(c) && !strings.ContainsRune(".-[]%", c) {
			return nil
		}
	}
	n := &node{kind: objectNode}
	for pair := range strings.SplitSeq(s, "&") {
		key, value, _ := strings.Cut(pair, "=")
		k, err1 := url.QueryUnescape(key)
		v, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return nil
		}
		n.items = append(n.items, member{name: k, node: stringOf(v)})
	}
	return n
}

func isNameRune(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
