package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/server/catalog/check"
)

type maker struct{ *rand.Rand }

func (m maker) one(of ...string) string { return of[m.IntN(len(of))] }

// schema makes a schema as JSON, which is YAML.
func (m maker) schema(depth int) string {
	parts := []string{}
	add := func(chance int, part string) {
		if m.IntN(chance) == 0 {
			parts = append(parts, part)
		}
	}
	kind := m.one("string", "integer", "number", "boolean", "object", "array", "null", "any")
	if depth == 0 && (kind == "object" || kind == "array") {
		kind = "string"
	}
	if kind != "any" {
		parts = append(parts, fmt.Sprintf(`"type":%s`, m.one(`"`+kind+`"`, `"`+kind+`"`, `["`+kind+`","null"]`)))
	}
	switch kind {
	case "string":
		add(3, `"enum":[`+m.one(`"a","b"`, `"a"`, `"a","bb","ccc"`)+`]`)
		add(3, fmt.Sprintf(`"minLength":%d`, m.IntN(3)))
		add(3, fmt.Sprintf(`"maxLength":%d`, 1+m.IntN(3)))
		add(6, `"format":"`+m.one("date", "date-time", "uuid", "password")+`"`)
		add(6, `"pattern":"`+m.one("^a", "b$")+`"`)
	case "integer", "number":
		add(3, fmt.Sprintf(`"minimum":%d`, m.IntN(4)))
		add(3, fmt.Sprintf(`"maximum":%d`, 2+m.IntN(4)))
		add(4, fmt.Sprintf(`"exclusiveMinimum":%d`, m.IntN(4)))
		add(4, fmt.Sprintf(`"multipleOf":%s`, m.one("1", "2", "4", "0.5")))
	case "object":
		parts = append(parts, m.members(depth)...)
	case "array":
		add(2, `"items":`+m.schema(depth-1))
		add(3, fmt.Sprintf(`"maxItems":%d`, m.IntN(3)))
		add(3, fmt.Sprintf(`"minItems":%d`, m.IntN(2)))
		add(4, `"uniqueItems":true`)
	case "any":
		if depth > 0 {
			add(2, fmt.Sprintf(`"%s":[%s,%s]`, m.one("anyOf", "oneOf", "allOf"), m.schema(depth-1), m.schema(depth-1)))
			add(8, `"not":`+m.schema(0))
		}
		add(4, `"const":`+m.one(`"a"`, "1", "null"))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m maker) members(depth int) (parts []string) {
	var members, required []string
	for _, name := range []string{"a", "b", "c"} {
		if m.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, m.schema(depth-1)))
		}
		if m.IntN(4) == 0 {
			required = append(required, `"`+name+`"`)
		}
	}
	parts = append(parts, `"properties":{`+strings.Join(members, ",")+"}")
	if len(required) > 0 {
		parts = append(parts, `"required":[`+strings.Join(required, ",")+"]")
	}
	switch m.IntN(4) {
	case 0:
		parts = append(parts, `"additionalProperties":false`)
	case 1:
		parts = append(parts, `"additionalProperties":`+m.schema(0))
	}
	return parts
}

func (m maker) root() string {
	return `{"type":"object",` + strings.Join(m.members(2), ",") + "}"
}

func (m maker) value(depth int) string {
	if depth == 0 || m.IntN(3) > 0 {
		return m.one(`"a"`, `"bb"`, `"ccc"`, `""`, "0", "1", "2", "3", "4", "2.5", "true", "null", `"2026-03-14"`, "[]", "{}", `"2026-03-14T10:00:00Z"`)
	}
	if m.IntN(3) == 0 {
		return "[" + m.value(depth-1) + "," + m.value(depth-1) + "]"
	}
	return m.object(depth)
}

func (m maker) object(depth int) string {
	var members []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if m.IntN(2) == 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, m.value(depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// changed takes some of a schema's keywords from another one.
func (m maker) changed(schema string) string {
	for range 1 + m.IntN(2) {
		switch m.IntN(7) {
		case 0:
			schema = strings.Replace(schema, `"type":"integer"`, `"type":"number"`, 1)
		case 1:
			schema = strings.Replace(schema, `"minLength":`, `"minLength":0`, 1)
		case 2:
			schema = strings.Replace(schema, `"maximum":`, `"maximum":1`, 1)
		case 3:
			schema = strings.Replace(schema, `"enum":["a"]`, `"enum":["a","b"]`, 1)
		case 4:
			schema = strings.Replace(schema, `"additionalProperties":false`, `"additionalProperties":true`, 1)
		case 5:
			schema = strings.Replace(schema, `"required":["a"]`, `"required":["b"]`, 1)
		default:
			schema = strings.Replace(schema, `"type":"string"`, `"type":["string","null"]`, 1)
		}
	}
	return schema
}

// usesNew reports that a call names an argument that is new: where others than
// those declared were allowed it could name it before, and meant nothing by it.
func usesNew(call string, changes []check.Change) bool {
	for _, c := range changes {
		name := c.Field[strings.LastIndexAny(c.Field, ".]")+1:]
		if c.Rule == "argument-added" && strings.Contains(call, `"`+name+`":`) {
			return true
		}
	}
	return false
}

// What is not said to break takes every call that was right before.
func TestACallThatWasRightIsRightWhereNothingBreaks(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(3, 5))}
	harmless, tried := 0, 0
	for range 500 {
		old := m.root()
		now := m.changed(old)
		if m.IntN(4) == 0 {
			now = m.root()
		}
		before, err := arguments.Compile("t", []byte(old))
		if err != nil {
			continue
		}
		after, err := arguments.Compile("t", []byte(now))
		if err != nil {
			continue
		}
		changes := compare(t, schemaOf(old), schemaOf(now))
		if slices.ContainsFunc(changes, func(c check.Change) bool { return c.Breaking }) {
			continue
		}
		harmless++
		for range 60 {
			call := m.object(3)
			if usesNew(call, changes) {
				continue
			}
			if was := before.Check(call); was.Fault != nil || len(was.Coercions) > 0 {
				continue
			}
			tried++
			if is := after.Check(call); is.Fault != nil {
				t.Fatalf("nothing is said to break from\n%s to\n%s: %v, and %s is refused now: %v", old, now, told(changes), call, is.Fault)
			}
		}
	}
	t.Logf("%d harmless changes, %d calls", harmless, tried)
	if harmless < 50 || tried < 300 {
		t.Error("too little was tried")
	}
}
