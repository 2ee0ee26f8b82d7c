package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/server/catalog"
)

// Report is what is to be said of one file.
type Report struct {
	File     string
	Findings []Finding // in the order of the file
	Excused  []Finding // those that a toolgate:ignore comment covers
	Waits    []Wait    // by tool, in the order of the file
	Tools    int

	document *document
	masks    map[int][]Place // by line: what is not shown
}

// Check reads a catalogue's text, and asks no server that it names. Options are those of catalog.Parse; see
// catalog.Alone for a file that is not to be served here. The error means that
// nothing could be read, for a reason that is not in the text.
func Check(name string, data []byte, options ...catalog.Option) (*Report, error) {
	reading, err := catalog.Read(name, data, append(slices.Clip(options), catalog.WithOffline())...)
	if err != nil {
		return nil, err
	}
	if reading.Catalog != nil {
		defer reading.Catalog.Close()
	}
	compiler, err := expression.New()
	if err != nil {
		return nil, err
	}
	c := &checker{
		reading: reading, compiler: compiler, doc: newDocument(reading.Text, reading.Root),
		seen: map[string]bool{}, masks: map[int][]Place{},
	}
	c.run()
	return c.report(), nil
}

// checker collects the findings of one file.
type checker struct {
	reading  *catalog.Reading
	compiler *expression.Compiler
	doc      *document
	tools    []*tool
	findings []Finding
	waits    []Wait
	seen     map[string]bool // findings, by rule and place: an alias shows one place twice
	masks    map[int][]Place
}

// tool is one tool of the file.
type tool struct {
	catalog.Entry

	at     spot
	schema *schema
	name   name
}

func (c *checker) run() {
	for _, entry := range c.reading.Entries {
		at := c.doc.root.at("tools", entry.Index)
		c.tools = append(c.tools, &tool{Entry: entry, at: at, schema: c.schemaOf(at.at("input_schema")), name: newName(entry.Written.GetName())})
	}
	c.problems()
	c.secrets()
	c.upstreams()
	c.names()
	c.imports()
	for _, t := range c.tools {
		c.describes(t)
		c.effects(t)
		c.shape(t)
		c.surface(t)
		c.conditions(t)
		c.expressions(t)
		c.verification(t)
		c.time(t)
	}
}

// add reports a finding, each place once.
func (c *checker) add(rule string, place Place, message, fix string) *Finding {
	key := fmt.Sprintf("%s %d:%d", rule, place.Line, place.Column)
	if rule == importIncomplete || rule == importVague { // the tools of an import have one place
		key += " " + message
	}
	if c.seen[key] {
		return &Finding{}
	}
	c.seen[key] = true
	about := ruleOf(rule)
	c.findings = append(c.findings, Finding{
		Rule: rule, Severity: about.Severity, File: c.reading.Name, Place: place, Message: message, Why: about.Why, Fix: fix,
	})
	return &c.findings[len(c.findings)-1]
}

func (c *checker) report() *Report {
	r := &Report{File: c.reading.Name, Waits: c.waits, Tools: len(c.tools), document: c.doc, masks: c.masks}
	for _, document := range c.reading.Imports {
		r.Tools += len(document.Tools)
	}
	c.excuse()
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column), strings.Compare(a.Rule, b.Rule))
	})
	for _, f := range c.findings {
		if f.Excuse != "" {
			r.Excused = append(r.Excused, f)
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// problems takes over what loading found.
func (c *checker) problems() {
	literals := c.literalSecrets()
	for _, p := range c.reading.Problems {
		place := Place{Line: max(1, p.Line), Column: max(1, p.Column), Path: p.Path}
		place.EndColumn = place.Column + 1
		rule, fix := refused, p.Accepted
		if literal, ok := literals[[2]int{p.Line, p.Column}]; ok {
			rule, place = secretInFile, literal
		}
		switch {
		case p.Suggestion != "":
			fix = "did you mean " + p.Suggestion + "?"
		case fix != "":
			fix = "accepted: " + fix
		}
		c.add(rule, place, p.Message, fix)
	}
	for _, w := range c.reading.Warnings {
		rule := schemaInvalid
		if ofImport(w.Path) {
			rule = importIncomplete
		}
		c.addNoted(rule, w)
	}
	for _, n := range c.reading.Notes {
		c.addNoted(importVague, n)
	}
}

// addNoted reports what loading says and refuses nothing for.
func (c *checker) addNoted(rule string, p catalog.Problem) {
	place := Place{Line: max(1, p.Line), Column: max(1, p.Column), EndColumn: max(1, p.Column) + 1, Path: p.Path}
	fix := p.Accepted
	if p.Suggestion != "" {
		fix = "did you mean " + p.Suggestion + "?"
	}
	c.add(rule, place, p.Message, fix)
}

// ofImport reports that a place is in what takes tools from elsewhere.
func ofImport(path string) bool {
	kind, _, listed := strings.Cut(path, "[")
	return listed && (kind == "openapi" || kind == "grpc" || kind == "mcp") && !strings.HasSuffix(path, ".input_schema")
}

// unread reports that a field of a tool could not be read, or that a misspelt
// key may have been meant as it: what it says is not known.
func (c *checker) unread(t *tool, fields ...string) bool {
	for _, p := range c.reading.Problems {
		for _, field := range fields {
			own := t.at.path + "." + field
			if p.Path == own || strings.HasPrefix(p.Path, own+".") || strings.HasPrefix(p.Path, own+"[") || p.Path == t.at.path && p.Suggestion == field {
				return true
			}
		}
	}
	return false
}

// refusedBelow reports that something under a key of the file could not be read.
func (c *checker) refusedBelow(key string) bool {
	for _, p := range c.reading.Problems {
		if p.Path == key || strings.HasPrefix(p.Path, key+".") || strings.HasPrefix(p.Path, key+"[") || p.Path == "" {
			return true
		}
	}
	return false
}

// toolNamed is nil where there is none.
func (c *checker) toolNamed(name string) *tool {
	for _, t := range c.tools {
		if t.Written.GetName() == name {
			return t
		}
	}
	return nil
}

// closed reports that callers can name no other arguments than those that the
// schema declares.
func (t *tool) closed() bool { return t.schema != nil && t.schema.closed() && !t.Tool.Unvalidated }
