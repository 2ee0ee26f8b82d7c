package diagnose

import "bytes"

// deserves looks closer at a 2xx that shows a sign: at the members of the root
// alone, in place, before anything is parsed.
func (d *diagnosis) deserves() bool {
	body := bytes.TrimLeft(d.in.Reply.Body, " \t\r\n\ufeff")
	known := d.engine.registry.known(d.tool.Diagnosis.Provider, d.tool.Diagnosis.Host)
	if known != nil && known.marked(body) || d.in.Reply.Status == 207 {
		return true
	}
	if len(body) > 0 && body[0] == '[' {
		return listSignals(body)
	}
	return len(body) > 0 && body[0] != '{' || rootSignals(body)
}

// rootSignals looks through the members of a root object; of a long one through
// its head, and its end where that ends in errors.
func rootSignals(body []byte) bool {
	found := false
	topMembers(body[:min(len(body), maxHead)], func(name, value []byte) bool {
		found = signals(name, value)
		return !found
	})
	if found || len(body) <= maxHead {
		return found
	}
	_, tail := ends(body)
	return bytes.Contains(tail, []byte(`"errors":[{`)) || bytes.Contains(tail, []byte(`"error":{"`))
}

// signals reports a member of the root that failures have, with a value that
// is not empty.
func signals(name, value []byte) bool {
	if len(value) == 0 {
		return false
	}
	switch first := value[0]; {
	case bytes.HasPrefix(value, []byte("null")), bytes.HasPrefix(value, []byte("[]")), bytes.HasPrefix(value, []byte("{}")), bytes.HasPrefix(value, []byte(`""`)):
		return false
	case bytes.EqualFold(name, []byte("data")):
		return first == '{' && bytes.Contains(value[:min(len(value), lookHead)], []byte("serErrors\""))
	case first == 't':
		return bytes.EqualFold(name, []byte("error")) || bytes.EqualFold(name, []byte("errors"))
	case first == 'f':
		return memberIn(name, "ok", "success", "succeeded", "isSuccess", "is_success")
	case first >= '1' && first <= '9' || first == '-':
		return memberIn(name, "error", "errcode", "error_code", "errorCode", "errno", "error_id") ||
			memberIn(name, "status", "statusCode", "code", "status_code") && (first == '4' || first == '5') ||
			memberIn(name, "code") && (first == '-' || digitsOf(value) > 3)
	}
	if value[0] == '[' && memberIn(name, "responses", "results", "items") {
		return entrySignals(value[:min(len(value), maxHead)])
	}
	return memberIn(name, "error", "errors", "fault", "exception", "__type", "response", "errorCode", "errorMessage", "error_code",
		"error_msg") && value[0] != 'f' ||
		bytes.EqualFold(name, []byte("status")) && (bytes.HasPrefix(value, []byte(`"err`)) || bytes.HasPrefix(value, []byte(`"fail`)) ||
			bytes.HasPrefix(value, []byte(`"ERR`)) || bytes.HasPrefix(value, []byte(`"FAIL`)) || bytes.HasPrefix(value, []byte(`"Fail`)) || bytes.HasPrefix(value, []byte(`"Err`)))
}

// listSignals looks through a list: its first item may be the error, and each the
// outcome of one call.
func listSignals(body []byte) bool {
	first := bytes.TrimLeft(body[1:], " \t\r\n")
	if len(first) > 0 && first[0] == '{' && rootSignals(first) {
		return true
	}
	return entrySignals(body[:min(len(body), maxHead)])
}

// entrySignals looks for what the failed entry of a list has: a flag that is
// false, or a status of 4 or 5 hundred (see entryOf). It goes from colon to colon
// and parses nothing.
func entrySignals(list []byte) bool {
	for at := bytes.IndexByte(list, ':'); at >= 0; {
		if value := bytes.TrimLeft(list[at+1:], " \t\r\n"); len(value) > 0 {
			switch first := bytes.TrimLeft(value, `"`); {
			case value[0] == 'f' && memberIn(nameBefore(list, at), "success", "ok", "succeeded"),
				len(first) > 0 && (first[0] == '4' || first[0] == '5') &&
					memberIn(nameBefore(list, at), "status", "statuscode", "code", "httpstatus"):
				return true
			}
		}
		next := bytes.IndexByte(list[at+1:], ':')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

const longestName = 24 // of those that are looked for, with room for separators

// nameBefore is the name in front of a colon, as plain writes it.
func nameBefore(list []byte, colon int) []byte {
	head := bytes.TrimRight(list[max(0, colon-longestName-2):colon], " \t\r\n")
	if len(head) < 2 || head[len(head)-1] != '"' {
		return nil
	}
	head = head[:len(head)-1]
	return []byte(plain(string(head[bytes.LastIndexByte(head, '"')+1:])))
}

func digitsOf(value []byte) int {
	n := 0
	for n < len(value) && value[n] >= '0' && value[n] <= '9' {
		n++
	}
	return n
}

func memberIn(name []byte, names ...string) bool {
	for _, n := range names {
		if len(n) == len(name) && bytes.EqualFold(name, []byte(n)) {
			return true
		}
	}
	return false
}

// topMembers visits the members of a JSON object without parsing their values;
// value begins at the member's value and runs to the end of the body.
func topMembers(body []byte, visit func(name, value []byte) bool) {
	depth := 0
	expectName := false
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			depth++
			expectName = depth == 1 && body[i] == '{'
		case '}', ']':
			if depth--; depth <= 0 {
				return
			}
		case ',':
			expectName = depth == 1
		case '"':
			end := stringEnd(body, i+1)
			if end < 0 {
				return
			}
			if expectName {
				expectName = false
				rest := bytes.TrimLeft(body[end+1:], " \t\r\n")
				if len(rest) > 0 && rest[0] == ':' {
					if !visit(body[i+1:end], bytes.TrimLeft(rest[1:], " \t\r\n")) {
						return
					}
				}
			}
			i = end
		}
	}
}

// stringEnd is the index of the quote that ends a string, -1 where it is cut.
func stringEnd(body []byte, from int) int {
	for i := from; ; {
		at := bytes.IndexByte(body[i:], '"')
		if at < 0 {
			return -1
		}
		i += at
		slashes := 0
		for j := i - 1; j >= from && body[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
}
