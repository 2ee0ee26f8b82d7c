package arguments

import (
	"fmt"
	"slices"
	"strings"
)

// expectation says what is accepted at a place: a list where there is one, else
// the form and the span. n is the value to which the list is put in order.
func (r *reporter) expectation(demands []*schema, n *node) fault {
	flat := demands
	if n != nil {
		flat = r.engine.flatten(demands, n)
	}
	if values := r.listed(flat); len(values) > 0 {
		return fault{accepted: ordered(values, n)}
	}
	f := fault{format: r.describe(flat), span: spanOf(flat)}
	if example := r.example(flat); example != "" {
		f.format += ", for example " + example
	}
	return f
}

// listed are the values that are accepted where all of them are listed, by the
// schemas or by every branch of one of their unions.
func (r *reporter) listed(flat []*schema) []string {
	if values := listed(flat); len(values) > 0 || !closed(flat, 0) {
		return values
	}
	for _, u := range unionsOf(flat) {
		var values []string
		for _, b := range u.branches {
			own := r.listed(r.engine.flatten([]*schema{b}, &node{kind: isNull, raw: "null"}))
			if len(own) == 0 {
				values = nil
				break
			}
			values = append(values, own...)
		}
		if len(values) > 0 {
			return slices.Compact(values)
		}
	}
	return nil
}

// listed are the values of enum and const.
func listed(flat []*schema) (values []string) {
	for _, s := range flat {
		if s.Const != nil {
			return []string{plainText(*s.Const)}
		}
	}
	for _, s := range flat {
		if s.Enum != nil {
			for _, v := range s.Enum.Values {
				values = append(values, plainText(v))
			}
			return values
		}
	}
	return nil
}

// ordered puts the values that are most like n first.
func ordered(values []string, n *node) []string {
	switch {
	case n == nil:
		return values
	case n.kind == isString:
		return Nearest(n.text, values, len(values))
	case n.kind&(isNumber|isBoolean) != 0:
		return Nearest(n.raw, values, len(values))
	}
	return values
}

// describe puts the accepted form into a few words.
func (r *reporter) describe(flat []*schema) string {
	own := isAny
	for _, s := range flat {
		own &= ownKinds(s)
	}
	if unions := unionsOf(flat); own == isAny && len(unions) > 0 {
		return strings.Join(r.forms(unions[0]), " or ")
	}
	accepted := r.engine.admits(flat)
	if accepted == isAny {
		return r.formOfAny(flat)
	}
	var forms []string
	for _, form := range []struct {
		kind  kinds
		words func([]*schema) string
	}{
		{isString, stringWords},
		{isNumber, func([]*schema) string { return kindNoun(accepted & isNumber) }},
		{isBoolean, func([]*schema) string { return "true or false" }},
		{isArray, r.arrayWords},
		{isObject, r.objectWords},
		{isNull, func([]*schema) string { return "null" }},
	} {
		if accepted&form.kind != 0 {
			forms = append(forms, form.words(flat))
		}
	}
	return strings.Join(forms, " or ")
}

// formOfAny describes schemas that speak of one type without naming it.
func (r *reporter) formOfAny(flat []*schema) string {
	if form := stringForm(flat); form != "" {
		return form
	}
	for _, s := range flat {
		if len(s.Required) > 0 {
			return r.objectWords(flat)
		}
	}
	return ""
}

// forms describes each branch of a union, the first few.
func (r *reporter) forms(u union) (all []string) {
	const most = 4
	for _, b := range u.branches {
		flat := r.engine.flatten([]*schema{b}, &node{kind: isNull, raw: "null"})
		form, span := r.describe(flat), spanOf(flat)
		if values := r.listed(flat); len(values) > 0 {
			form, span = strings.Join(values[:min(len(values), most)], ", "), ""
		}
		if span != "" {
			form += " " + span
		}
		if form != "" && !slices.Contains(all, form) && len(all) < most {
			all = append(all, form)
		}
	}
	return all
}

func stringWords(flat []*schema) string {
	if form := stringForm(flat); form != "" {
		return form
	}
	return "string"
}

// stringForm is the form that a string must have; empty where any will do.
func stringForm(flat []*schema) string {
	for _, s := range flat {
		if s.Format != nil {
			return formatForm(s.Format.Name)
		}
		if s.Pattern != nil {
			return "string matching " + s.Pattern.String()
		}
	}
	for _, s := range flat {
		if s.MinLength != nil || s.MaxLength != nil {
			return "string of " + between(s.MinLength, s.MaxLength, "character")
		}
	}
	return ""
}

// reachable adds to flat the branches of its unions, one level in.
func (r *reporter) reachable(flat []*schema) []*schema {
	all := slices.Clone(flat)
	for _, u := range unionsOf(flat) {
		all = append(all, u.branches...)
	}
	return all
}

func (r *reporter) arrayWords(flat []*schema) string {
	for _, s := range r.reachable(flat) {
		items := r.engine.flatten(itemSchemas([]*schema{s}, len(s.PrefixItems)), &node{kind: isNull, raw: "null"})
		if len(s.PrefixItems) > 0 {
			return fmt.Sprintf("JSON array of %d items in their order", len(s.PrefixItems))
		}
		if values := r.listed(items); len(values) > 0 {
			return "JSON array of any of: " + strings.Join(values[:min(len(values), 8)], ", ")
		}
		if words := r.describe(items); words != "" {
			return "JSON array of " + plural(words)
		}
	}
	return "JSON array"
}

// plural is for the words that describe returns.
func plural(words string) string {
	for _, noun := range []string{"string", "integer", "number", "object"} {
		if words == noun {
			return noun + "s"
		}
		if rest, ok := strings.CutPrefix(words, noun+" "); ok && !strings.Contains(rest, " or ") {
			return noun + "s " + rest
		}
	}
	return "items, each " + words
}

func (r *reporter) objectWords(flat []*schema) string {
	const most = 6
	names := declared(r.reachable(flat))
	must := slices.Clone(names)
	for _, s := range flat {
		if len(s.Required) > 0 {
			must = s.Required
		}
	}
	if len(must) == 0 {
		return "object"
	}
	if len(must) > most {
		return "object with " + strings.Join(must[:most], ", ") + " and more"
	}
	return "object with " + strings.Join(must, ", ")
}
