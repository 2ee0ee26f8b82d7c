package openapi

import (
	"slices"

	"toolgate.dev/toolgate/internal/rawjson"
)

// render writes the schema. Where a part was left out whatever would now refuse
// more than the document does is left out with it.
func (t *translation) render(root *schema) string {
	text := t.append(nil, root)
	if len(t.defs) == 0 {
		return string(text)
	}
	defs := []byte{'{'}
	for i, d := range t.defs {
		if i > 0 {
			defs = append(defs, ',')
		}
		defs = append(rawjson.AppendString(defs, d.name), ':')
		defs = t.append(defs, d.schema)
	}
	text = rawjson.AppendMember(text[:len(text)-1], "$defs", append(defs, '}'))
	return string(append(text, '}'))
}

func (t *translation) append(dst []byte, s *schema) []byte {
	dst = append(dst, '{')
	for _, r := range s.refs {
		if d := t.definitionOf(r.String()); d != nil {
			dst = rawjson.AppendMember(dst, "$ref", rawjson.AppendString(nil, "#/$defs/"+d.name))
		}
	}
	for _, p := range s.parts {
		if t.refusesMore(s, p) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		name := p.name
		if name == "oneOf" && t.anyLoose(p.list) {
			name = "anyOf" // more than one may match now
		}
		dst = append(rawjson.AppendString(dst, name), ':')
		dst = t.appendPart(dst, p)
	}
	return append(dst, '}')
}

func (t *translation) appendPart(dst []byte, p part) []byte {
	switch {
	case p.one != nil:
		return t.append(dst, p.one)
	case p.list != nil:
		dst = append(dst, '[')
		for i, s := range p.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.append(dst, s)
		}
		return append(dst, ']')
	case p.named != nil:
		dst = append(dst, '{')
		for i, n := range p.named {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(rawjson.AppendString(dst, n.name), ':')
			dst = t.append(dst, n.schema)
		}
		return append(dst, '}')
	}
	return append(dst, p.text...)
}

// refusesMore reports that a keyword, with something below or beside it left out,
// would refuse what the document accepts.
func (t *translation) refusesMore(s *schema, p part) bool {
	switch p.name {
	case "not":
		return p.one != nil && t.isLoose(p.one)
	case "if", "then", "else":
		condition := s.partNamed("if")
		return condition == nil || t.isLoose(condition.one)
	case "maxContains":
		contains := s.partNamed("contains")
		return contains == nil || t.isLoose(contains.one)
	case "unevaluatedProperties", "unevaluatedItems":
		return t.isLoose(s)
	case "oneOf":
		// Where an anyOf stands here too both can't be one.
		return t.anyLoose(p.list) && s.partNamed("anyOf") != nil
	}
	return false
}

func (s *schema) partNamed(name string) *part {
	i := slices.IndexFunc(s.parts, func(p part) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return &s.parts[i]
}

func (t *translation) anyLoose(list []*schema) bool {
	return slices.ContainsFunc(list, t.isLoose)
}

// isLoose reports that a schema takes more than the document's. What refers to
// itself counts as such where anything at all was left out.
func (t *translation) isLoose(s *schema) bool {
	if s.loose != nil {
		return *s.loose
	}
	loose := s.stub || s.dropped || len(s.refs) > 0 && (t.cut || len(t.notes) > 0)
	s.loose = &loose
	for _, p := range s.parts {
		for _, child := range p.children() {
			if t.isLoose(child) {
				loose = true
			}
		}
	}
	return loose
}
