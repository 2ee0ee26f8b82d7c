package mcp

import (
	"encoding/json"
	"errors"

	"toolgate.dev/toolgate/internal/rawjson"
)

// maxNesting is how deep a message may nest for the SDK, which takes 1,000.
const maxNesting = 900

var (
	errNotJSON = errors.New("the message is not JSON")
	errNesting = errors.New("the message nests deeper than 900 levels")
)

// tame makes a message that the SDK reads, or says why it is none. Arguments that
// nest deeper than that are the model's, and the house tells it so: they travel on
// as a string under the door's seal, which nobody can know. See argumentsOf.
func (d *Door) tame(message []byte) ([]byte, error) {
	if !nestsDeeper(message, maxNesting) {
		if !json.Valid(message) {
			return nil, errNotJSON
		}
		return message, nil
	}
	deep, found := rawjson.Find(message, "/params/arguments")
	if !found || !nestsDeeper(deep, maxNesting/2) {
		return nil, errNesting
	}
	start := cap(message) - cap(deep) // deep is a slice of message
	tamed := append([]byte{}, message[:start]...)
	tamed = rawjson.AppendString(tamed, d.seal+string(deep))
	tamed = append(tamed, message[start+len(deep):]...)
	switch {
	case nestsDeeper(tamed, maxNesting):
		return nil, errNesting
	case !json.Valid(tamed):
		return nil, errNotJSON
	}
	return tamed, nil
}

// nestsDeeper reports whether brackets outside of strings nest deeper than that.
func nestsDeeper(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
