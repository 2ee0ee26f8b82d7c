package openapi

import (
	"maps"
	"slices"
	"strconv"
)

// maxTries bounds how often a schema is made anew because it came out too large.
const maxTries = 4

// inputSchema makes the schema of all arguments. It is made with room for words
// first, and with few where that does not fit. What is left out still has a type,
// which may be too much: then less is followed.
func (r *request) inputSchema(limit int) (text string, made *translation) {
	if text, made = r.tryInputSchema(limit, manyWords); !made.cut && len(text) <= limit {
		return text, made
	}
	budget := limit
	for range maxTries {
		text, made = r.tryInputSchema(budget, fewWords)
		if len(text) <= limit {
			break
		}
		budget = max(0, budget-(len(text)-limit)-limit/16)
	}
	return text, made
}

func (r *request) tryInputSchema(limit int, words words) (text string, made *translation) {
	made = &translation{doc: r.doc, limit: limit, words: words}
	root := r.root(made)
	made.grow(root)
	return made.render(root), made
}

// root is the object of the arguments. Names that nobody declares are refused, since
// they are misspelt more often than not, unless the document welcomes them.
func (r *request) root(t *translation) *schema {
	a := &assembly{t: t, s: &schema{required: true}, f: &facts{level: 0}}
	a.add(part{name: "type", text: []byte(`"object"`)})
	var members []namedSchema
	var required []string
	for _, arg := range r.arguments {
		s := &schema{sources: arg.sources, about: arg.about, example: arg.example, required: arg.required, level: 1}
		members = append(members, namedSchema{name: arg.name, schema: s})
		if arg.required {
			required = append(required, arg.name)
		}
	}
	if len(members) > 0 {
		a.add(part{name: "properties", named: members})
	}
	if len(required) > 0 {
		a.add(part{name: "required", text: listOf(required)})
	}
	if r.least > 0 {
		a.add(part{name: "minProperties", text: strconv.AppendInt(nil, int64(r.least+r.outside()), 10)})
	}
	a.f.unions = r.unions
	a.unions()
	switch {
	case !r.open:
		a.add(part{name: "additionalProperties", text: []byte("false")})
	case len(r.others) == 1:
		a.add(part{name: "additionalProperties", one: &schema{sources: r.others, level: 1}})
	}
	return a.s
}

// outside counts the arguments that every call has beside those of the body.
func (r *request) outside() (n int) {
	for _, arg := range r.arguments {
		if arg.required && !arg.ofBody {
			n++
		}
	}
	return n
}

// notesOf lists what a translation could not keep.
func (t *translation) noted() []string { return slices.Sorted(maps.Keys(t.notes)) }
