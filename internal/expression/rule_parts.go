package expression

import (
	"maps"
	"slices"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	argumentsPrefix = "arguments#"
	maxFactBytes    = 256
	maxValueBytes   = 256
)

// fact is one number of the boundary: where it stands.
type fact struct {
	name      string
	pointer   string
	arguments bool // in the arguments; else in the body
}

// factsOf compiles the facts, by name.
func factsOf(written map[string]string, path string, faults *collector) []fact {
	facts := make([]fact, 0, len(written))
	for _, name := range slices.Sorted(maps.Keys(written)) {
		pointer := written[name]
		rest, inArguments := strings.CutPrefix(pointer, argumentsPrefix)
		if !rawjson.ValidPointer(rest) || rest == "" {
			faults.add(path+".facts."+name, quoted(pointer)+" is no JSON Pointer",
				"/name for the body, arguments#/name for the arguments (RFC 6901)")
		}
		facts = append(facts, fact{name: name, pointer: rest, arguments: inArguments})
	}
	return facts
}

// reading is one fact's value as JSON text, as the provider wrote it.
type reading struct {
	name string
	text []byte
}

// readFacts finds the facts that are there and short.
func readFacts(facts []fact, seen *sight) []reading {
	var found []reading
	for _, f := range facts {
		text := seen.reply.Body
		if f.arguments {
			text = seen.arguments
		} else if !seen.bodyIsJSON() {
			continue
		}
		if value, ok := rawjson.Find(text, f.pointer); ok && len(value) <= maxFactBytes {
			found = append(found, reading{f.name, value})
		}
	}
	return found
}

// bodyIsJSON reads the body, which is done once.
func (s *sight) bodyIsJSON() bool {
	body, _ := s.ResolveName("body")
	_, isObject := body.(*object)
	_, isList := body.(*list)
	return isObject || isList
}

func factsJSON(facts []reading) string {
	if len(facts) == 0 {
		return ""
	}
	text := []byte{'{'}
	for _, f := range facts {
		text = rawjson.AppendMember(text, f.name, f.text)
	}
	return string(append(text, '}'))
}

// requestedJSON repeats arguments, in the rule's order.
func requestedJSON(names []string, arguments []byte) string {
	text := []byte{'{'}
	for _, name := range names {
		if value, ok := rawjson.Field(arguments, name); ok {
			text = rawjson.AppendMember(text, name, value)
		}
	}
	if len(text) == 1 {
		return ""
	}
	return string(append(text, '}'))
}

// violate fills in the offending value and the range.
func (r *rule) violate(facts []reading, arguments []byte) *toolgatev1.Violation {
	if r.violation == nil {
		return nil
	}
	violation := &toolgatev1.Violation{
		Field: r.violation.GetField(), Format: r.violation.GetFormat(), Accepted: slices.Clone(r.violation.GetAccepted()),
		Range: fillRange(r.rangeText, facts),
	}
	if violation.GetField() != "" {
		if value, ok := rawjson.Field(arguments, violation.GetField()); ok && len(value) <= maxValueBytes {
			violation.ValueJson = string(rawjson.AppendCompact(nil, value))
		}
	}
	return violation
}

// fillRange replaces each `{name}` by the fact of that name. A range with a
// hole in it would mislead: then there is none.
func fillRange(text string, facts []reading) string {
	var filled strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		filled.WriteString(before)
		if !open {
			return filled.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		place := slices.IndexFunc(facts, func(f reading) bool { return f.name == name })
		if !closed || place < 0 {
			return ""
		}
		filled.WriteString(rawjson.Text(facts[place].text))
		text = after
	}
}

// rangeNames lists the facts that a range names; ok is false where a brace is
// not closed.
func rangeNames(text string) (names []string, ok bool) {
	for {
		_, rest, open := strings.Cut(text, "{")
		if !open {
			return names, true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return names, false
		}
		names, text = append(names, name), after
	}
}

// alternatives are the provider's own, each the call's arguments with what
// replaces them.
func (r *rule) alternatives(seen *sight) (found []*toolgatev1.Alternative, truncated bool) {
	if !seen.bodyIsJSON() {
		return nil, false
	}
	items, _ := rawjson.Find(seen.reply.Body, r.pointer)
	for item := range rawjson.Items(items) {
		if rawjson.KindOf(item) != rawjson.Object {
			continue
		}
		if len(found) == maxListedByProvider {
			return found, true
		}
		found = append(found, &toolgatev1.Alternative{
			Tool: r.tool, ArgumentsJson: string(rawjson.Merge(seen.arguments, item)),
		})
	}
	return found, false
}
