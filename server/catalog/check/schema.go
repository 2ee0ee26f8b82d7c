package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"toolgate.dev/toolgate/server/catalog"
)

// form is one part of a JSON Schema with the whole that it refers into.
type form struct {
	root  map[string]any
	parts map[string]any
	never bool // the schema false
}

// schemas compares the input schemas of a tool.
func (p *pair) schemas() {
	old, oldOK := wholeOf(p.old)
	now, nowOK := wholeOf(p.now)
	if !oldOK || !nowOK {
		p.add(schemaChanged, "", "a schema can't be read", "input_schema")
		return
	}
	d := &differ{pair: p, active: map[string]bool{}}
	d.compare(place{}, old, now)
}

// wholeOf is the schema that serves: none, and one that does not compile, accept
// any object.
func wholeOf(entry catalog.Entry) (form, bool) {
	if entry.Tool.Unvalidated || entry.Written.GetInputSchema() == "" {
		any := map[string]any{"type": "object"}
		return form{root: any, parts: any}, true
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(entry.Written.GetInputSchema())))
	decoder.UseNumber()
	var root map[string]any
	if err := decoder.Decode(&root); err != nil {
		return form{}, false
	}
	// Arguments are an object whatever the schema says.
	parts := maps.Clone(root)
	parts["type"] = "object"
	return form{root: root, parts: parts}, true
}

// at is a part of a part; a form that accepts anything where there is none.
func (f form) at(value any) form {
	switch value := value.(type) {
	case map[string]any:
		return form{root: f.root, parts: value}.resolved()
	case bool:
		return form{root: f.root, parts: map[string]any{}, never: !value}
	}
	return form{root: f.root, parts: map[string]any{}}
}

// resolved puts what $ref names in its place; what stands beside it wins.
func (f form) resolved() form {
	for range maxReferences {
		ref, ok := f.parts["$ref"].(string)
		if !ok {
			return f
		}
		target, found := f.find(ref)
		if !found {
			return f
		}
		joined := map[string]any{}
		maps.Copy(joined, target)
		for name, part := range f.parts {
			if name != "$ref" {
				joined[name] = part
			}
		}
		f.parts = joined
	}
	return f
}

// maxReferences bounds references that lead to references.
const maxReferences = 16

// find follows a reference within the document: #, #/…, or #anchor.
func (f form) find(ref string) (map[string]any, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if fragment != "" && fragment[0] != '/' {
		return anchored(f.root, fragment)
	}
	var at any = f.root
	for step := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if step == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	object, ok := at.(map[string]any)
	return object, ok
}

func anchored(within any, name string) (map[string]any, bool) {
	switch within := within.(type) {
	case map[string]any:
		if within["$anchor"] == name {
			return within, true
		}
		for _, part := range within {
			if found, ok := anchored(part, name); ok {
				return found, true
			}
		}
	case []any:
		for _, part := range within {
			if found, ok := anchored(part, name); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// member is the schema of a property: its own, else that of all others.
func (f form) member(name string) (form, bool) {
	if own, ok := f.properties()[name]; ok {
		return f.at(own), true
	}
	return form{}, false
}

func (f form) properties() map[string]any {
	object, _ := f.parts["properties"].(map[string]any)
	return object
}

func (f form) list(keyword string) []any {
	list, _ := f.parts[keyword].([]any)
	return list
}

func (f form) has(keyword string) bool {
	_, found := f.parts[keyword]
	return found
}

// text is a part as canonical JSON; equal parts have equal texts.
func text(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) //nolint:errchkjson // what was decoded can be encoded
	return strings.TrimSpace(out.String())
}

// place is where in a schema something stands, as people and as the file name it.
type place struct {
	field string // a.b[].c
	steps []any  // below input_schema
}

func (p place) property(name string) place {
	return place{field: strings.TrimPrefix(p.field+"."+name, "."), steps: append(append([]any{}, p.steps...), "properties", name)}
}

func (p place) items() place {
	return place{field: p.field + "[]", steps: append(append([]any{}, p.steps...), "items")}
}

func (p place) below(steps ...any) place {
	return place{field: p.field, steps: append(append([]any{}, p.steps...), steps...)}
}
