package redact

import "strings"

// closeGaps takes out what was removed without a placeholder, with the brackets
// or quotes around it and the punctuation in front.
func closeGaps(s string) string {
	at := strings.Index(s, gap)
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = strings.Index(s, gap) {
		before := s[:at]
		if unquoted, quoted := strings.CutSuffix(before, "\x01"); quoted {
			before = strings.TrimRight(strings.TrimRight(unquoted, `"'`), `\`)
		}
		before = strings.TrimRight(before, " ,;")
		after := strings.TrimLeft(s[at:], gap+" ,;")
		switch {
		case before != "" && after != "" && encloses(before[len(before)-1], after[0]):
			before, after = strings.TrimRight(before[:len(before)-1], " "), after[1:]
		case before == "" && b.Len() == 0:
			after = strings.TrimLeft(after, " ,;:")
		default:
			after = strings.TrimLeft(s[at:], gap)
		}
		b.WriteString(before)
		s = after
	}
	b.WriteString(s)
	return b.String()
}

func encloses(open, closing byte) bool {
	switch open {
	case '(':
		return closing == ')'
	case '[':
		return closing == ']'
	case '{':
		return closing == '}'
	case '<':
		return closing == '>'
	}
	return false
}
