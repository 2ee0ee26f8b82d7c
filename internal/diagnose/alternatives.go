package diagnose

import (
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
