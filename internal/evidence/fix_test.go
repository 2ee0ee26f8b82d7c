package evidence

import (
	"encoding/json"
	"testing"

	"go.yaml.in/yaml/v3"
)

const invoicesSchema = `{"type":"object","properties":{
  "start_date":{"type":"string","description":"First day."},
  "end":{"anyOf":[{"type":"string"},{"type":"null"}]},
  "due":{"type":"string","format":"date"},
  "limit":{"type":["string","null"],"description":"1 to 50"},
  "status":{"type":"string","description":"One of open, paid or overdue."},
  "sort":{"type":"string","description":"asc | desc"},
  "kind":{"type":"string"},
  "lines":{"type":"array","items":{"type":"object","properties":{"at":{"$ref":"#/$defs/day"}}}}
 },"required":["start_date"],"$defs":{"day":{"type":"string"}}}`

func TestTheLineThatEndsAFailure(t *testing.T) {
	rejected := func(field, expected string) *group {
		return &group{Failure: Failure{Kind: Kind{Tool: "t", Field: field, Code: "bad", Expected: expected, Class: "invalid_request", ClassifiedBy: "provider"}, Count: 9}, bad: 9, sure: 9}
	}
	for _, tc := range []struct {
		name            string
		field, expected string
		change          func(*group)
		ends, path      string
		line            string
	}{
		{
			name: "a date", field: "start_date", expected: "date", ends: EndsBySchema, path: "tools[t].input_schema.properties.start_date",
			line: "start_date: {type: string, description: First day., format: date}",
		},
		{
			name: "a date that coercion mends", field: "start_date", expected: "date", change: func(g *group) { g.Coercible = 8 }, ends: EndsByCoercion,
			path: "tools[t].input_schema.properties.start_date", line: "start_date: {type: string, description: First day., format: date}",
		},
		{
			name: "in a union with null", field: "end", expected: "date", ends: EndsBySchema, path: "tools[t].input_schema.properties.end.anyOf[0]",
			line: "{type: string, format: date}",
		},
		{
			name: "a number where text may be null", field: "limit", expected: "integer", ends: EndsBySchema, path: "tools[t].input_schema.properties.limit",
			line: `limit: {type: [integer, "null"], description: "1 to 50"}`,
		},
		{
			name: "bounds that the description names", field: "limit", expected: "range", ends: EndsBySchema, path: "tools[t].input_schema.properties.limit",
			line: `limit: {type: [number, "null"], description: "1 to 50", minimum: 1, maximum: 50}`,
		},
		{
			name: "a list that the description names", field: "status", expected: "enum", ends: EndsBySchema, path: "tools[t].input_schema.properties.status",
			line: `status: {type: string, description: "One of open, paid or overdue.", enum: [open, paid, overdue]}`,
		},
		{
			name: "a list in bars", field: "sort", expected: "enum", ends: EndsBySchema, path: "tools[t].input_schema.properties.sort",
			line: `sort: {type: string, description: "asc | desc", enum: [asc, desc]}`,
		},
		{
			name: "a list that a rule names", field: "kind", expected: "enum", ends: EndsBySchema, path: "tools[t].input_schema.properties.kind",
			line: "kind: {type: string, enum: [credit, debit]}",
		},
		{
			name: "a list that nobody names", field: "other", expected: "enum", ends: EndsBySchema, path: "tools[t].input_schema.properties.other",
			line: `other: {enum: ["…"]}`,
		},
		{
			name: "an item, through a reference", field: "lines[2].at", expected: "date-time", ends: EndsBySchema, path: "tools[t].input_schema.$defs.day",
			line: "day: {type: string, format: date-time}",
		},
		{
			name: "an argument that must be there", field: "due", expected: "required", ends: EndsBySchema, path: "tools[t].input_schema.required",
			line: "required: [start_date, due]",
		},
		{
			name: "one that the schema asks for already", field: "start_date", expected: "required", change: found, ends: EndsBySurface,
			path: "tools[t].input_schema.properties.start_date", line: `start_date: {type: string, description: "First day. …"}`,
		},
		{
			name: "a form that the schema asks for already", field: "due", expected: "date", change: found, ends: EndsBySurface,
			path: "tools[t].input_schema.properties.due",
			line: `due: {type: string, format: date, description: "YYYY-MM-DD, for example 2026-03-14", examples: ["2026-03-14"]}`,
		},
		{
			name: "a date in another order", field: "kind", expected: "DD.MM.YYYY", ends: EndsBySchema, path: "tools[t].input_schema.properties.kind",
			line: `kind: {type: string, pattern: "^[0-9]{2}\\.[0-9]{2}\\.[0-9]{4}$"}`,
		},
		{
			name: "an argument that is not there", field: "from", expected: "unknown_argument", change: found, ends: EndsBySurface,
			path: "tools[t].input_schema.properties", line: "from: {type: …}",
		},
		{
			name: "an argument that only the schema knows", field: "sort", expected: "unknown_argument", ends: EndsBySchema,
			path: "tools[t].input_schema.properties.sort", line: "# take it out",
		},
		{
			name: "nobody says what, and the name does", field: "end_date", expected: "", ends: EndsBySchema,
			path: "tools[t].input_schema.properties.end_date", line: "end_date: {type: string, format: date}",
		},
		{
			name: "nobody says what, not the name either", field: "kind", expected: "", ends: EndsBySurface,
			path: "tools[t].input_schema.properties.kind", line: `kind: {type: string, description: "…"}`,
		},
		{
			name: "a guess", field: "", expected: "", change: func(g *group) { g.sure, g.Status = 0, 422 }, ends: EndsByRule, path: "tools[t].errors",
			line: "- {when: status == 422, class: invalid_request, field: …, format: …}",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := rejected(tc.field, tc.expected)
			if tc.change != nil {
				tc.change(g)
			}
			fix := fixOf(g, &Surface{Tool: "t", Schema: invoicesSchema, Rules: []Rule{{Field: "kind", Accepted: []string{"credit", "debit"}}}})
			if fix == nil || fix.Ends != tc.ends || fix.Path != tc.path || fix.Line != tc.line || fix.Why == "" {
				t.Fatalf("got %+v", fix)
			}
			if fix.Value == nil {
				return
			}
			checkLine(t, fix)
		})
	}
}

func found(g *group) { g.found, g.Code, g.ClassifiedBy = true, invalidArguments, "gateway" }

// checkLine holds the line, read as YAML, against the value, read as JSON.
func checkLine(t *testing.T, fix *Fix) {
	t.Helper()
	var line, value any
	if err := json.Unmarshal(fix.Value, &value); err != nil {
		t.Fatalf("%s: %v", fix.Value, err)
	}
	if err := yaml.Unmarshal([]byte(fix.Line), &line); err != nil {
		t.Fatalf("%s: %v", fix.Line, err)
	}
	if named, ok := line.(map[string]any); ok && len(named) == 1 {
		for _, inner := range named {
			line = inner
		}
	}
	a, _ := json.Marshal(line)
	b, _ := json.Marshal(value)
	if string(a) != string(b) {
		t.Errorf("the line says %s, the value %s", a, b)
	}
}

func TestAnAnswerThatIsFinalHasNoFix(t *testing.T) {
	g := &group{Failure: Failure{Kind: Kind{Tool: "t", Code: "insufficient_funds", Class: "terminal", ClassifiedBy: "rule"}, Count: 9}, sure: 9}
	if fix := fixOf(g, &Surface{Tool: "t"}); fix != nil {
		t.Errorf("got %+v", fix)
	}
}

func TestWithoutASchemaTheLineIsTheForm(t *testing.T) {
	g := &group{Failure: Failure{Kind: Kind{Tool: "t", Field: "a.start_date", Code: "bad", Expected: "date", Class: "invalid_request"}, Count: 9}, bad: 9, sure: 9}
	fix := fixOf(g, &Surface{Tool: "t"})
	if fix.Line != "start_date: {type: string, format: date}" || fix.Path != "tools[t].input_schema.properties.a.start_date" {
		t.Errorf("got %+v", fix)
	}
}

func TestTheValuesThatADescriptionLists(t *testing.T) {
	for text, want := range map[string]string{
		"One of open, paid or overdue.":        "[open paid overdue]",
		"Either 'asc' or 'desc'":               "[asc desc]",
		"`a`, `b`, or `c`.":                    "[a b c]",
		"low|medium|high":                      "[low medium high]",
		"Sort order: newest, oldest":           "[newest oldest]",
		"Status (open/paid/overdue)":           "[]",
		"The name of the account.":             "[]",
		"Shown to the customer and the clerk.": "[]",
		"":                                     "[]",
	} {
		got := valuesIn(text)
		if s := sprint(got); s != want {
			t.Errorf("%q: got %s, want %s", text, s, want)
		}
	}
}

func TestTheBoundsThatATextNames(t *testing.T) {
	for text, want := range map[string]string{
		"0.01 to 500.00":         "[{minimum 0.01} {maximum 500.00}]",
		"between 1 and 50":       "[{minimum 1} {maximum 50}]",
		"at least 3":             "[{minimum 3}]",
		"more than 0, up to 10":  "[{exclusiveMinimum 0} {maximum 10}]",
		"< 100":                  "[{exclusiveMaximum 100}]",
		">= 5":                   "[{minimum 5}]",
		"How many rows to show.": "[]",
	} {
		if s := sprint(boundsIn(text)); s != want {
			t.Errorf("%q: got %s, want %s", text, s, want)
		}
	}
}
