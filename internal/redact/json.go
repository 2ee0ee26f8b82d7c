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

// walkJSON visits the keys and scalar values of valid JSON in their order.
// Numbers keep their digits.
func walkJSON(raw []byte, visit func(scalar)) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	w := walker{dec: dec, visit: visit}
	w.value("", false)
}

type walker struct {
	dec   *json.Decoder
	visit func(scalar)
}

func (w *walker) value(name string, secret bool) {
	token, err := w.dec.Token()
	if err != nil {
		return
	}
	switch v := token.(type) {
	case json.Delim:
		w.container(v, name, secret)
	case string:
		w.visit(scalar{text: v, secret: secret})
	case json.Number:
		w.visit(scalar{text: v.String(), secret: secret})
	}
}

func (w *walker) container(open json.Delim, name string, secret bool) {
	for w.dec.More() {
		inner, hidden := name, secret
		if open == '{' {
			key, err := w.dec.Token()
			if err != nil {
				return
			}
			inner, _ = key.(string)
			hidden = secret || SecretName(inner)
			w.visit(scalar{text: inner, isKey: true})
		}
		w.value(inner, hidden)
	}
	_, _ = w.dec.Token() // the closing delimiter
}

// quoteJSON writes a JSON string without escaping for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
