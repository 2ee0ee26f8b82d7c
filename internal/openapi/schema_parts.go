package openapi

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/rawjson"
)

// prepare finds out what stands at a place and what it costs.
func (t *translation) prepare(s *schema) {
	f := t.gather(s)
	if s.tag.property != "" {
		f.mark(s.tag)
	}
	f.settle()
	if s.about != "" {
		f.description = s.about
	}
	if s.example.exists() {
		f.example = s.example
	}
	t.assemble(s, f)
}

// mark holds a branch to the values that its discriminator names, where the branch
// has the property at all.
func (f *facts) mark(by tag) {
	i := slices.IndexFunc(f.properties, func(p property) bool { return p.name == by.property })
	if i < 0 {
		return
	}
	values := []byte{'['}
	for n, v := range by.values {
		if n > 0 {
			values = append(values, ',')
		}
		values = rawjson.AppendString(values, v)
	}
	only := rawjson.AppendMember([]byte{'{'}, "enum", append(values, ']'))
	f.properties[i].sources = append(slices.Clone(f.properties[i].sources), source{value: value{json: append(only, '}')}})
	if !slices.Contains(f.required, by.property) {
		f.required = append(f.required, by.property)
	}
}

// assembly puts the keywords of one place together.
type assembly struct {
	t *translation
	s *schema
	f *facts
}

func (t *translation) assemble(s *schema, f *facts) {
	a := &assembly{t: t, s: s, f: f}
	s.dropped = f.loose
	if f.never {
		s.parts, s.cost = []part{{name: "not", text: []byte("{}")}}, len(`"not":{}`)
		return
	}
	a.scalars()
	a.object()
	for _, keyword := range []string{"items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		if sources := f.ones[keyword]; len(sources) > 0 && a.applies(keyword) {
			a.add(part{name: keyword, one: a.below(keyword, sources)})
		}
	}
	if items := f.lists["prefixItems"]; len(items) > 0 {
		a.add(part{name: "prefixItems", list: a.each(items, 1)})
	}
	for _, keyword := range []string{"patternProperties", "dependentSchemas"} {
		if members := f.maps[keyword]; len(members) > 0 {
			a.add(part{name: keyword, named: a.members(members, keyword)})
		}
	}
	a.unions()
	if len(f.refs) > 0 {
		s.refs, s.dropped = f.refs[:1], s.dropped || len(f.refs) > 1
		s.cost += len(`"$ref":"#/$defs/",`) + 16
	}
}

// applies leaves out what says nothing about a value of these types.
func (a *assembly) applies(keyword string) bool {
	if keyword == "items" {
		return a.f.types == nil || slices.Contains(a.f.types, "array")
	}
	return true
}

func (a *assembly) add(p part) {
	a.s.parts = append(a.s.parts, p)
	a.s.cost += len(p.name) + len(`"":,`) + len(p.text) + len("{},")*max(1, len(p.children()))
	for _, named := range p.named {
		a.s.cost += len(named.name) + len(`"":`)
	}
}

// below is a schema of a value within this one, or beside it.
func (a *assembly) below(keyword string, sources []source) *schema {
	level := a.f.level + 1
	switch keyword {
	case "not", "if", "then", "else", "dependentSchemas", "anyOf", "oneOf", "allOf":
		level = a.f.level
	}
	return &schema{sources: sources, level: level, required: keyword == "items"}
}

func (a *assembly) each(sources []source, down int) (all []*schema) {
	for _, one := range sources {
		all = append(all, &schema{sources: []source{one}, level: a.f.level + down})
	}
	return all
}

func (a *assembly) members(members []named, keyword string) (all []namedSchema) {
	for _, m := range members {
		if slices.ContainsFunc(all, func(n namedSchema) bool { return n.name == m.name }) {
			a.s.dropped = true
			continue
		}
		all = append(all, namedSchema{name: m.name, schema: a.below(keyword, []source{m.source})})
	}
	return all
}

const maxExampleBytes = 60

// scalars are the keywords without schemas in them.
func (a *assembly) scalars() {
	f := a.f
	switch len(f.types) {
	case 0:
	case 1:
		a.add(part{name: "type", text: strconv.AppendQuote(nil, f.types[0])})
	default:
		a.add(part{name: "type", text: listOf(f.types)})
	}
	if limit := a.t.words.at(f.level); f.description != "" && limit > 0 {
		if text := shorten(f.description, limit); text != "" {
			a.add(part{name: "description", text: rawjson.AppendString(nil, text)})
		}
	}
	if f.hasEnum {
		a.add(part{name: "enum", text: joined(f.enum)})
	}
	for _, name := range f.keywords.names {
		if text := f.keywords.get(name); text != nil && !(f.hasEnum && redundant(name)) {
			a.add(part{name: name, text: rawjson.AppendCompact(nil, text)})
		}
	}
	if e := f.example; f.shows(e) && f.level <= 2 && len(a.t.words) > 0 && a.t.words.at(2) >= 100 {
		a.add(part{name: "examples", text: joined([][]byte{e.json})})
	}
}

// shows reports an example that is worth its bytes: a small one that is not seen to
// break its own schema, as many do.
func (f *facts) shows(example value) bool {
	kind := example.kind()
	if !kind.Scalar() || len(example.json) > maxExampleBytes || f.hasEnum || f.types != nil && !slices.ContainsFunc(f.types, kindIs(kind)) {
		return false
	}
	if kind != rawjson.String {
		return true
	}
	text := example.text()
	if pattern := f.keywords.get("pattern"); pattern != nil {
		expression, err := regexp.Compile(rawjson.Text(pattern))
		if err != nil || !expression.MatchString(text) {
			return false
		}
	}
	least, most := f.keywords.get("minLength"), f.keywords.get("maxLength")
	if least != nil && utf8.RuneCountInString(text) < count(least) || most != nil && utf8.RuneCountInString(text) > count(most) {
		return false
	}
	if format := rawjson.Text(f.keywords.get("format")); format == "uri" || format == "url" {
		return strings.Contains(text, "://")
	}
	return true
}

func count(number []byte) int {
	n, err := strconv.Atoi(string(rawjson.Trim(number)))
	if err != nil {
		return math.MaxInt
	}
	return n
}

// kindIs reports whether a type admits values of a kind.
func kindIs(kind rawjson.Kind) func(name string) bool {
	return func(name string) bool {
		switch kind {
		case rawjson.String:
			return name == "string"
		case rawjson.Number:
			return name == "number" || name == "integer"
		default:
			return name == "boolean"
		}
	}
}

// redundant says nothing beside a list of values.
func redundant(keyword string) bool {
	return keyword == "minLength" || keyword == "maxLength" || keyword == "pattern" || keyword == "format"
}

// shorten takes as much of a description as is asked for, whole sentences first.
func shorten(text string, limit int) string {
	text = Plain(text)
	if len(text) > limit {
		if sentence := firstSentence(text); len(sentence) <= limit && len(sentence) > limit/3 {
			return sentence
		}
	}
	return cut(text, limit)
}

func listOf(words []string) []byte {
	var texts [][]byte
	for _, word := range words {
		texts = append(texts, rawjson.AppendString(nil, word))
	}
	return joined(texts)
}

func joined(texts [][]byte) []byte {
	list := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			list = append(list, ',')
		}
		list = rawjson.AppendCompact(list, text)
	}
	return append(list, ']')
}

// object puts in what a request may hold: what is only ever read stays out.
func (a *assembly) object() {
	f := a.f
	var members []namedSchema
	var required []string
	for _, p := range f.properties {
		if a.t.readOnly(p.sources) {
			continue
		}
		must := slices.Contains(f.required, p.name)
		if must {
			required = append(required, p.name)
		}
		members = append(members, namedSchema{name: p.name, schema: &schema{sources: p.sources, level: f.level + 1, required: must}})
	}
	for _, name := range f.required {
		if !slices.ContainsFunc(f.properties, func(p property) bool { return p.name == name }) {
			required = append(required, name)
		}
	}
	if len(members) > 0 {
		a.add(part{name: "properties", named: members})
	}
	if len(required) > 0 {
		a.add(part{name: "required", text: listOf(required)})
	}
	switch additional := f.ones["additionalProperties"]; {
	case f.forbids():
		a.add(part{name: "additionalProperties", text: []byte("false")})
	case len(additional) == 1:
		a.add(part{name: "additionalProperties", one: a.below("additionalProperties", additional)})
	case f.closed.forbid > 0 || len(additional) > 1:
		a.s.dropped = true
	}
}

// readOnly reports that a property is of answers alone.
func (t *translation) readOnly(sources []source) bool {
	for _, s := range sources {
		if s.value.get("readOnly").isTrue() {
			return true
		}
		behind, err := t.doc.follow(s.value)
		if err == nil && t.spend(len(behind.json)) && behind.get("readOnly").isTrue() {
			return true
		}
	}
	return false
}

// unions puts in anyOf and oneOf; of several that are joined all but the first of
// its kind stand under allOf.
func (a *assembly) unions() {
	var further []*schema
	seen := map[string]bool{}
	for _, u := range a.f.unions {
		p := part{name: u.keyword}
		for _, branch := range u.branches {
			p.list = append(p.list, &schema{sources: []source{branch}, level: a.f.level, tag: a.tagOf(u, branch), required: a.s.required})
		}
		if seen[u.keyword] {
			a.s.cost += 4 * len(p.list)
			further = append(further, &schema{parts: []part{p}, level: a.f.level})
			continue
		}
		seen[u.keyword] = true
		a.add(p)
	}
	if len(further) > 0 {
		a.add(part{name: "allOf", list: further}) // each holds its branches already
	}
}

// tagOf finds the values that a discriminator has for a branch.
func (a *assembly) tagOf(u union, branch source) tag {
	name := u.discriminator.get("propertyName").text()
	ref := branch.value.get("$ref").text()
	if name == "" || ref == "" {
		return tag{}
	}
	own, err := parseReference(branch.value.file, ref)
	if err != nil {
		return tag{}
	}
	found := tag{property: name}
	mapping := u.discriminator.get("mapping").members()
	for _, value := range mapping.names {
		target := mapping.get(value).text()
		to, err := parseReference(branch.value.file, target)
		if target == own.name() || target == ref || err == nil && to == own {
			found.values = append(found.values, value)
		}
	}
	if found.values == nil {
		found.values = []string{own.name()}
	}
	return found
}
