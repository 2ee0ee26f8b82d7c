package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// pair is one key=value of the command line.
type pair struct {
	key, value string
	raw        bool // key:=value, JSON as it stands
}

func parsePair(text string) (pair, error) {
	key, value, found := strings.Cut(text, "=")
	raw := strings.HasSuffix(key, ":")
	key = strings.TrimSuffix(key, ":")
	switch {
	case !found || key == "":
		return pair{}, usage(fmt.Sprintf("%q is not key=value", text),
			`write key=value (key:=value for JSON), or pass all arguments with --json '{"key": "value"}'`)
	case raw && !json.Valid([]byte(value)):
		return pair{}, usage(fmt.Sprintf("%s:=%s is not JSON", key, value), "key=value sends it as the tool's schema says, else as a string")
	}
	return pair{key: key, value: value, raw: raw}, nil
}

// argumentsOf writes key=value pairs as one JSON object, in their order. Values
// are typed by the tool's schema where it is known, else strings; what the
// schema can't take is sent as a string, for the gateway to say what is wrong.
// A key given twice is a list.
func argumentsOf(pairs []pair, schema schema) string {
	var keys []string
	values := map[string][]json.RawMessage{}
	for _, p := range pairs {
		if len(values[p.key]) == 0 {
			keys = append(keys, p.key)
		}
		values[p.key] = append(values[p.key], value(p, schema.property(p.key)))
	}
	var text bytes.Buffer
	for i, key := range keys {
		text.WriteString(separator(i) + string(quote(key)) + ":")
		text.Write(joined(values[key], schema.property(key)))
	}
	return "{" + text.String() + "}"
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// joined is one value, or the list of all where there are several. One value of
// a list that was not written as a list is a list of one.
func joined(values []json.RawMessage, schema schema) json.RawMessage {
	alone := len(values) == 1 && (!schema.takes("array") || schema.takes("string") || bytes.HasPrefix(values[0], []byte("[")))
	if alone {
		return values[0]
	}
	return slices.Concat([]byte("["), bytes.Join(asBytes(values), []byte(",")), []byte("]"))
}

func asBytes(values []json.RawMessage) [][]byte {
	all := make([][]byte, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

func value(p pair, schema schema) json.RawMessage {
	text := strings.TrimSpace(p.value)
	if p.raw {
		return json.RawMessage(text)
	}
	if kind := kindOf(text); kind != "" && schema.wants(kind) {
		return json.RawMessage(text)
	}
	if schema.takes("array") && !schema.takes("string") && schema.items().wants(kindOf(text)) {
		return json.RawMessage(text) // one of several, see joined
	}
	return quote(p.value)
}

// kindOf is the type of a JSON text as JSON Schema names it; empty when the
// text is not JSON.
func kindOf(text string) string {
	if !json.Valid([]byte(text)) {
		return ""
	}
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func quote(text string) json.RawMessage {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return json.RawMessage(`""`) // unreachable: a string always has a JSON form
	}
	return bytes.TrimSpace(quoted.Bytes())
}
