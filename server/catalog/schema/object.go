package schema

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose members keep their order.
type object []pair //nolint:recvcheck // it is written by value, and grows by pointer

type pair struct {
	name  string
	value any
}

func (o *object) put(name string, value any) { *o = append(*o, pair{name, value}) }

func (o object) has(name string) bool {
	for _, p := range o {
		if p.name == name {
			return true
		}
	}
	return false
}

// over puts members over those of the same names, others behind them.
func (o *object) over(others object) {
	for _, other := range others {
		done := false
		for i := range *o {
			if (*o)[i].name == other.name {
				(*o)[i].value, done = other.value, true
			}
		}
		if !done {
			o.put(other.name, other.value)
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(p.name); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(p.value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
