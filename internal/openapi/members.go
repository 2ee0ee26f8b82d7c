package openapi

import (
	"errors"
	"slices"
	"strconv"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// addBody puts the members of the body beside the parameters, or the body as one
// argument where it is no plain object.
func (r *request) addBody(b *body) error {
	if b == nil {
		return nil
	}
	t := &translation{doc: r.doc}
	f := t.gather(&schema{sources: []source{{value: b.schema}}})
	f.settle()
	if f.isEmpty() {
		return nil
	}
	r.http.Body = b.encoding
	if b.encoding == catalogv1.BodyEncoding_BODY_ENCODING_JSON {
		r.http.Body = 0 // the default
	}
	if b.media != "" {
		r.http.Headers = map[string]string{"Content-Type": b.media}
	}
	switch {
	case b.encoding == catalogv1.BodyEncoding_BODY_ENCODING_TEXT:
		return r.addWhole(b)
	case r.isPlain(f):
		r.addMembers(b, f)
		return nil
	case b.encoding == catalogv1.BodyEncoding_BODY_ENCODING_FORM:
		return errors.New("its body is a form and no plain object")
	}
	return r.addWhole(b)
}

// isEmpty reports a body that can only be an object with nothing in it.
func (f *facts) isEmpty() bool {
	return f.forbids() && len(f.properties)+len(f.unions)+len(f.refs)+len(f.maps) == 0
}

// isPlain reports that a body is an object whose members can stand side by side with
// the parameters.
func (r *request) isPlain(f *facts) bool {
	if f.never || len(f.refs) > 0 || len(f.maps) > 0 || len(f.properties) == 0 {
		return false
	}
	if f.types != nil && !slices.Contains(f.types, "object") {
		return false
	}
	for keyword := range f.ones {
		if keyword != "additionalProperties" && keyword != "propertyNames" {
			return false
		}
	}
	return !slices.ContainsFunc(f.unions, func(u union) bool { return !r.overMembers(u, f) })
}

// overMembers reports a union that only tells which of the members go together.
func (r *request) overMembers(u union, f *facts) bool {
	for _, branch := range u.branches {
		t := &translation{doc: r.doc}
		b := t.gather(&schema{sources: []source{branch}})
		if b.loose || b.never || len(b.refs)+len(b.unions)+len(b.ones)+len(b.maps)+len(b.keywords.names) > 0 || b.forbids() {
			return false
		}
		for _, p := range b.properties {
			if !slices.ContainsFunc(f.properties, func(known property) bool { return known.name == p.name }) {
				return false
			}
		}
	}
	return true
}

// addMembers puts each member of the body among the arguments.
func (r *request) addMembers(b *body, f *facts) {
	byDefault := r.op.method == "POST" || r.op.method == "PUT" || r.op.method == "PATCH"
	renamed := false
	for _, p := range f.properties {
		if (&translation{doc: r.doc}).readOnly(p.sources) {
			continue
		}
		a := argument{
			name: r.freeName(p.name, "body"), written: p.name, sources: p.sources, ofBody: true,
			required: slices.Contains(f.required, p.name) && !b.optional,
		}
		style := catalogv1.Style_STYLE_UNSPECIFIED
		if b.encoding == catalogv1.BodyEncoding_BODY_ENCODING_FORM {
			style = b.styleOf(p.name, r.doc.shapeOfAll(p.sources))
		}
		if !byDefault || a.name != p.name || style != catalogv1.Style_STYLE_UNSPECIFIED {
			a.place = &catalogv1.Placement{In: catalogv1.Location_LOCATION_BODY, Style: style}
		}
		renamed = renamed || a.name != p.name
		r.put(a, p.name)
	}
	for _, name := range f.required { // some are required and nowhere described
		if !slices.ContainsFunc(f.properties, func(p property) bool { return p.name == name }) {
			r.addUndescribed(name, byDefault)
		}
	}
	if !renamed && !b.optional {
		r.unions = f.unions
	}
	// Beside these any other name may be used where the document says so itself.
	r.open = f.closed.allow > 0 && !f.forbids() && byDefault
	r.others = f.ones["additionalProperties"]
	if least := f.keywords.get("minProperties"); least != nil && !b.optional {
		r.least, _ = strconv.Atoi(string(least)) // it was held to be a count
	}
}

func (r *request) addUndescribed(name string, byDefault bool) {
	a := argument{
		name: r.freeName(name, "body"), written: name, ofBody: true, required: true, sources: []source{{value: value{json: []byte("{}")}}},
	}
	if !byDefault || a.name != name {
		a.place = &catalogv1.Placement{In: catalogv1.Location_LOCATION_BODY}
	}
	r.put(a, name)
}

func (d *Document) shapeOfAll(sources []source) shape {
	if len(sources) == 0 {
		return isSingle
	}
	return (&translation{doc: d}).shape(sources[0], 0)
}

// addWhole makes the body one argument.
func (r *request) addWhole(b *body) error {
	if r.op.method == "HEAD" {
		return errors.New("a HEAD request has no body")
	}
	a := argument{
		name: r.freeName("body", "request"), written: "body", sources: []source{{value: b.schema}}, about: b.about, example: b.example,
		required: b.required,
	}
	switch {
	case b.encoding == catalogv1.BodyEncoding_BODY_ENCODING_TEXT:
		a.sources = []source{{value: value{json: []byte(`{"type":"string"}`)}}}
	case !b.schema.exists():
		a.sources = []source{{value: value{json: []byte("{}")}}}
	}
	r.http.BodyArgument = a.name
	r.arguments = append(r.arguments, a)
	return nil
}
