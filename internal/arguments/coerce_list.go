package arguments

import (
	"slices"
	"strings"
	"unicode"
)

// split reads "bug, docs" as a list where every piece is a member of a closed
// list and the whole is not. Free text may hold commas of its own.
func (e *engine) split(p place, n *node) []candidate {
	pieces := strings.Split(n.text, ",")
	if len(pieces) < 2 {
		return nil
	}
	list := &node{kind: isArray, change: &change{was: n.raw, rule: "comma_string_to_array"}}
	for i, piece := range pieces {
		item := e.place(itemSchemas(p.flat, i), n)
		if len(item.given) == 0 || !closed(item.given, 0) || e.holdsAll(item.given, n) {
			return nil
		}
		piece = strings.Trim(piece, asciiSpace)
		if piece == "" {
			return nil
		}
		list.items = append(list.items, stringNode(piece, nil))
	}
	return []candidate{{node: list}}
}

// closed reports whether every value that is accepted stands in a list.
func closed(schemas []*schema, depth int) bool {
	const deepest = 16
	return depth < deepest && slices.ContainsFunc(schemas, func(s *schema) bool {
		if s.Enum != nil || s.Const != nil {
			return true
		}
		if s.Ref != nil && closed([]*schema{s.Ref}, depth+1) {
			return true
		}
		if refOnly(s) {
			return false
		}
		return closed(s.AllOf, depth+1) || allClosed(s.AnyOf, depth) || allClosed(s.OneOf, depth)
	})
}

func allClosed(branches []*schema, depth int) bool {
	for _, b := range branches {
		if !closed([]*schema{b}, depth+1) {
			return false
		}
	}
	return len(branches) > 0
}

// wrap reads one value as a list of one, where nothing but a list is accepted.
func (e *engine) wrap(p place, n *node) []candidate {
	schemas := itemSchemas(p.flat, 0)
	if !e.wrappable(schemas, n) {
		return nil
	}
	list := &node{kind: isArray, items: []*node{n}, change: &change{was: n.raw, rule: "wrap_single_item"}}
	return []candidate{{node: list}}
}

func (e *engine) wrappable(schemas []*schema, n *node) bool {
	switch n.kind {
	case isString:
		return isWord(n.text) && (len(schemas) > 0 || !looksLikeOtherJSON(n.text))
	case isObject:
		return e.holdsAll(schemas, n) && strict(e.flatten(schemas, n))
	}
	return len(schemas) > 0
}

// strict reports whether objects are described so closely that one which fits
// was meant: {"item": 14} is an item only where the tool says so.
func strict(flat []*schema) bool {
	named, sealed := false, false
	for _, s := range flat {
		named = named || len(s.Required) > 0
		additional, isBool := s.AdditionalProperties.(bool)
		unevaluated := s.UnevaluatedProperties
		sealed = sealed || (isBool && !additional) || (unevaluated != nil && unevaluated.Bool != nil && !*unevaluated.Bool)
	}
	return named && sealed
}

// placeholders are words for nothing. Whether they are meant as an item or as no
// list at all is not known.
var placeholders = []string{"null", "none", "nil", "undefined", "n/a", "na", "unknown", "empty"}

// isWord reports whether text is one plain word: nothing in it could separate
// items or quote them.
func isWord(text string) bool {
	if text == "" || slices.Contains(placeholders, strings.ToLower(text)) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(",;|[]{}()\"'`<>", r)
	})
}

func looksLikeOtherJSON(text string) bool {
	return text == "true" || text == "false" || isNumeral(text)
}
