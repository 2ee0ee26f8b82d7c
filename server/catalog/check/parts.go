package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// object compares members: required, declared, others.
func (d *differ) object(at place, old, now form) {
	before, after := requiredOf(old), requiredOf(now)
	for _, name := range after {
		if slices.Contains(before, name) {
			continue
		}
		if _, known := old.member(name); known {
			d.report(argumentRequired, at.property(name), at.property(name).field+" must be named now")
		} else {
			d.report(argumentRequired, at.property(name), at.property(name).field+" is new, and must be named")
		}
	}
	for _, name := range before {
		if _, known := now.member(name); known && !slices.Contains(after, name) {
			d.report(argumentOptional, at.property(name), at.property(name).field+" may be left out")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old.properties())) {
		d.member(at, name, old, now)
	}
	for _, name := range slices.Sorted(maps.Keys(now.properties())) {
		if _, known := old.member(name); !known && !slices.Contains(after, name) {
			d.report(argumentAdded, at.property(name), at.property(name).field+" is new")
		}
	}
	d.rest(at, old, now)
}

func requiredOf(f form) (names []string) {
	for _, name := range f.list("required") {
		if name, ok := name.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func (d *differ) member(at place, name string, old, now form) {
	before, _ := old.member(name)
	after, known := now.member(name)
	if known {
		d.compare(at.property(name), before, after)
		return
	}
	message := at.property(name).field + " is gone"
	if other := renamedMember(name, old, now); other != "" {
		message += "; " + at.property(other).field + " may be its new name"
	}
	d.missing(argumentRemoved, at.property(name), message)
}

// renamedMember finds a new member that has the form of an old one.
func renamedMember(name string, old, now form) string {
	var same []string
	for _, other := range slices.Sorted(maps.Keys(now.properties())) {
		if _, known := old.member(other); !known && bare(now.properties()[other]) == bare(old.properties()[name]) {
			same = append(same, other)
		}
	}
	if len(same) != 1 {
		return ""
	}
	return same[0]
}

// bare is a form without what annotates it.
func bare(value any) string {
	object, ok := value.(map[string]any)
	if !ok {
		return text(value)
	}
	object = maps.Clone(object)
	for _, keyword := range annotating {
		delete(object, keyword)
	}
	return text(object)
}

// rest compares what is said of members that are not declared.
func (d *differ) rest(at place, old, now form) {
	before, after := old.at(old.parts["additionalProperties"]), now.at(now.parts["additionalProperties"])
	switch {
	case before.never && !after.never:
		d.report(schemaWidened, at, named(at)+" may have others than those declared", "additionalProperties")
	case !before.never && after.never:
		d.report(argumentsClosed, at, named(at)+" may have none but those declared now", "additionalProperties")
	case !before.never:
		d.compare(place{field: at.field + ".*", steps: at.below("additionalProperties").steps}, before, after)
	}
}

// array compares items.
func (d *differ) array(at place, old, now form) {
	if unique, _ := now.parts["uniqueItems"].(bool); unique && old.parts["uniqueItems"] != true {
		d.report(boundsTightened, at, fmt.Sprintf("no item of %s may stand twice now", named(at)), "uniqueItems")
	}
	oldList, isOldList := old.parts["items"].([]any) // drafts before 2020-12
	nowList, isNowList := now.parts["items"].([]any)
	if isOldList || isNowList || old.has("prefixItems") || now.has("prefixItems") {
		if text(oldList) != text(nowList) || text(old.parts["prefixItems"]) != text(now.parts["prefixItems"]) || text(old.parts["items"]) != text(now.parts["items"]) {
			d.report(schemaChanged, at, fmt.Sprintf("the items of %s changed, and can't be compared", named(at)), "items")
		}
		return
	}
	d.compare(at.items(), old.at(old.parts["items"]), now.at(now.parts["items"]))
}

// unions compares anyOf, oneOf and allOf.
func (d *differ) unions(at place, old, now form) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		before, after := old.list(keyword), now.list(keyword)
		if text(before) == text(after) && sameWhole(old, now) || len(after) == 0 {
			if len(before) > 0 && len(after) == 0 {
				d.missing(schemaWidened, at, fmt.Sprintf("%s of %s is gone", keyword, named(at)), keyword)
			}
			continue
		}
		if len(before) == 0 {
			before = []any{old.parts}
		}
		if keyword == "oneOf" && !disjoint(now, after) {
			d.report(schemaChanged, at, fmt.Sprintf("the forms of %s changed, and one value may have two of them now", named(at)), keyword)
			continue
		}
		for _, branch := range before {
			if !d.covered(old.at(branch), now, after) {
				d.report(unionNarrowed, at, fmt.Sprintf("%s no longer takes the form %s", named(at), brief(branch)), keyword)
			}
		}
	}
	before := old.list("allOf")
	for i, branch := range now.list("allOf") {
		if slices.ContainsFunc(before, func(other any) bool { return text(other) == text(branch) }) && sameWhole(old, now) {
			continue
		}
		if i < len(before) {
			d.compare(at.below("allOf", i), old.at(before[i]), now.at(branch))
			continue
		}
		d.compare(at.below("allOf", i), form{root: old.root, parts: old.parts}, now.at(branch))
	}
}

// disjoint reports that no value has two of the forms, as far as their types and
// values tell.
func disjoint(f form, branches []any) bool {
	for i, a := range branches {
		for _, b := range branches[:i] {
			if !apart(f.at(a), f.at(b)) {
				return false
			}
		}
	}
	return true
}

func apart(a, b form) bool {
	x, xOK := valuesOf(a)
	y, yOK := valuesOf(b)
	if xOK && yOK {
		return len(without(x, y)) == len(x)
	}
	for _, name := range typesOf(a) {
		if takes(typesOf(b), name) || name == "number" && takes(typesOf(b), "integer") {
			return false
		}
	}
	return typesOf(a) != nil && typesOf(b) != nil
}

// covered reports that what an old branch takes one of the new ones takes.
func (d *differ) covered(old form, now form, branches []any) bool {
	for _, branch := range branches {
		trial := &differ{pair: &pair{comparison: &comparison{before: d.before, after: d.after}, old: d.old, now: d.now}, active: d.active}
		trial.compare(place{}, old, now.at(branch))
		if !slices.ContainsFunc(trial.changes, func(c Change) bool { return c.Breaking }) {
			return true
		}
	}
	return false
}

func brief(value any) string {
	const most = 60
	short := []rune(text(value))
	if len(short) > most {
		return string(short[:most]) + "…"
	}
	return string(short)
}

// bounds compares numbers that limit values.
func (d *differ) bounds(at place, old, now form) {
	for _, keyword := range []struct {
		name  string
		lower bool
	}{
		{"minLength", true}, {"maxLength", false}, {"minItems", true}, {"maxItems", false}, {"minProperties", true}, {"maxProperties", false},
	} {
		before, had := numberOf(old.parts[keyword.name])
		after, has := numberOf(now.parts[keyword.name])
		if !had && keyword.lower {
			before, had = new(big.Rat), true // none is none
		}
		if !has && keyword.lower {
			after, has = new(big.Rat), true
		}
		d.bound(at, keyword.name, limit{before, had, false}, limit{after, has, false}, keyword.lower)
	}
	d.bound(at, "minimum", lowest(old), lowest(now), true)
	d.bound(at, "maximum", highest(old), highest(now), false)
	before, had := numberOf(old.parts["multipleOf"])
	after, has := numberOf(now.parts["multipleOf"])
	if has && (!had || !new(big.Rat).Quo(before, after).IsInt()) {
		d.report(boundsTightened, at, fmt.Sprintf("%s must be a multiple of %s now", named(at), after.RatString()), "multipleOf")
	}
}

// limit is one end of a range.
type limit struct {
	at    *big.Rat
	there bool
	open  bool // the end itself is outside
}

func lowest(f form) limit  { return endOf(f, "minimum", "exclusiveMinimum", 1) }
func highest(f form) limit { return endOf(f, "maximum", "exclusiveMaximum", -1) }

// endOf is the tighter of both keywords. In draft 4 the exclusive one is a
// boolean.
func endOf(f form, inclusive, exclusive string, sign int) limit {
	at, there := numberOf(f.parts[inclusive])
	end := limit{at: at, there: there}
	if f.parts[exclusive] == true {
		end.open = there
	}
	if open, ok := numberOf(f.parts[exclusive]); ok && (!there || open.Cmp(at)*sign >= 0) {
		end = limit{at: open, there: true, open: true}
	}
	return end
}

func (d *differ) bound(at place, keyword string, old, now limit, lower bool) {
	tighter := now.there && (!old.there || isTighter(old, now, lower))
	looser := old.there && (!now.there || isTighter(now, old, lower))
	switch {
	case tighter:
		d.report(boundsTightened, at, fmt.Sprintf("%s of %s is %s now%s", spaced(keyword), named(at), now, was(old)), keyword)
	case looser:
		d.report(schemaWidened, at, fmt.Sprintf("%s of %s is %s now%s", spaced(keyword), named(at), now, was(old)), keyword)
	}
}

func isTighter(old, now limit, lower bool) bool {
	order := now.at.Cmp(old.at)
	if !lower {
		order = -order
	}
	return order > 0 || order == 0 && now.open && !old.open
}

func (l limit) String() string {
	switch {
	case !l.there:
		return "none"
	case l.open:
		return decimal(l.at) + " (outside)"
	}
	return decimal(l.at)
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(12), "0")
}

func was(l limit) string {
	if !l.there {
		return ""
	}
	return ", it was " + l.String()
}

// spaced writes a keyword as words: maxLength, max length.
func spaced(keyword string) string {
	var words strings.Builder
	for _, r := range keyword {
		if r >= 'A' && r <= 'Z' {
			words.WriteString(" ")
			r += 'a' - 'A'
		}
		words.WriteRune(r)
	}
	return words.String()
}

// reasonable are exponents that can be computed with.
var reasonable = regexp.MustCompile(`[eE][+-]?[0-9]{1,3}$`)

func numberOf(value any) (*big.Rat, bool) {
	number, ok := value.(json.Number)
	if !ok || strings.ContainsAny(number.String(), "eE") && !reasonable.MatchString(number.String()) {
		return nil, false
	}
	return new(big.Rat).SetString(number.String())
}
