package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/rawjson"
)

// freeBytes is what aliases may add to a document, beside its own size once more.
const freeBytes = 4 << 20

// maxYAMLDepth bounds how deep a document may be nested.
const maxYAMLDepth = 500

// fromYAML writes a YAML document as JSON: digits as they stand, aliases and merge
// keys put in.
func fromYAML(data []byte) ([]byte, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("it is neither JSON nor YAML: %w", err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("it holds nothing")
	}
	w := &yamlWriter{limit: 2*len(data) + freeBytes}
	if err := w.node(document.Content[0], 0); err != nil {
		return nil, err
	}
	return w.out, nil
}

// yamlWriter writes JSON.
type yamlWriter struct {
	out   []byte
	limit int
}

func at(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", node.Line, fmt.Sprintf(format, args...))
}

func (w *yamlWriter) node(node *yaml.Node, depth int) error {
	switch {
	case depth > maxYAMLDepth:
		return at(node, "it is nested deeper than %d levels, or within itself", maxYAMLDepth)
	case len(w.out) > w.limit:
		return at(node, "its aliases make more than %d bytes of it", w.limit)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return w.node(node.Alias, depth+1)
	case yaml.MappingNode:
		return w.mapping(node, depth)
	case yaml.SequenceNode:
		w.out = append(w.out, '[')
		for i, item := range node.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.node(item, depth+1); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	}
	w.scalar(node)
	return nil
}

func (w *yamlWriter) mapping(node *yaml.Node, depth int) error {
	pairs, err := mergedPairs(node, depth)
	if err != nil {
		return err
	}
	w.out = append(w.out, '{')
	for i, pair := range pairs {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(rawjson.AppendString(w.out, pair.key), ':')
		if err := w.node(pair.value, depth+1); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

type yamlPair struct {
	key   string
	value *yaml.Node
}

// mergedPairs lists a mapping's members, those of merged mappings behind its own.
func mergedPairs(node *yaml.Node, depth int) (pairs []yamlPair, err error) {
	if depth > maxYAMLDepth {
		return nil, at(node, "it is merged into itself")
	}
	seen := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, member := node.Content[i], node.Content[i+1]
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, at(key, "a key that is no text")
		case key.ShortTag() == "!!merge":
			merged = append(merged, member)
		case !seen[key.Value]:
			seen[key.Value] = true
			pairs = append(pairs, yamlPair{key.Value, member})
		}
	}
	for _, source := range merged {
		for _, mapping := range mappingsOf(source) {
			more, err := mergedPairs(mapping, depth+1)
			if err != nil {
				return nil, err
			}
			for _, pair := range more {
				if !seen[pair.key] {
					seen[pair.key] = true
					pairs = append(pairs, pair)
				}
			}
		}
	}
	return pairs, nil
}

// mappingsOf lists the mappings that a merge key names.
func mappingsOf(node *yaml.Node) (all []*yaml.Node) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch node.Kind {
	case yaml.MappingNode:
		return []*yaml.Node{node}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
			if item.Kind == yaml.MappingNode {
				all = append(all, item)
			}
		}
	}
	return all
}

// scalar reads as YAML 1.2 does; what is no null, boolean or number is text (a
// date, too).
func (w *yamlWriter) scalar(node *yaml.Node) {
	switch node.ShortTag() {
	case "!!null":
		w.out = append(w.out, "null"...)
		return
	case "!!bool":
		w.out = append(w.out, strings.ToLower(node.Value)...)
		return
	case "!!int", "!!float":
		if number, ok := jsonNumber(node.Value); ok {
			w.out = append(w.out, number...)
			return
		}
	}
	w.out = rawjson.AppendString(w.out, node.Value)
}

var decimalForm = regexp.MustCompile(`^\+?(-?)0*([0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?$`)

// jsonNumber spells a YAML number in JSON: as it stands where it may, else with the
// same value; false for an infinity.
func jsonNumber(text string) (string, bool) {
	if json.Valid([]byte(text)) {
		return text, true
	}
	text = strings.ReplaceAll(text, "_", "")
	if whole, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 0); ok { // 0x1f, 0o17, 017
		return whole.String(), true
	}
	parts := decimalForm.FindStringSubmatch(text)
	if parts == nil || parts[2] == "" && len(parts[3]) < 2 {
		return "", false
	}
	sign, whole, fraction := parts[1], parts[2], parts[3]
	if whole == "" {
		whole = "0"
	}
	if fraction == "." {
		fraction = ""
	}
	return sign + whole + fraction + parts[4], true
}
