package evidence

import (
	"encoding/json"
	"fmt"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// What a change would do about a failure.
const (
	EndsByCoercion = "coercion" // the gateway brings the values into the form that is expected
	EndsBySchema   = "schema"   // the model is told, and the gateway refuses before the tool is asked
	EndsBySurface  = "surface"  // the schema says so already; its words should, too
	EndsByRule     = "rule"     // an error rule says what the status only hints at
)

// Fix is one change of the catalogue.
type Fix struct {
	Ends string `json:"ends"`
	Path string `json:"path"` // tools[NAME].input_schema.properties.start_date
	Line string `json:"line"` // what to write there, as YAML
	Was  string `json:"was,omitempty"`
	// File and FileLine are where that stands, where the file is known.
	File     string `json:"file,omitempty"`
	FileLine int    `json:"file_line,omitempty"`
	// Value is what Line says, as JSON, without its name.
	Value json.RawMessage `json:"value,omitempty"`
	// Incomplete says that Line holds a place to fill in: …
	Incomplete bool   `json:"incomplete,omitempty"`
	Why        string `json:"why"`
	// Of the calls, how many would have been sent in the form that is expected,
	// how many refused before the tool is asked.
	Coerced uint64 `json:"coerced,omitempty"`
	Refused uint64 `json:"refused,omitempty"`
}

const inputSchema = "input_schema"

// gap stands where a person has to fill in.
const gap = "…"

// change is a fix in the making.
type change struct {
	surface *Surface
	failure *group
	at      spot
}

// fixOf proposes the change that would end a failure; nil where none is known.
func fixOf(failure *group, surface *Surface) *Fix {
	c := &change{surface: surface, failure: failure}
	switch {
	case failure.onlyGuessed():
		return c.rule()
	case !failure.rejectsArguments() || failure.Field == "":
		return nil
	}
	at, found := find([]byte(surface.Schema), failure.Field)
	if !found {
		tokens := fieldTokens(failure.Field)
		at = spot{path: ".properties." + failure.Field, name: tokens[len(tokens)-1]}
	}
	c.at = at
	switch failure.Expected {
	case ExpectedUnknown:
		return c.unknownArgument()
	case ExpectedRequired:
		return c.required()
	case ExpectedEnum:
		return c.list()
	case ExpectedRange:
		return c.span()
	}
	if f, known := formOf(failure.Expected); known {
		return c.form(f)
	}
	if f, known := formNamed(at.name); known && at.isFree() && !failure.found {
		fix := c.property(f.keywords, EndsBySchema)
		fix.Why = fmt.Sprintf("nobody says what the tool wants here; by its name %s: check it", f.written)
		return fix
	}
	return c.words("what the tool takes here")
}

// form has the schema say a form.
func (c *change) form(f form) *Fix {
	if hasAll(c.at.value, f.keywords) || c.failure.found {
		return c.describe(f)
	}
	fix := c.property(f.keywords, EndsBySchema)
	fix.Coerced, fix.Refused = c.failure.Coercible, c.failure.Refusable
	if fix.Coerced > 0 {
		fix.Ends = EndsByCoercion
	}
	fix.Why = fmt.Sprintf("the tool wants %s and its schema does not say so", f.written)
	return fix
}

// list has the schema list what is accepted.
func (c *change) list() *Fix {
	if _, listed := rawjson.Get(c.at.value, "enum"); listed {
		return c.words("each value, and when it applies")
	}
	values := c.surface.values(c.failure.Field, c.failure.Code)
	if values == nil {
		values = valuesIn(c.at.describes())
	}
	incomplete := values == nil
	if incomplete {
		values = []string{gap}
	}
	fix := c.property([]keyword{{"enum", listOf(values)}}, EndsBySchema)
	fix.Why = "the tool takes only listed values and its schema does not list them"
	if fix.Incomplete = incomplete; incomplete {
		fix.Why += "; the observation of a failed call does: toolgate call " + c.surface.Tool
	}
	if fix.Coerced, fix.Refused = c.failure.Coercible, c.failure.Refusable; fix.Coerced > 0 {
		fix.Ends = EndsByCoercion
	}
	return fix
}

// listOf writes texts as a JSON list.
func listOf(texts []string) string {
	list := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			list = append(list, ',')
		}
		list = rawjson.AppendString(list, text)
	}
	return string(append(list, ']'))
}

// span has the schema name its bounds.
func (c *change) span() *Fix {
	bounds := boundsIn(c.surface.span(c.failure.Field, c.failure.Code))
	if bounds == nil {
		bounds = boundsIn(c.at.describes())
	}
	if hasAll(c.at.value, bounds) && bounds != nil || c.failure.found {
		return c.words("which numbers are accepted")
	}
	incomplete := bounds == nil
	if incomplete {
		bounds = []keyword{{"minimum", `"` + gap + `"`}, {"maximum", `"` + gap + `"`}}
	}
	if text, _ := rawjson.Get(c.at.value, "type"); strings.Contains(string(text), "string") {
		bounds = append([]keyword{{"type", `"number"`}}, bounds...) // text has no bounds
	}
	fix := c.property(bounds, EndsBySchema)
	fix.Incomplete = incomplete
	fix.Why = "the tool takes only numbers within bounds and its schema does not name them"
	return fix
}

// required adds the argument to those that must be there.
func (c *change) required() *Fix {
	names, _ := rawjson.Get(c.at.holder.value, "required")
	all := []string{}
	for item := range rawjson.Items(names) {
		name := rawjson.Text(item)
		if name == c.at.name {
			return c.words("that it must be there, and where its value comes from")
		}
		all = append(all, name)
	}
	fix := c.place(c.at.holder.path+".required", "required", []byte(listOf(append(all, c.at.name))), EndsBySchema)
	if len(names) > 0 {
		fix.Was = "required: " + flow(names)
	}
	fix.Refused = c.failure.Count
	fix.Why = fmt.Sprintf("the tool refuses calls without %s and its schema lets them pass", c.at.name)
	return fix
}

// unknownArgument says that an argument is not there, or how it is called.
func (c *change) unknownArgument() *Fix {
	if c.at.value != nil {
		fix := c.place(c.at.path, "", nil, EndsBySchema)
		fix.Line, fix.Was = "# take it out", c.at.name+": "+flow(c.at.value)
		fix.Why = "the schema declares an argument that the tool does not know"
		return fix
	}
	fix := c.place(c.at.holder.path+".properties", "", nil, EndsBySurface)
	fix.Line, fix.Incomplete = c.at.name+": {type: "+gap+"}", true
	fix.Why = fmt.Sprintf("models call an argument %s that is not there: name the one that they mean so, or say in its description how it is called", c.at.name)
	return fix
}

// describe says in words what the schema says already.
func (c *change) describe(f form) *Fix {
	words := f.written + ", for example " + strings.Trim(f.example, `"`)
	keywords := []keyword{{"description", string(rawjson.AppendString(nil, joinSentences(c.at.describes(), words)))}}
	if _, given := rawjson.Get(c.at.value, "examples"); !given {
		keywords = append(keywords, keyword{"examples", "[" + f.example + "]"})
	}
	fix := c.property(keywords, EndsBySurface)
	fix.Why = fmt.Sprintf("the schema asks for %s and models send something else: say it where they read it", f.written)
	return fix
}

// words asks for a description that says what.
func (c *change) words(what string) *Fix {
	text := joinSentences(c.at.describes(), gap)
	fix := c.property([]keyword{{"description", string(rawjson.AppendString(nil, text))}}, EndsBySurface)
	fix.Incomplete = true
	fix.Why = "models don't know from the schema: say in the description " + what
	return fix
}

func joinSentences(said, more string) string {
	if said == "" {
		return more
	}
	return strings.TrimRight(said, ". ") + ". " + more
}

// property writes the property anew, with keywords.
func (c *change) property(keywords []keyword, ends string) *Fix {
	fix := c.place(c.at.path, c.at.name, with(c.at.value, keywords), ends)
	if c.at.value != nil {
		fix.Was = lineOf(c.at.name, c.at.value)
	}
	return fix
}

func (c *change) place(path, name string, value []byte, ends string) *Fix {
	fix := &Fix{Ends: ends, Path: "tools[" + c.surface.Tool + "]." + inputSchema + path, Value: value}
	if value != nil {
		fix.Line = lineOf(name, value)
	}
	return fix
}

func lineOf(name string, value []byte) string {
	if name == "" {
		return flow(value)
	}
	return scalar(name) + ": " + flow(value)
}

// rule says what the status only hints at.
func (c *change) rule() *Fix {
	status := c.failure.Status
	line := fmt.Sprintf("- {when: status == %d, class: %s, code: %s}", status, c.failure.Class, gap)
	if c.failure.Class == "invalid_request" {
		line = fmt.Sprintf("- {when: status == %d, class: invalid_request, field: %s, format: %s}", status, gap, gap)
	}
	return &Fix{
		Ends: EndsByRule, Path: "tools[" + c.surface.Tool + "].errors", Line: line, Incomplete: true,
		Why: fmt.Sprintf("nothing but the status %d speaks for the class: a guess", status),
	}
}
