package rest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"toolgate.dev/toolgate/internal/rawjson"
)

// writer appends the members of JSON objects. What others wrote goes in as it is:
// encoding/json would escape it for HTML.
type writer struct{ text []byte }

func (w *writer) comma() {
	if last := w.text[len(w.text)-1]; last != '{' && last != '[' {
		w.text = append(w.text, ',')
	}
}

func (w *writer) key(name string) {
	w.comma()
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

func (w *writer) always(name, value string) {
	w.key(name)
	w.text = rawjson.AppendString(w.text, value)
}

func (w *writer) string(name, value string) {
	if value != "" {
		w.always(name, value)
	}
}

// raw writes a value that is JSON.
func (w *writer) raw(name, value string) {
	if value != "" {
		w.key(name)
		w.text = append(w.text, value...)
	}
}

func (w *writer) number(name string, value uint64) {
	w.key(name)
	w.text = strconv.AppendUint(w.text, value, 10)
}

func (w *writer) some(name string, value uint64) {
	if value != 0 {
		w.number(name, value)
	}
}

func (w *writer) amount(name string, value float64) {
	if value != 0 {
		w.key(name)
		w.text = strconv.AppendFloat(w.text, value, 'f', -1, 64)
	}
}

func (w *writer) flag(name string, set bool) {
	if set {
		w.raw(name, "true")
	}
}

// list writes n values, each by one call of item.
func (w *writer) list(n int, item func(i int)) {
	w.text = append(w.text, '[')
	for i := range n {
		item(i)
	}
	w.text = append(w.text, ']')
}

// open begins an object, as the next of a list.
func (w *writer) open() {
	w.comma()
	w.text = append(w.text, '{')
}

func (w *writer) close() { w.text = append(w.text, '}') }

func (w *writer) end() []byte {
	w.close()
	return w.text
}

// compact writes a JSON text of others on one line. What is none after all is
// shown as a string.
func (w *writer) compact(name, value string) {
	if value == "" {
		return
	}
	before := len(w.text)
	w.key(name)
	line := bytes.NewBuffer(w.text)
	if json.Compact(line, []byte(value)) == nil {
		w.text = line.Bytes()
		return
	}
	w.text = w.text[:before]
	w.always(name, value)
}

func (w *writer) time(name string, at *timestamppb.Timestamp) {
	if at != nil {
		w.string(name, at.AsTime().UTC().Format(time.RFC3339Nano))
	}
}

// duration is in seconds.
func (w *writer) duration(name string, d *durationpb.Duration) {
	w.amount(name, d.AsDuration().Seconds())
}
