package evidence

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// Surface is what a model sees of a tool, and what its catalogue says of its
// failures.
type Surface struct {
	Tool   string
	Schema string // input_schema as JSON; empty: not known
	Rules  []Rule // empty: none, or not known
}

// Rule is what an error rule says literally of the field that it names.
type Rule struct {
	Field, Code string
	Accepted    []string
	Range       string
}

// values are what the rules say is accepted at a field.
func (s *Surface) values(field, code string) []string {
	for _, rule := range s.Rules {
		if rule.Field == field && (rule.Code == "" || rule.Code == code) && len(rule.Accepted) > 1 {
			return rule.Accepted
		}
	}
	return nil
}

// span is the range that the rules say literally.
func (s *Surface) span(field, code string) string {
	for _, rule := range s.Rules {
		if rule.Field == field && (rule.Code == "" || rule.Code == code) && !strings.Contains(rule.Range, "{") {
			return rule.Range
		}
	}
	return ""
}

// spot is a place in a schema: where the form of a value stands.
type spot struct {
	path   string // from input_schema: `.properties.a.items`
	name   string // of the property; empty: an item, a branch
	value  []byte // JSON; nil: it is not declared
	holder object // the object that declares it, or would
}

// object is an object of a schema that declares properties.
type object struct {
	path  string
	value []byte
}

// find follows a field (`a.b[0].c`) into a schema, through references and through
// a union of which all branches but one are null.
func find(schema []byte, field string) (spot, bool) {
	at := spot{value: rawjson.Trim(schema)}
	for _, token := range fieldTokens(field) {
		at = resolve(schema, at)
		next, ok := child(at, token)
		if !ok {
			return spot{}, false
		}
		at = next
	}
	if at.value != nil {
		holder, name := at.holder, at.name
		if at = resolve(schema, at); at.name == "" && strings.HasSuffix(at.path, "."+name) {
			at.name = name
		}
		at.holder = holder
	}
	return at, true
}

func child(at spot, token string) (spot, bool) {
	if token[0] == '[' {
		items, found := rawjson.Get(at.value, "items")
		return spot{path: at.path + ".items", value: items}, found
	}
	next := spot{path: at.path + ".properties." + token, name: token, holder: object{at.path, at.value}}
	properties, _ := rawjson.Get(at.value, "properties")
	if value, found := rawjson.Get(properties, token); found {
		next.value = value
	}
	return next, at.value != nil
}

func fieldTokens(field string) (tokens []string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(field, "[", ".["), ".") {
		if part != "" {
			tokens = append(tokens, part)
		}
	}
	return tokens
}

// maxSteps ends references that go in circles.
const maxSteps = 8

func resolve(schema []byte, at spot) spot {
	for range maxSteps {
		if reference, found := rawjson.Get(at.value, "$ref"); found {
			pointer, local := strings.CutPrefix(rawjson.Text(reference), "#")
			target, exists := rawjson.Find(schema, pointer)
			if !local || !exists {
				return at
			}
			at.path, at.value, at.name = strings.ReplaceAll(pointer, "/", "."), target, lastOf(pointer)
			continue
		}
		branch, keyword, place := onlyBranch(at.value)
		if branch == nil {
			return at
		}
		at.path, at.value, at.name = at.path+"."+keyword+"["+strconv.Itoa(place)+"]", branch, ""
	}
	return at
}

func lastOf(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// onlyBranch is the one branch of a union that is not null.
func onlyBranch(value []byte) (branch []byte, keyword string, place int) {
	if _, typed := rawjson.Get(value, "properties"); typed {
		return nil, "", 0
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, _ := rawjson.Get(value, keyword)
		n, i := 0, -1
		for item := range rawjson.Items(branches) {
			i++
			if kind, _ := rawjson.Get(item, "type"); rawjson.Text(kind) != "null" {
				branch, place = item, i
				n++
			}
		}
		if n == 1 {
			return branch, keyword, place
		}
	}
	return nil, "", 0
}

// describes is what a property's own words say.
func (s spot) describes() string {
	var all []string
	for _, keyword := range []string{"title", "description"} {
		if text, found := rawjson.Get(s.value, keyword); found {
			all = append(all, rawjson.Text(text))
		}
	}
	return strings.Join(all, ". ")
}

// isFree reports that a place takes any text, or anything.
func (s spot) isFree() bool {
	for _, keyword := range []string{"format", "pattern", "enum", "const"} {
		if _, said := rawjson.Get(s.value, keyword); said {
			return false
		}
	}
	kind, typed := rawjson.Get(s.value, "type")
	return !typed || strings.Contains(string(kind), "string")
}

// has reports that a schema holds a keyword with that very value.
func has(schema []byte, k keyword) bool {
	value, found := rawjson.Get(schema, k.name)
	return found && bytes.Equal(rawjson.AppendCompact(nil, value), []byte(k.value))
}

func hasAll(schema []byte, keywords []keyword) bool {
	return !slices.ContainsFunc(keywords, func(k keyword) bool { return !has(schema, k) })
}

// with puts keywords into a schema: in their places where they stand there, else
// at the end, the type first. A type that may be null stays so.
func with(schema []byte, keywords []keyword) []byte {
	left := slices.Clone(keywords)
	out := []byte{'{'}
	put := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendString(out, name), ':'), rawjson.AppendCompact(nil, value)...)
	}
	if _, typed := rawjson.Get(schema, "type"); !typed && len(left) > 0 && left[0].name == "type" {
		put("type", []byte(left[0].value))
		left = left[1:]
	}
	for m := range rawjson.Members(schema) {
		i := slices.IndexFunc(left, func(k keyword) bool { return k.name == m.Name() })
		if i < 0 {
			put(m.Name(), m.Value)
			continue
		}
		value := []byte(left[i].value)
		if m.Name() == "type" {
			value = typeWith(m.Value, left[i].value)
		}
		put(m.Name(), value)
		left = slices.Delete(left, i, i+1)
	}
	for _, k := range left {
		put(k.name, []byte(k.value))
	}
	return append(out, '}')
}

// typeWith is the new type, beside null where the former may be null.
func typeWith(former []byte, wanted string) []byte {
	for item := range rawjson.Items(former) {
		if rawjson.Text(item) == "null" {
			return []byte("[" + wanted + `,"null"]`)
		}
	}
	return []byte(wanted)
}
