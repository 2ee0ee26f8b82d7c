package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// scalar is a key or a value of a JSON text.
type scalar struct {
	text   string // unquoted where it is a string
	isKey  bool
	secret bool // it stands under the name of a secret, at any depth
}

// walkJSON visits the keys and scalar values of valid JSON in their order,
// without building anything. Numbers keep their digits.
func walkJSON(raw []byte, visit func(scalar)) {
	w := walker{raw: raw, visit: visit}
	for w.at < len(raw) {
		w.step()
	}
}

// walker is the state of that walk.
type walker struct {
	raw    []byte
	visit  func(scalar)
	at     int
	open   []level
	key    bool // the next string is a key
	secret bool // the next value stands under the name of a secret
}

// level is an open object or array.
type level struct{ object, secret bool }

func (w *walker) step() {
	switch c := w.raw[w.at]; c {
	case '{', '[':
		w.open = append(w.open, level{object: c == '{', secret: w.secret})
		w.key = c == '{'
	case '}', ']':
		w.open = w.open[:len(w.open)-1]
	case ',':
		top := w.open[len(w.open)-1]
		w.key, w.secret = top.object, top.secret
	case '"':
		w.text()
		return
	case ' ', '\t', '\n', '\r', ':':
	default:
		w.literal()
		return
	}
	w.at++
}

func (w *walker) text() {
	start := w.at
	for w.at++; w.raw[w.at] != '"'; w.at++ {
		if w.raw[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	s := unquote(w.raw[start:w.at])
	w.visit(scalar{text: s, isKey: w.key, secret: w.secret})
	if w.key {
		w.key, w.secret = false, w.secret || SecretName(s)
	}
}

func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // valid, as the whole is
	return s
}

func (w *walker) literal() {
	start := w.at
	for w.at < len(w.raw) && strings.IndexByte(",]} \t\n\r", w.raw[w.at]) < 0 {
		w.at++
	}
	if text := string(w.raw[start:w.at]); isDigit(text[len(text)-1]) {
		w.visit(scalar{text: text, secret: w.secret})
	}
}

// quoteJSON writes a JSON string without escaping for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) //nolint:errchkjson // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
