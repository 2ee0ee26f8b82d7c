package lint

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/arguments"
)

// shape holds a tool's schema against itself and against the request.
func (c *checker) shape(t *tool) {
	if !c.unread(t, "http", "input_schema") && !t.Tool.Unvalidated {
		c.request(t)
	}
	if t.schema == nil || c.unread(t, "input_schema") || t.Tool.Unvalidated {
		return
	}
	c.required(t)
	for p := range t.schema.properties {
		c.format(p)
		c.examples(t, p)
	}
	c.confusedArguments(t)
}

var variable = regexp.MustCompile(`\{([^{}]*)\}`)

// request finds arguments that the request needs and the schema does not demand,
// or does not declare.
func (c *checker) request(t *tool) {
	url := t.at.at("http", "url")
	path, _, _ := strings.Cut(url.text(), "?")
	if t.schema == nil {
		if names := variable.FindStringSubmatch(url.text()); names != nil {
			c.add(undeclaredArguments, c.doc.content(url), fmt.Sprintf("the URL needs %s, and the tool has no input_schema", names[0]),
				fmt.Sprintf("input_schema: {type: object, properties: {%s: {type: string}}, required: [%s]}", names[1], names[1]))
		}
		return
	}
	if t.schema.combines() {
		return
	}
	for _, name := range variable.FindAllStringSubmatch(path, -1) {
		if slices.Contains(t.schema.requires(), name[1]) || !t.schema.declares(name[1]) || t.schema.at.at("properties").child(name[1]).at("default").exists() {
			continue
		}
		f := c.add(optionalInURL, c.doc.content(url), fmt.Sprintf("the URL needs %s, and callers may leave it out", name[0]), fmt.Sprintf("required: [%s]", quoteYAML(name[1])))
		if !t.schema.inText {
			f.Edits, f.Sure = c.doc.addItem(t.schema.at.at("required"), t.schema.at.at("type"), "required", name[1]), true
		}
	}
}

// required finds demands that a schema makes and forbids to meet.
func (c *checker) required(t *tool) {
	if !t.schema.closed() {
		return
	}
	for item := range t.schema.at.at("required").items {
		if !t.schema.declares(item.text()) {
			c.add(requiredUndeclared, c.doc.content(item), fmt.Sprintf("%q is required, and no property of that name is allowed", item.text()), accepts(t))
		}
	}
}

// annotations are formats that OpenAPI knows and JSON Schema does not check:
// whoever writes them knows that.
var annotations = setOf("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float double decimal decimal128 password binary byte")

// meantFormats are names that people write for another.
var meantFormats = map[string]string{
	"datetime": "date-time", "timestamp": "date-time", "iso8601": "date-time", "iso-8601": "date-time", "rfc3339": "date-time", "iso-date": "date", "isodate": "date",
	"url": "uri", "ip": "ipv4", "guid": "uuid", "e-mail": "email", "mail": "email", "domain": "hostname", "host": "hostname", "regexp": "regex", "yyyy-mm-dd": "date",
}

// format finds a format that was meant as one that is known.
func (c *checker) format(p *property) {
	at := p.form.at("format")
	name := at.text()
	known := arguments.Formats()
	if name == "" || annotations[name] || slices.Contains(known, name) {
		return
	}
	meant := meantFormats[strings.ToLower(strings.NewReplacer("_", "-", " ", "-").Replace(name))]
	if meant == "" {
		meant = first(arguments.Nearest(strings.ToLower(name), known, 1))
		if distance(strings.ToLower(name), meant) > 2 {
			return // a format of somebody's own
		}
	}
	f := c.add(unknownFormat, c.doc.content(at), fmt.Sprintf("nobody knows the format %q", name), "format: "+meant)
	f.Edits = c.doc.replaceValue(at, meant)
}

// examples finds values that a schema proposes and refuses.
func (c *checker) examples(t *tool, p *property) {
	form, err := compileProperty(p.at.value, t.schema.at)
	if err != nil {
		return
	}
	for _, keyword := range []string{"default", "example"} {
		if at := p.at.at(keyword); at.exists() {
			c.example(p, at, form)
		}
	}
	for at := range p.at.at("examples").items {
		c.example(p, at, form)
	}
}

func (c *checker) example(p *property, at spot, form *arguments.Schema) {
	value, err := jsonOf(at.value)
	if err != nil || value == "null" {
		return
	}
	checked := form.Check(`{"value":` + value + `}`)
	if checked.Fault == nil && len(checked.Coercions) == 0 {
		return
	}
	message, fix := p.name+" refuses this value", ""
	if checked.Fault != nil && len(checked.Fault.GetViolations()) > 0 {
		v := checked.Fault.GetViolations()[0]
		message += ": it " + v.GetProblem()
		fix = strings.Trim(v.GetFormat()+" "+v.GetRange()+" "+strings.Join(v.GetAccepted(), ", "), " ")
	} else if len(checked.Coercions) > 0 {
		message, fix = fmt.Sprintf("%s takes this value only as %s", p.name, checked.Coercions[0].GetToJson()), checked.Coercions[0].GetToJson()
	}
	c.add(exampleInvalid, c.doc.content(at), message, fix)
}

// compileProperty compiles a schema of an object whose member `value` has the
// property's. What the whole schema defines is known there.
func compileProperty(property *yaml.Node, root spot) (*arguments.Schema, error) {
	text, err := jsonOf(property)
	if err != nil {
		return nil, err
	}
	schema := []byte(`{"type":"object","properties":{"value":` + text + `}`)
	for _, keyword := range []string{"$defs", "definitions", "$schema"} {
		if at := root.at(keyword); at.exists() {
			defined, err := jsonOf(at.value)
			if err != nil {
				return nil, err
			}
			schema = fmt.Appendf(schema, ",%q:%s", keyword, defined)
		}
	}
	return arguments.Compile("", append(schema, '}'))
}

// jsonOf writes a node as JSON. A date is text.
func jsonOf(node *yaml.Node) (string, error) {
	value, err := valueOf(node)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func valueOf(node *yaml.Node) (any, error) {
	var err error
	switch {
	case node.Kind == yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content) && err == nil; i += 2 {
			object[node.Content[i].Value], err = valueOf(node.Content[i+1])
		}
		return object, err
	case node.Kind == yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i := range node.Content {
			if list[i], err = valueOf(node.Content[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case node.ShortTag() == "!!timestamp":
		return node.Value, nil
	}
	var scalar any
	err = node.Decode(&scalar)
	return scalar, err
}

// confusedArguments finds arguments that differ in nothing that a model sees.
func (c *checker) confusedArguments(t *tool) {
	seen := map[string]spot{}
	for argument := range t.schema.at.at("properties").members {
		folded := strings.Join(wordsOf(argument.key.Value), "")
		if other, twice := seen[folded]; twice {
			f := c.add(confusingArguments, c.doc.name(argument), fmt.Sprintf("%s and %s differ in case or separators alone", other.key.Value, argument.key.Value),
				"give one of them a name that says what is different")
			f.Related = &Related{Place: c.doc.name(other), Message: "the other one"}
			continue
		}
		seen[folded] = argument
	}
}
