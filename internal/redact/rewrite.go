package redact

import (
	"bytes"
	"encoding/json"
)

// rewrite writes valid JSON again, compact, digits and order kept, with secrets
// replaced: those that show by name or looks, or, where exact is given, what
// exact replaces and nothing else.
func rewrite(raw []byte, exact func(string) string) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	w := rewriter{dec: dec, exact: exact}
	w.value(false)
	return w.out
}

type rewriter struct {
	dec   *json.Decoder
	exact func(string) string // nil: by name and looks
	out   []byte
}

func (w *rewriter) clean(s string) string {
	if w.exact != nil {
		return w.exact(s)
	}
	return SecretText(s)
}

func (w *rewriter) value(secret bool) {
	token, err := w.dec.Token()
	if err != nil {
		return
	}
	open, isContainer := token.(json.Delim)
	switch {
	case secret:
		w.skip(isContainer)
		w.out = append(w.out, `"`+secretMark+`"`...)
	case isContainer:
		w.container(open)
	default:
		w.scalar(token)
	}
}

// skip reads over the rest of a container.
func (w *rewriter) skip(isContainer bool) {
	for depth := 1; isContainer && depth > 0; {
		token, err := w.dec.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func (w *rewriter) container(open json.Delim) {
	w.out = append(w.out, byte(open))
	for first := true; w.dec.More(); first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		secret := false
		if open == '{' {
			key, err := w.dec.Token()
			if err != nil {
				return
			}
			name, _ := key.(string)
			if w.exact == nil {
				secret = SecretName(name)
			} else {
				name = w.exact(name)
			}
			w.out = append(append(w.out, quoteJSON(name)...), ':')
		}
		w.value(secret)
	}
	_, _ = w.dec.Token()
	w.out = append(w.out, byte(open)+2) // '{' and '}', '[' and ']' are two apart
}

func (w *rewriter) scalar(token json.Token) {
	switch v := token.(type) {
	case string:
		w.out = append(w.out, quoteJSON(w.clean(v))...)
	case json.Number:
		if w.exact != nil && w.exact(v.String()) != v.String() {
			w.out = append(w.out, `"`+secretMark+`"`...)
			return
		}
		w.out = append(w.out, v.String()...)
	case bool:
		if v {
			w.out = append(w.out, "true"...)
			return
		}
		w.out = append(w.out, "false"...)
	default:
		w.out = append(w.out, "null"...)
	}
}
