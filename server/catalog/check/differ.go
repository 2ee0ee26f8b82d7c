package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolgate.dev/toolgate/internal/arguments"
)

// differ compares two schemas. It belongs to one pair of tools.
type differ struct {
	*pair

	active map[string]bool // pairs of parts that are being compared: some refer to themselves
}

// report adds a change at a place of the new schema.
func (d *differ) report(rule string, at place, message string, steps ...any) {
	d.add(rule, at.field, message, append(append([]any{"input_schema"}, at.steps...), steps...)...)
}

// missing adds a change at a place of the old schema.
func (d *differ) missing(rule string, at place, message string, steps ...any) {
	d.gone(rule, at.field, message, append(append([]any{"input_schema"}, at.steps...), steps...)...)
}

// named is how a place is called in a message.
func named(at place) string {
	if at.field == "" {
		return "the arguments"
	}
	return at.field
}

// compare reports where a value that the old form takes is refused by the new.
func (d *differ) compare(at place, old, now form) {
	old, now = old.resolved(), now.resolved()
	before, after := text(old.parts), text(now.parts)
	key := before + "\x00" + after
	if d.active[key] || before == after && old.never == now.never && sameWhole(old, now) {
		return
	}
	d.active[key] = true
	defer delete(d.active, key)
	switch {
	case old.never:
		return
	case now.never:
		d.report(argumentRemoved, at, named(at)+" takes nothing now")
		return
	}
	if !d.types(at, old, now) {
		return // of another type nothing else is worth saying
	}
	d.values(at, old, now)
	d.bounds(at, old, now)
	d.texts(at, old, now)
	d.object(at, old, now)
	d.array(at, old, now)
	d.unions(at, old, now)
	d.others(at, old, now)
}

// sameWhole reports that equal parts mean the same, since what they refer to is
// the same.
func sameWhole(old, now form) bool {
	return !strings.Contains(text(old.parts), `"$ref"`) || text(old.root) == text(now.root)
}

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func typesOf(f form) []string {
	switch written := f.parts["type"].(type) {
	case string:
		return []string{written}
	case []any:
		var types []string
		for _, one := range written {
			if name, ok := one.(string); ok {
				types = append(types, name)
			}
		}
		return types
	}
	return nil
}

// takes reports that a value of a type is taken; nil types take any.
func takes(types []string, name string) bool {
	return types == nil || slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
}

// types compares what kinds of values are taken; false where they differ so that
// the rest can't be compared.
func (d *differ) types(at place, old, now form) bool {
	before, after := typesOf(old), typesOf(now)
	var lost, won []string
	for _, name := range allTypes {
		switch had, has := takes(before, name), takes(after, name); {
		case had && !has:
			lost = append(lost, name)
		case !had && has:
			won = append(won, name)
		}
	}
	if len(lost) > 0 && before == nil && old.has("enum") {
		return true // the values say more
	}
	switch {
	case len(lost) > 0:
		d.report(typeChanged, at, fmt.Sprintf("%s was %s and is %s", named(at), typeName(before), typeName(after)), "type")
		return len(lost) < len(allTypes) && slices.ContainsFunc(allTypes, func(name string) bool { return takes(before, name) && takes(after, name) })
	case len(won) > 0:
		d.report(schemaWidened, at, fmt.Sprintf("%s was %s and is %s", named(at), typeName(before), typeName(after)), "type")
	}
	return true
}

func typeName(types []string) string {
	if types == nil {
		return "anything"
	}
	return strings.Join(types, " or ")
}

// values compares enum and const.
func (d *differ) values(at place, old, now form) {
	before, limited := valuesOf(old)
	after, limits := valuesOf(now)
	switch {
	case !limits && limited:
		d.report(schemaWidened, at, fmt.Sprintf("%s takes other values than %s, too", named(at), strings.Join(before, ", ")))
	case limits && !limited:
		d.report(enumNarrowed, at, fmt.Sprintf("%s takes nothing but %s now", named(at), strings.Join(after, ", ")), "enum")
	case limits:
		if lost := without(before, after); len(lost) > 0 {
			d.report(enumNarrowed, at, fmt.Sprintf("%s no longer takes %s", named(at), strings.Join(lost, ", ")), "enum")
		}
		if won := without(after, before); len(won) > 0 {
			d.report(schemaWidened, at, fmt.Sprintf("%s takes %s, too", named(at), strings.Join(won, ", ")), "enum")
		}
	}
}

func valuesOf(f form) (values []string, limited bool) {
	if only, ok := f.parts["const"]; ok {
		return []string{text(only)}, true
	}
	for _, value := range f.list("enum") {
		values = append(values, text(value))
	}
	return values, f.has("enum")
}

func without(all, some []string) (rest []string) {
	for _, one := range all {
		if !slices.Contains(some, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// texts compares pattern and format.
func (d *differ) texts(at place, old, now form) {
	for _, keyword := range []struct{ name, rule string }{{"pattern", patternChanged}, {"format", formatChanged}} {
		before, _ := old.parts[keyword.name].(string)
		after, _ := now.parts[keyword.name].(string)
		if keyword.name == "format" {
			before, after = checkedFormat(before), checkedFormat(after)
		}
		switch {
		case before == after:
		case after == "":
			d.report(schemaWidened, at, fmt.Sprintf("%s needs no %s %s any more", named(at), keyword.name, before))
		case before == "":
			d.report(keyword.rule, at, fmt.Sprintf("%s must have the %s %s now", named(at), keyword.name, after), keyword.name)
		case before == "date-time" && after == "date" || before != after:
			d.report(keyword.rule, at, fmt.Sprintf("%s had the %s %s and has %s", named(at), keyword.name, before, after), keyword.name)
		}
	}
}

// checkedFormat is empty for a format that nobody checks.
func checkedFormat(name string) string {
	if slices.Contains(arguments.Formats(), name) {
		return name
	}
	return ""
}

// annotating keywords change nothing about what is taken.
var annotating = []string{"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "$id", "$schema", "$anchor", "$defs", "definitions", "contentEncoding", "contentMediaType"}

// compared keywords have a function of their own.
var compared = []string{
	"type", "enum", "const", "pattern", "format", "properties", "required", "additionalProperties", "items", "prefixItems", "uniqueItems",
	"anyOf", "oneOf", "allOf", "$ref",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
}

// others compares keywords whose meaning can't be compared: equal, gone, or else.
func (d *differ) others(at place, old, now form) {
	for _, keyword := range slices.Sorted(maps.Keys(now.parts)) {
		if slices.Contains(annotating, keyword) || slices.Contains(compared, keyword) || strings.HasPrefix(keyword, "x-") {
			continue
		}
		if before, had := old.parts[keyword]; !had || text(before) != text(now.parts[keyword]) {
			d.report(schemaChanged, at, fmt.Sprintf("%s of %s changed, and can't be compared", keyword, named(at)), keyword)
		}
	}
	for _, keyword := range slices.Sorted(maps.Keys(old.parts)) {
		if !now.has(keyword) && !slices.Contains(annotating, keyword) && !slices.Contains(compared, keyword) && !strings.HasPrefix(keyword, "x-") {
			d.missing(schemaWidened, at, fmt.Sprintf("%s of %s is gone", keyword, named(at)), keyword)
		}
	}
}
