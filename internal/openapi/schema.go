package openapi

import (
	"cmp"
	"slices"
	"strconv"
)

const (
	// maxLevels bounds how deep a schema is followed, however small it stays.
	maxLevels = 16
	// maxWork bounds the text that is looked at for one schema.
	maxWork = 16 << 20
)

// source is a schema of the document and the references that led to it.
type source struct {
	value value
	chain *link
}

// link is a reference on the way to a place, and the level of the place where it was
// followed: two of one level stand for the same value, which would go in circles.
type link struct {
	reference string
	level     int
	up        *link
}

func (l *link) find(reference string) *link {
	for ; l != nil; l = l.up {
		if l.reference == reference {
			return l
		}
	}
	return nil
}

// schema is a place of the schema that is being made. What stands there must obey
// all of its sources.
type schema struct {
	sources  []source
	about    string // instead of the sources' own description
	example  value  // of a parameter
	required bool
	level    int // how many values lie around this one
	tag      tag // what a discriminator asks of it

	parts   []part
	refs    []reference // circles that lead to $defs
	cost    int
	stub    bool // it was not followed: anything of its type passes
	dropped bool // it takes more than its sources do
	loose   *bool
}

// tag is a property whose values tell one branch of a union from the others.
type tag struct {
	property string
	values   []string
}

// part is one keyword of a schema: text as it stands, or schemas.
type part struct {
	name  string
	text  []byte
	one   *schema
	list  []*schema
	named []namedSchema
}

type namedSchema struct {
	name   string
	schema *schema
}

// children are the schemas below, in their order.
func (p part) children() []*schema {
	if p.one != nil {
		return []*schema{p.one}
	}
	all := slices.Clone(p.list)
	for _, named := range p.named {
		all = append(all, named.schema)
	}
	return all
}

// translation makes one schema of the document's. It goes level by level, what is
// required and what is small first, until the limit is reached: so the names and
// types of all arguments stand there before the details of any.
type translation struct {
	doc   *Document
	limit int
	words words
	used  int
	work  int

	defs  []*definition
	cut   bool            // something did not fit
	notes map[string]bool // what could not be kept
}

// definition is a schema that refers to itself.
type definition struct {
	reference string
	name      string
	schema    *schema
}

// words say how long descriptions may be, by level; the last one holds for all
// further ones.
type words []int

func (w words) at(level int) int { return w[min(max(level, 0), len(w)-1)] }

// Descriptions are first given room, then kept short so that more of the schema
// fits.
var (
	manyWords = words{600, 300, 160, 120}
	fewWords  = words{300, 120, 60, 0}
)

// spend counts text that is looked at; false where it is enough.
func (t *translation) spend(bytes int) bool {
	t.work += bytes
	return t.doc.spend(bytes) && t.work <= maxWork
}

func (t *translation) note(text string) {
	if t.notes == nil {
		t.notes = map[string]bool{}
	}
	t.notes[text] = true
}

// grow follows the root's schemas until all are there or the limit is reached.
func (t *translation) grow(root *schema) {
	level := t.accept(root)
	for depth := 0; len(level) > 0; depth++ {
		for _, s := range level {
			t.prepare(s)
		}
		slices.SortStableFunc(level, func(a, b *schema) int {
			return cmp.Or(order(b.required)-order(a.required), cmp.Compare(a.cost, b.cost))
		})
		var next []*schema
		for _, s := range level {
			if depth >= maxLevels || t.used+s.cost > t.limit || !t.spend(0) {
				t.stub(s)
				continue
			}
			next = append(next, t.accept(s)...)
		}
		level = next
	}
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// accept keeps a schema and returns those that it needs.
func (t *translation) accept(s *schema) (below []*schema) {
	t.used += s.cost
	for _, p := range s.parts {
		below = append(below, p.children()...)
	}
	for _, r := range s.refs {
		if d := t.define(r); d != nil {
			below = append(below, d)
		}
	}
	return below
}

// stub leaves a schema out: what remains is its type, and a word where there is
// room.
func (t *translation) stub(s *schema) {
	t.cut = true
	kept := s.parts[:0]
	for _, p := range s.parts {
		if p.name == "type" {
			kept = append(kept, p)
			t.used += len(p.text) + len(`"type":,`)
		}
	}
	s.parts, s.refs, s.stub = kept, nil, true
}

// define adds the schema behind a reference to $defs; nil where it is there.
func (t *translation) define(r reference) *schema {
	if t.definitionOf(r.String()) != nil {
		return nil
	}
	target, err := t.doc.look(r)
	if err != nil {
		return nil // it was looked at on the way here
	}
	name := clean(r.name(), maxNameBytes)
	for i := 2; slices.ContainsFunc(t.defs, func(d *definition) bool { return d.name == name }); i++ {
		name = clean(r.name(), maxNameBytes-4) + "_" + strconv.Itoa(i)
	}
	s := &schema{sources: []source{{value: target, chain: &link{reference: r.String()}}}}
	t.defs = append(t.defs, &definition{reference: r.String(), name: name, schema: s})
	t.used += len(name) + len(`"":{},`)
	return s
}

func (t *translation) definitionOf(reference string) *definition {
	for _, d := range t.defs {
		if d.reference == reference {
			return d
		}
	}
	return nil
}
