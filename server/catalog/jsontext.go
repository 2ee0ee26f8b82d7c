package catalog

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/rawjson"
)

// textError says why a node is no JSON.
type textError struct {
	node              *yaml.Node
	message, accepted string
}

// jsonOf writes a mapping as JSON text, digit for digit and key for key. A
// scalar that is JSON text already is taken as it stands.
func jsonOf(node *yaml.Node) (string, *textError) {
	switch node.Kind {
	case yaml.MappingNode:
		text, err := appendNode(nil, node)
		return string(text), err
	case yaml.ScalarNode:
		if json.Valid([]byte(node.Value)) && rawjson.KindOf([]byte(node.Value)) == rawjson.Object {
			return strings.TrimSpace(node.Value), nil
		}
	}
	return "", &textError{node, kindName(node) + " where a mapping belongs", "a mapping, or an object as JSON text"}
}

func appendNode(dst []byte, node *yaml.Node) ([]byte, *textError) {
	switch node.Kind {
	case yaml.MappingNode:
		return appendObject(dst, node)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range node.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err *textError
			if dst, err = appendNode(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	return appendScalar(dst, node)
}

func appendObject(dst []byte, node *yaml.Node) ([]byte, *textError) {
	dst = append(dst, '{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, &textError{key, "a key that is no text", "text"}
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, key.Value), ':')
		var err *textError
		if dst, err = appendNode(dst, node.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendScalar reads a scalar as YAML 1.2 does; what is no null, boolean or
// number is text (a date, too).
func appendScalar(dst []byte, node *yaml.Node) ([]byte, *textError) {
	switch node.ShortTag() {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		return append(dst, strings.ToLower(node.Value)...), nil
	case "!!int", "!!float":
		text, ok := jsonNumber(node.Value)
		if !ok {
			return nil, &textError{node, quote(node.Value) + " is no JSON number", "a finite decimal number, or text in quotes"}
		}
		return append(dst, text...), nil
	}
	return rawjson.AppendString(dst, node.Value), nil
}

var (
	jsonForm    = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	decimalForm = regexp.MustCompile(`^([+-]?)0*([0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?$`)
)

// jsonNumber spells a YAML number in JSON: as it stands where it may, else with
// the same value.
func jsonNumber(text string) (string, bool) {
	if jsonForm.MatchString(text) {
		return text, true
	}
	text = strings.ReplaceAll(text, "_", "")
	if whole, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 0); ok { // 0x1f, 0o17, 0b1, 017
		return whole.String(), true
	}
	parts := decimalForm.FindStringSubmatch(text)
	if parts == nil || parts[2] == "" && len(parts[3]) < 2 {
		return "", false // an infinity, no number
	}
	sign, whole, fraction := strings.TrimPrefix(parts[1], "+"), parts[2], parts[3]
	if whole == "" {
		whole = "0"
	}
	if fraction == "." {
		fraction = ""
	}
	return sign + whole + fraction + parts[4], true
}
