package observation

import (
	"strconv"
	"strings"
	"unicode/utf8"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// writer appends the members of one JSON object. Neither encoding/json nor
// protojson will do: the first escapes for HTML, the second is free to add
// white space, and both would shorten numbers.
type writer struct{ buf []byte }

func (w *writer) key(name string) {
	if len(w.buf) == 0 {
		w.buf = append(w.buf, '{')
	} else if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(append(append(w.buf, '"'), name...), '"', ':')
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.key(name)
		w.buf = rawjson.AppendString(w.buf, value)
	}
}

func (w *writer) raw(name, value string) {
	if value != "" {
		w.key(name)
		w.buf = append(w.buf, value...)
	}
}

func (w *writer) flag(name string, set bool) {
	if set {
		w.raw(name, "true")
	}
}

// violations writes one as `field` and `expected`, several as a list.
func (w *writer) violations(list []*toolgatev1.Violation) {
	switch len(list) {
	case 0:
		return
	case 1:
		w.text("field", list[0].GetField())
		w.expected(list[0])
		return
	}
	w.key("violations")
	w.buf = append(w.buf, '[')
	for i, v := range list {
		w.open(i)
		w.text("field", v.GetField())
		w.text("problem", v.GetProblem())
		w.expected(v)
		w.buf = append(w.buf, '}')
	}
	w.buf = append(w.buf, ']')
}

// open starts the i-th object of a list.
func (w *writer) open(i int) {
	if i > 0 {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, '{')
}

// expected writes what is accepted: the values where they are a list, else
// format and range.
func (w *writer) expected(v *toolgatev1.Violation) {
	accepted := v.GetAccepted()
	switch {
	case len(accepted) == 1 && !v.GetAcceptedTruncated():
		w.text("expected", accepted[0])
	case len(accepted) > 0:
		w.key("expected")
		w.buf = append(w.buf, '[')
		for i, item := range accepted {
			if i > 0 {
				w.buf = append(w.buf, ',')
			}
			w.buf = rawjson.AppendString(w.buf, item)
		}
		if v.GetAcceptedTruncated() {
			w.buf = rawjson.AppendString(append(w.buf, ','), ellipsis)
		}
		w.buf = append(w.buf, ']')
	case v.GetFormat() != "" && v.GetRange() != "":
		w.text("expected", v.GetFormat()+", "+v.GetRange())
	default:
		w.text("expected", v.GetFormat()+v.GetRange())
	}
}

func (w *writer) alternatives(tool string, list []*toolgatev1.Alternative) {
	if len(list) == 0 {
		return
	}
	w.key("alternatives")
	w.buf = append(w.buf, '[')
	for i, a := range list {
		if a.GetTool() == tool && a.GetArgumentsJson() != "" {
			if i > 0 {
				w.buf = append(w.buf, ',')
			}
			w.buf = append(w.buf, a.GetArgumentsJson()...)
			continue
		}
		w.open(i)
		w.text("tool", a.GetTool())
		w.raw("arguments", a.GetArgumentsJson())
		w.text("label", a.GetLabel())
		w.buf = append(w.buf, '}')
	}
	w.buf = append(w.buf, ']')
}

// number writes a wait without an exponent where a person would not.
func number(v float64) string {
	if v < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'e', -1, 64)
}

// printable drops from JSON text what no JSON text needs raw: broken UTF-8 and
// runes that hide or turn what is read. White space between values stays.
func printable(raw string) string {
	for i := range len(raw) {
		if raw[i] >= 0x7f {
			return strings.Map(func(r rune) rune {
				if r == utf8.RuneError || (r > ' ' && unprintable(r)) {
					return -1
				}
				return r
			}, raw)
		}
	}
	return raw
}
