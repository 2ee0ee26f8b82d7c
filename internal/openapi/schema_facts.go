package openapi

import (
	"bytes"
	"slices"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// facts are what all sources of one place say together. Where two exclude each
// other the first stands, and the place is marked as looser than its sources.
type facts struct {
	level       int
	types       []string // nil: any
	nullable    bool
	never       bool // nothing passes
	enum        [][]byte
	hasEnum     bool
	description string
	example     value
	keywords    keywords // assertions and annotations, as they stand

	properties []property
	required   []string
	closed     closing
	ones       map[string][]source // schemas under one keyword
	lists      map[string][]source // prefixItems
	maps       map[string][]named
	unions     []union
	refs       []reference
	loose      bool
}

type property struct {
	name    string
	sources []source
}

type named struct {
	name   string
	source source
}

// union is an anyOf or oneOf.
type union struct {
	keyword       string
	branches      []source
	discriminator value
}

// closing counts who declares properties, and who forbids others.
type closing struct {
	declare, forbid, allow int
}

// keywords keeps the order in which they were met.
type keywords struct {
	names []string
	texts map[string][]byte
}

func (k *keywords) get(name string) []byte { return k.texts[name] }

// add takes a keyword that is not there; false where another stands.
func (k *keywords) add(name string, text []byte) bool {
	if there, known := k.texts[name]; known {
		return bytes.Equal(there, text)
	}
	if k.texts == nil {
		k.texts = map[string][]byte{}
	}
	k.names, k.texts[name] = append(k.names, name), text
	return true
}

func (k *keywords) drop(name string) {
	if _, known := k.texts[name]; known {
		delete(k.texts, name)
		k.names = slices.DeleteFunc(k.names, func(n string) bool { return n == name })
	}
}

// maxSources bounds what references and allOf may put together at one place.
const maxSources = 200

// gather reads the sources of a place, what they refer to and what they join with
// allOf.
func (t *translation) gather(s *schema) *facts {
	f := &facts{level: s.level, ones: map[string][]source{}, lists: map[string][]source{}, maps: map[string][]named{}}
	waiting := slices.Clone(s.sources)
	for read := 0; len(waiting) > 0; read++ {
		from := waiting[0]
		if read >= maxSources || !t.spend(len(from.value.json)) {
			f.loose = true
			break
		}
		waiting = slices.Concat(t.read(f, from), waiting[1:])
	}
	return f
}

// read takes over what one source says and returns what it joins.
func (t *translation) read(f *facts, from source) (joined []source) {
	switch from.value.kind() {
	case rawjson.True:
		return nil
	case rawjson.False:
		f.never = true
		return nil
	case rawjson.Object:
	default:
		f.loose = true
		t.note("a schema that is none")
		return nil
	}
	o := from.value.members()
	if ref := o.get("$ref"); ref.text() != "" {
		joined = t.join(f, from, ref)
		if t.doc.legacy { // what stands beside it is not to be read, but people write it
			f.describe(o)
			f.nullable = f.nullable || o.get("nullable").isTrue()
			return joined
		}
	}
	joined = append(joined, t.readKeywords(f, from, o)...)
	for _, branch := range o.get("allOf").items() {
		joined = append(joined, source{value: branch, chain: from.chain})
	}
	return joined
}

// join follows a reference. One that was followed on the way here leads to $defs,
// one of this very place is no more than it says.
func (t *translation) join(f *facts, from source, ref value) []source {
	r, err := parseReference(from.value.file, ref.text())
	if err != nil {
		f.loose = true
		t.note(err.Error())
		return nil
	}
	if circle := from.chain.find(r.String()); circle != nil {
		if circle.level == f.level {
			f.loose = true
			return nil
		}
		if !slices.Contains(f.refs, r) {
			f.refs = append(f.refs, r)
		}
		return nil
	}
	target, err := t.doc.look(r)
	if err != nil {
		f.loose = true
		t.note(err.Error())
		return nil
	}
	return []source{{value: target, chain: &link{reference: r.String(), level: f.level, up: from.chain}}}
}

func (f *facts) describe(o *object) {
	if f.description == "" {
		f.description = o.get("description").text()
	}
}

func (t *translation) readKeywords(f *facts, from source, o *object) (joined []source) {
	f.describe(o)
	if title := o.get("title").text(); f.description == "" && strings.Contains(title, " ") { // else it is a name
		f.description = title
	}
	f.readTypes(o)
	f.readValues(o)
	for _, name := range o.names {
		v := o.get(name)
		below := source{value: v, chain: from.chain}
		switch kindOfKeyword(name) {
		case assertion:
			t.readAssertion(f, name, v)
		case oneSchema:
			if len(f.ones[name]) > 0 && name != "items" {
				f.loose = true
				continue
			}
			f.ones[name] = append(f.ones[name], below)
		case unionOfSchemas:
			branches := sourcesOf(v, from.chain)
			if other := t.orNull(branches); other != nil {
				f.nullable, joined = true, append(joined, *other)
			} else if len(branches) > 0 {
				f.unions = append(f.unions, union{keyword: name, branches: branches, discriminator: o.get("discriminator")})
			}
		case listOfSchemas:
			if len(f.lists[name]) == 0 {
				f.lists[name] = sourcesOf(v, from.chain)
			}
		case mapOfSchemas:
			members := v.members()
			for _, key := range members.names {
				f.maps[name] = append(f.maps[name], named{name: key, source: source{value: members.get(key), chain: from.chain}})
			}
		case unknownKeyword:
			if name == "$dynamicRef" || name == "$recursiveRef" {
				f.loose = true
				t.note(name + " is not followed")
			}
		}
	}
	t.readProperties(f, from, o)
	return joined
}

// orNull is the one branch of a union that stands beside null: its union is no more
// than a way to write nullable. nil: it is another union, or its branch goes in
// circles.
func (t *translation) orNull(branches []source) *source {
	if len(branches) != 2 {
		return nil
	}
	for i, branch := range branches {
		null := branch.value.members()
		if len(null.names) != 1 || null.get("type").text() != "null" {
			continue
		}
		other := branches[1-i]
		if ref := other.value.get("$ref").text(); ref != "" {
			r, err := parseReference(other.value.file, ref)
			if err != nil || other.chain.find(r.String()) != nil {
				return nil
			}
		}
		return &other
	}
	return nil
}

func sourcesOf(list value, chain *link) (all []source) {
	for _, item := range list.items() {
		all = append(all, source{value: item, chain: chain})
	}
	return all
}

// readProperties joins properties of the same name.
func (t *translation) readProperties(f *facts, from source, o *object) {
	properties := o.get("properties").members()
	for _, name := range properties.names {
		below := source{value: properties.get(name), chain: from.chain}
		i := slices.IndexFunc(f.properties, func(p property) bool { return p.name == name })
		if i < 0 {
			f.properties = append(f.properties, property{name: name, sources: []source{below}})
			continue
		}
		f.properties[i].sources = append(f.properties[i].sources, below)
	}
	for _, name := range o.get("required").texts() {
		if !slices.Contains(f.required, name) {
			f.required = append(f.required, name)
		}
	}
	if len(properties.names) > 0 {
		f.closed.declare++
	}
	additional := o.get("additionalProperties")
	switch additional.kind() {
	case rawjson.Absent:
	case rawjson.False:
		f.closed.forbid++
	case rawjson.True:
		f.closed.allow++
	default:
		f.closed.allow++
		f.ones["additionalProperties"] = append(f.ones["additionalProperties"], source{value: additional, chain: from.chain})
	}
}

// forbids reports that no other property may stand there. Of several that are
// joined one that forbids what another declares can't mean it.
func (f *facts) forbids() bool {
	return f.closed.forbid > 0 && f.closed.declare <= 1 && len(f.refs) == 0
}
