package lint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is a tool's input_schema as it is written. A nil schema is none.
type schema struct {
	at spot
	// inText: it is JSON text in a scalar. Its parts have the scalar's place.
	inText bool
	all    []*property
}

// property is one argument, or a member of one.
type property struct {
	name  string
	at    spot // with the name as its key
	depth int  // 0: an argument itself
	// form is where the value's form stands: at itself, its items, or the one
	// branch of a union that is not null.
	form spot
	list bool // form is that of the items
}

func (c *checker) schemaOf(at spot) *schema {
	if !at.exists() {
		return nil
	}
	s := &schema{at: at}
	if text, isText := at.word(); isText {
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) == 0 {
			return nil
		}
		s.inText = true
		moveTo(document.Content[0], at.value)
		s.at.value = document.Content[0]
	}
	s.collect(s.at, 0)
	return s
}

// moveTo gives a tree the place of a node, and nothing to edit.
func moveTo(tree, place *yaml.Node) {
	tree.Line, tree.Column, tree.Style = place.Line, place.Column, yaml.LiteralStyle
	for _, part := range tree.Content {
		moveTo(part, place)
	}
}

// maxDepth is how far into a schema it is looked.
const maxDepth = 8

// collect finds the properties, also those of branches, items and definitions.
func (s *schema) collect(at spot, depth int) {
	if depth > maxDepth || !at.exists() {
		return
	}
	for member := range at.at("properties").members {
		p := &property{name: member.key.Value, at: member, depth: depth}
		p.form, p.list = formOf(member)
		s.all = append(s.all, p)
		s.collect(member, depth+1)
	}
	for _, keyword := range []string{"items", "additionalProperties", "if", "then", "else"} {
		s.collect(at.at(keyword), depth+1)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		for branch := range at.at(keyword).items {
			s.collect(branch, depth+1)
		}
	}
	for _, keyword := range []string{"$defs", "definitions", "patternProperties"} {
		for member := range at.at(keyword).members {
			s.collect(member, depth+1)
		}
	}
}

// formOf finds where the form of a value stands.
func formOf(at spot) (form spot, list bool) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var branches []spot
		for branch := range at.at(keyword).items {
			if branch.at("type").text() != "null" {
				branches = append(branches, branch)
			}
		}
		if len(branches) == 1 {
			return branches[0], false
		}
	}
	if items := at.at("items"); items.exists() && slices.Contains(typesOf(at), "array") {
		return items, true
	}
	return at, false
}

// properties yields all of them.
func (s *schema) properties(yield func(*property) bool) {
	if s == nil {
		return
	}
	for _, p := range s.all {
		if !yield(p) {
			return
		}
	}
}

// typesOf lists the types that a schema names.
func typesOf(at spot) (types []string) {
	written := at.at("type")
	if one, ok := written.word(); ok {
		return []string{one}
	}
	for item := range written.items {
		types = append(types, item.text())
	}
	return types
}

// narrowing are the keywords beside which a string is no free one.
var narrowing = []string{
	"enum", "const", "format", "pattern", "contentEncoding", "contentMediaType", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if",
}

// isFree reports that a value may be any text.
func (p *property) isFree() bool {
	types := typesOf(p.form)
	types = slices.DeleteFunc(types, func(name string) bool { return name == "null" })
	if len(types) != 1 || types[0] != "string" {
		return false
	}
	for _, keyword := range narrowing {
		if p.form.at(keyword).exists() {
			return false
		}
	}
	return true
}

// texts are what is said of a property.
func (p *property) texts() string {
	var all []string
	for _, at := range []spot{p.at, p.form} {
		for _, keyword := range []string{"title", "description"} {
			if text := at.at(keyword).text(); text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return strings.Join(all, ". ")
}

// samples are the values that a property's examples and default propose; nil
// where one of them is no text.
func (p *property) samples() (samples []string) {
	for _, at := range []spot{p.at, p.form} {
		for _, keyword := range []string{"default", "example"} {
			if sample := at.at(keyword); sample.exists() && sample.value.Kind == yaml.ScalarNode {
				samples = append(samples, sample.text())
			}
		}
		for sample := range at.at("examples").items {
			if sample.value.Kind != yaml.ScalarNode {
				return nil
			}
			samples = append(samples, sample.text())
		}
		if p.form == p.at {
			break
		}
	}
	return slices.DeleteFunc(samples, func(sample string) bool { return sample == "" })
}

// closed reports that no other arguments are allowed than those declared at the
// top.
func (s *schema) closed() bool {
	return s.at.at("additionalProperties").text() == "false" && !s.combines()
}

// combines reports that arguments may be declared elsewhere.
func (s *schema) combines() bool {
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if s.at.at(keyword).exists() {
			return true
		}
	}
	return false
}

// declares finds an argument by name.
func (s *schema) declares(name string) bool { return s.at.at("properties").child(name).exists() }

// requires lists the arguments that a call must name.
func (s *schema) requires() (names []string) {
	if s == nil {
		return nil
	}
	for item := range s.at.at("required").items {
		names = append(names, item.text())
	}
	return names
}

// child is a member by its exact name.
func (s spot) child(name string) spot {
	for member := range s.members {
		if member.key.Value == name {
			return member
		}
	}
	return spot{}
}

// arguments lists the names at the top.
func (s *schema) arguments() (names []string) {
	if s == nil {
		return nil
	}
	for member := range s.at.at("properties").members {
		names = append(names, member.key.Value)
	}
	return names
}
