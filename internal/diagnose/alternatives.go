package diagnose

import (
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// alternativeLists are names under which providers list calls that would have
// worked.
var alternativeLists = []string{"alternatives", "suggestions", "available_slots", "availableSlots", "suggested_slots", "suggestedSlots", "available_times"}

// readAlternatives takes the provider's own list, where each item is made of
// arguments of this very call: then it is ready to call.
func (d *diagnosis) readAlternatives(home *node) {
	if len(d.finding.alternatives) > 0 {
		return
	}
	list := home.any(alternativeLists...)
	if !list.isList() {
		return
	}
	for _, item := range list.items {
		arguments, ok := d.index().merged(item.node)
		if !ok {
			arguments, ok = d.index().swapped(item.node)
		}
		if !ok {
			d.finding.addFact("alternatives", list)
			return
		}
		if len(d.finding.alternatives) == 3 {
			d.finding.moreAlternatives = true
			return
		}
		d.finding.alternatives = append(d.finding.alternatives, &toolgatev1.Alternative{Tool: d.tool.Name, ArgumentsJson: arguments})
	}
}

// merged is the call's arguments with those of item in their place; false where
// item has a member that is no argument of the call.
func (x *argumentIndex) merged(item *node) (string, bool) {
	if !item.isObject() || len(item.items) == 0 || !x.root.isObject() {
		return "", false
	}
	changed := objectOf(append([]member(nil), x.root.items...)...)
	for _, m := range item.items {
		at := -1
		for i := range changed.items {
			if plain(changed.items[i].name) == plain(m.name) {
				at = i
			}
		}
		if at < 0 {
			return "", false
		}
		changed.items[at].node = m.node
	}
	return string(changed.appendJSON(nil)), true
}

// swapped is the call with one argument replaced by a bare value: the only one
// that is written in the same form; false where none or several are.
func (x *argumentIndex) swapped(value *node) (string, bool) {
	if value.isContainer() || !value.present() || !x.root.isObject() {
		return "", false
	}
	at, form := -1, formOf(value)
	for i, m := range x.root.items {
		if m.node.kind == value.kind && formOf(m.node) == form {
			if at >= 0 {
				return "", false
			}
			at = i
		}
	}
	if at < 0 {
		return "", false
	}
	changed := objectOf(append([]member(nil), x.root.items...)...)
	changed.items[at].node = value
	return string(changed.appendJSON(nil)), true
}

// formOf is how a value is written: 0 for digits, a for letters, the rest as it
// stands: `2026-03-12T14:30:00Z` is `0000-00-00a00:00:00a`. Words have no form of
// their own.
func formOf(n *node) string {
	text := n.str()
	if len(text) > 64 || digits(text) == 0 && !strings.ContainsAny(text, "0123456789") {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '0'
		case isNameRune(r) && r != '_':
			return 'a'
		}
		return r
	}, text)
}
