package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestASchemaOf30BecomesJSONSchema(t *testing.T) {
	for name, c := range map[string]struct{ written, want string }{
		"nullable":                     {`{type: string, nullable: true}`, `{"type":["string","null"]}`},
		"nullable, one of some values": {`{type: string, nullable: true, enum: [x, y]}`, `{"type":["string","null"],"enum":["x","y",null]}`},
		"nullable beside a reference":  {`{nullable: true, allOf: [{$ref: "#/components/schemas/Name"}]}`, `{"type":["string","null"],"description":"A name","maxLength":9}`},
		"nullable beside a union":      {`{nullable: true, anyOf: [{type: string}, {type: integer}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`},
		"an exclusive bound":           {`{type: integer, minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: false}`, `{"type":"integer","maximum":10,"exclusiveMinimum":0}`},
		"an example":                   {`{type: string, example: abc}`, `{"type":"string","examples":["abc"]}`},
		"a reference":                  {`{$ref: "#/components/schemas/Name"}`, `{"type":"string","description":"A name","maxLength":9}`},
		"words beside a reference":     {`{$ref: "#/components/schemas/Name", description: Whose}`, `{"type":"string","description":"Whose","maxLength":9}`},
		"a default, digit for digit":   {`{type: number, default: 1.50, multipleOf: 0.10}`, `{"type":"number","default":1.50,"multipleOf":0.10}`},
		"a type that is none":          {`{type: float, minimum: 1e2}`, `{"type":"number","minimum":1e2}`},
		"an unknown type":              {`{type: any, description: Whatever}`, `{"description":"Whatever"}`},
		"a keyword of a wrong form":    {`{type: string, minLength: "3", required: true, maxLength: 5}`, `{"type":"string","maxLength":5}`},
		"a secret word":                {`{type: string, format: password, writeOnly: true}`, `{"type":"string","format":"password"}`},
		"an object":                    {`{type: object, required: [x], properties: {x: {type: boolean}, y: {}}}`, `{"type":"object","properties":{"x":{"type":"boolean"},"y":{}},"required":["x"]}`},
		"what is only read":            {`{type: object, required: [id, x], properties: {id: {type: string, readOnly: true}, x: {type: string}}}`, `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`},
		"a map":                        {`{type: object, additionalProperties: {type: integer}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`},
		"a closed object":              {`{type: object, properties: {x: {}}, additionalProperties: false}`, `{"type":"object","properties":{"x":{}},"additionalProperties":false}`},
		"a list":                       {`{type: array, items: {type: string}, minItems: 1, uniqueItems: true}`, `{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string"}}`},
		"joined objects": {
			`{allOf: [{type: object, properties: {x: {type: string}}, required: [x]}, {properties: {y: {type: integer}, x: {maxLength: 3}}}]}`,
			`{"type":"object","properties":{"x":{"type":"string","maxLength":3},"y":{"type":"integer"}},"required":["x"]}`,
		},
		"joined types":   {`{allOf: [{type: number}, {type: integer}]}`, `{"type":"integer"}`},
		"joined values":  {`{allOf: [{enum: [a, b, c]}, {enum: [b, c, d]}]}`, `{"enum":["b","c"]}`},
		"unions, joined": {`{allOf: [{oneOf: [{type: string}]}, {oneOf: [{maxLength: 3}]}]}`, `{"oneOf":[{"type":"string"}],"allOf":[{"oneOf":[{"maxLength":3}]}]}`},
		"a union told apart": {
			`{oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}], discriminator: {propertyName: kind, mapping: {kitten: "#/components/schemas/Cat", cat: Cat}}}`,
			`{"oneOf":[{"type":"object","properties":{"kind":{"type":"string","enum":["kitten","cat"]},"lives":{"type":"integer"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","enum":["Dog"]}},"required":["kind"]}]}`,
		},
	} {
		const schemas = `Name: {type: string, description: A name, maxLength: 9},
			Cat: {type: object, properties: {kind: {type: string}, lives: {type: integer}}}, Dog: {type: object, properties: {kind: {type: string}}, required: [kind]}`
		same(t, name, member(t, "3.0.3", strings.ReplaceAll(schemas, "\t", ""), c.written), c.want)
	}
}

func TestASchemaOf31IsKept(t *testing.T) {
	for name, c := range map[string]struct{ written, want string }{
		"types":                   {`{type: [string, "null"]}`, `{"type":["string","null"]}`},
		"an exclusive bound":      {`{type: number, exclusiveMinimum: 0.5}`, `{"type":"number","exclusiveMinimum":0.5}`},
		"one value":               {`{const: x}`, `{"enum":["x"]}`},
		"a tuple":                 {`{type: array, prefixItems: [{type: string}, {type: integer}], items: false}`, `{"type":"array","items":{"not":{}},"prefixItems":[{"type":"string"},{"type":"integer"}]}`},
		"a condition":             {`{if: {required: [x]}, then: {required: [y]}}`, `{"if":{"required":["x"]},"then":{"required":["y"]}}`},
		"a negation":              {`{not: {type: string}}`, `{"not":{"type":"string"}}`},
		"names by pattern":        {`{type: object, patternProperties: {"^x": {type: string}}}`, `{"type":"object","patternProperties":{"^x":{"type":"string"}}}`},
		"words of a reference":    {`{$ref: "#/components/schemas/Name", maxLength: 3}`, `{"type":"string","maxLength":3}`},
		"examples":                {`{type: integer, examples: [7, 8]}`, `{"type":"integer","examples":[7]}`},
		"anything":                {`true`, `{}`},
		"a value or null":         {`{anyOf: [{type: string, maxLength: 3}, {type: "null"}], default: null}`, `{"type":["string","null"],"default":null,"maxLength":3}`},
		"a reference or null":     {`{description: Whose, oneOf: [{type: "null"}, {$ref: "#/components/schemas/Name"}]}`, `{"type":["string","null"],"description":"Whose"}`},
		"a union or null":         {`{anyOf: [{anyOf: [{type: string}, {type: integer}]}, {type: "null"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`},
		"a name as its title":     {`{type: string, title: Name}`, `{"type":"string"}`},
		"a title":                 {`{type: string, title: The name}`, `{"type":"string","description":"The name"}`},
		"what needs what":         {`{dependentRequired: {x: [y]}}`, `{"dependentRequired":{"x":["y"]}}`},
		"a dynamic reference":     {`{type: object, $dynamicRef: "#x"}`, `{"type":"object"}`},
		"no nullable":             {`{type: string}`, `{"type":"string"}`},
		"a reference to nowhere":  {`{type: string, $ref: "#/components/schemas/None"}`, `{"type":"string"}`},
		"a reference outside":     {`{$ref: "https://example.com/s.json"}`, `{}`},
		"a reference to a parent": {`{$ref: "../s.json"}`, `{}`},
	} {
		same(t, name, member(t, "3.1.0", `Name: {type: string}`, c.written), c.want)
	}
}

func TestASchemaThatHoldsItselfIsDefined(t *testing.T) {
	text := `
openapi: 3.0.3
components:
  schemas:
    Node: {type: object, properties: {name: {type: string}, below: {type: array, items: {$ref: "#/components/schemas/Node"}}}}
paths:
  /trees: {put: {operationId: put_tree, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}}}}
`
	schema := only(t, read(t, text)).Tool.InputSchema
	same(t, "the argument", propertyOf(t, schema, "below"), `{"type":"array","items":{"$ref":"#/$defs/Node"}}`)
	if !strings.Contains(schema, `"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}`) {
		t.Error(schema)
	}
}

// What goes in circles at one place says nothing, and must not be followed.
func TestASchemaThatIsItselfIsAnything(t *testing.T) {
	const schemas = `A: {$ref: "#/components/schemas/B"}, B: {allOf: [{$ref: "#/components/schemas/A"}, {type: object, properties: {x: {type: string}}}]},
C: {oneOf: [{$ref: "#/components/schemas/C"}, {type: string}]}`
	same(t, "references", member(t, "3.0.3", schemas, `{$ref: "#/components/schemas/A"}`), `{"type":"object","properties":{"x":{"type":"string"}}}`)
	same(t, "a union", member(t, "3.0.3", schemas, `{$ref: "#/components/schemas/C"}`), `{"anyOf":[{},{"type":"string"}]}`)
}

// wide is a schema with far more in it than anybody wants to read.
func wide() string {
	var text strings.Builder
	text.WriteString(`{"type":"object","required":["first"],"properties":{"first":{"type":"string","enum":["a","b"]}`)
	for i := range 60 {
		fmt.Fprintf(&text, `,"part%d":{"type":"object","description":"%s","properties":{"a":{"type":"string","enum":["%s"]},"b":{"oneOf":[{"type":"object","properties":{"x":{"type":"string","description":"%s"}}},{"type":"object","properties":{"y":{"type":"string"}}}]}}}`,
			i, strings.Repeat("word ", 80), strings.Repeat("v", 50), strings.Repeat("more ", 50))
	}
	return text.String() + "}}"
}

func TestALargeSchemaIsCutToTheLimit(t *testing.T) {
	text := `{"openapi":"3.0.3","paths":{"/x":{"post":{"operationId":"x","requestBody":{"required":true,"content":{"application/json":{"schema":` + wide() + `}}}}}}}`
	d := read(t, text)
	for _, limit := range []int{512, 3000, 8192, 20_000, 1 << 20} {
		found := describeAll(t, d, Settings{MaxSchemaBytes: limit}).Tools[0]
		schema := found.Tool.InputSchema
		if !json.Valid([]byte(schema)) || found.Cut != (limit < 1<<20) {
			t.Errorf("limit %d: cut %v, %s", limit, found.Cut, schema)
		}
		if len(schema) > limit && limit >= 8192 {
			t.Errorf("%d bytes, limit %d", len(schema), limit)
		}
		if limit < 3000 { // the names alone are more than that
			continue
		}
		same(t, "what is required comes first", propertyOf(t, schema, "first"), `{"type":"string","enum":["a","b"]}`)
		for i := range 60 {
			if !strings.Contains(schema, fmt.Sprintf(`"part%d":{"type":"object"`, i)) {
				t.Errorf("limit %d: part%d is gone", limit, i)
			}
		}
	}
}

// Whatever is cut must only ever make a schema take more.
func TestACutSchemaRefusesNothingMore(t *testing.T) {
	long := `{"type":"string","enum":["` + strings.Repeat("v", 900) + `"]}`
	for name, c := range map[string]struct{ written, want string }{
		"oneOf":                 {`{"oneOf":[{"type":"integer"},` + long + `]}`, `{"anyOf":[{"type":"integer"},{"type":"string"}]}`},
		"not":                   {`{"type":"string","not":` + long + `}`, `{"type":"string"}`},
		"if":                    {`{"if":` + long + `,"then":{"type":"integer"},"else":{"type":"boolean"}}`, `{}`},
		"contains":              {`{"type":"array","contains":` + long + `,"maxContains":2}`, `{"type":"array","contains":{"type":"string"}}`},
		"unevaluatedProperties": {`{"type":"object","properties":{"x":` + long + `},"unevaluatedProperties":false}`, `{"type":"object","properties":{"x":{"type":"string"}}}`},
	} {
		text := `{"openapi":"3.1.0","paths":{"/x":{"post":{"operationId":"x","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"a":` + c.written + `}}}}}}}}}`
		found := describeAll(t, read(t, text), Settings{MaxSchemaBytes: 512}).Tools[0]
		same(t, name, propertyOf(t, found.Tool.InputSchema, "a"), c.want)
	}
}

func TestASchemaThatMayHoldItselfOrNullIsDefined(t *testing.T) {
	text := `
openapi: 3.1.0
components:
  schemas:
    Node: {type: object, properties: {parent: {anyOf: [{$ref: "#/components/schemas/Node"}, {type: "null"}]}}}
paths:
  /trees: {put: {operationId: put_tree, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}}}}
`
	schema := only(t, read(t, text)).Tool.InputSchema
	const parent = `{"anyOf":[{"$ref":"#/$defs/Node"},{"type":"null"}]}`
	same(t, "the argument", propertyOf(t, schema, "parent"), parent)
	if !strings.Contains(schema, `"$defs":{"Node":{"type":"object","properties":{"parent":`+parent+`}}}`) {
		t.Error(schema)
	}
}
