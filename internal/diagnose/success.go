package diagnose

import (
	"bytes"
	"strings"
)

// Where in a 2xx body a failure shows itself: at the ends.
const (
	lookHead = 4 << 10
	lookTail = 4 << 10
)

// failureSigns are pieces of member names that failures have. One of them makes
// the body worth a look; it decides nothing.
var failureSigns = [][]byte{
	[]byte("rror"), []byte(`"ok":`), []byte(`"success":`), []byte("ault\""), []byte("rrcode"), []byte("errmsg"),
	[]byte(`"status":"fail`), []byte(`"status": "fail`), []byte(`"status":4`), []byte(`"status":5`), []byte(`"status": 4`), []byte(`"status": 5`),
	[]byte(`"statusCode":`), []byte(`__type`), []byte(`xception`), []byte(`"code":`), []byte(`"succeeded":`),
}

// lookWhole is up to which size the members of a root are looked through
// without a sign.
const lookWhole = 16 << 10

// worthALook reports whether a 2xx body may be a failure, without parsing it.
func worthALook(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	if len(body) == 0 {
		return false
	}
	switch {
	case len(body) > lookWhole:
	case body[0] == '{':
		return rootSignals(body)
	case body[0] == '[':
		return listSignals(body)
	}
	head, tail := ends(body)
	switch body[0] {
	case '{', '[', ')':
		return holdsAny(head, failureSigns) || holdsAny(tail, failureSigns)
	case '<':
		return true
	case 'e', 'd', 'i', 'r', ':':
		return bytes.HasPrefix(body, []byte("error=")) ||
			isEventStream(body) && (bytes.Contains(head, []byte("rror")) || bytes.Contains(tail, []byte("rror")))
	}
	return false
}

// isEventStream reports server-sent events by their first line.
func isEventStream(body []byte) bool {
	for _, field := range [...]string{"event:", "data:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(body, []byte(field)) {
			return true
		}
	}
	return false
}

func ends(body []byte) (head, tail []byte) {
	if len(body) <= lookHead+lookTail {
		return body, nil
	}
	return body[:lookHead], body[len(body)-lookTail:]
}

func holdsAny(body []byte, signs [][]byte) bool {
	if len(body) == 0 {
		return false
	}
	for _, sign := range signs {
		if bytes.Contains(body, sign) {
			return true
		}
	}
	return false
}

// marked reports whether the body holds one of a vocabulary's markers.
func (v *vocabulary) marked(body []byte) bool {
	found := false
	v.chain(func(v *vocabulary) bool {
		if len(v.hidden) > 0 {
			head, tail := ends(body)
			found = found || holdsAny(head, v.marks) || holdsAny(tail, v.marks)
		}
		return found
	})
	return found
}

// hides reports whether the vocabulary says that this 2xx is a failure.
func (v *vocabulary) hides(r *reading) bool {
	found := false
	v.chain(func(v *vocabulary) bool {
		found = anyHolds(v.hidden, r) && len(v.hidden) > 0
		return found
	})
	return found
}

// markerForms are the ways in which a marker may be spaced.
func markerForms(markers []string) [][]byte {
	var out [][]byte
	for _, m := range markers {
		tight := strings.ReplaceAll(strings.ReplaceAll(m, `": `, `":`), `, "`, `,"`)
		out = append(out, []byte(tight))
		if spaced := strings.ReplaceAll(tight, `":`, `": `); spaced != tight {
			out = append(out, []byte(spaced))
		}
	}
	return out
}
