package openapi

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"

	"toolgate.dev/toolgate/internal/rawjson"
)

// keywordKind is how a keyword of a schema is read.
type keywordKind int

const (
	unknownKeyword keywordKind = iota
	assertion                  // it is taken over as it stands, or as its twin in draft 2020-12
	oneSchema
	unionOfSchemas
	listOfSchemas
	mapOfSchemas
)

func kindOfKeyword(name string) keywordKind {
	switch name {
	case "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "minContains", "maxContains", "default", "deprecated",
		"dependentRequired", "contentEncoding", "contentMediaType":
		return assertion
	case "items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		return oneSchema
	case "anyOf", "oneOf":
		return unionOfSchemas
	case "prefixItems":
		return listOfSchemas
	case "patternProperties", "dependentSchemas":
		return mapOfSchemas
	}
	return unknownKeyword
}

const maxDefaultBytes = 120

// readAssertion takes over a keyword whose value has the form that it must have.
func (t *translation) readAssertion(f *facts, name string, v value) {
	ok := true
	switch name {
	case "format", "contentEncoding", "contentMediaType":
		ok = v.kind() == rawjson.String && len(v.json) <= maxDefaultBytes
	case "pattern":
		ok = v.kind() == rawjson.String
	case "minimum", "maximum":
		ok = v.kind() == rawjson.Number
	case "exclusiveMinimum", "exclusiveMaximum":
		t.readExclusive(f, name, v)
		return
	case "multipleOf":
		ok = v.kind() == rawjson.Number && sign(v.json) > 0
	case "uniqueItems", "deprecated":
		ok = v.isTrue()
		if v.kind() == rawjson.False {
			return
		}
	case "dependentRequired":
		ok = v.isObject() && wellFormedLists(v)
	case "default":
		if len(v.json) > maxDefaultBytes {
			return
		}
	default:
		ok = isCount(v)
	}
	if !ok {
		f.loose = true
		t.note("a " + name + " that is none")
		return
	}
	if !f.keywords.add(name, v.json) && name != "default" && name != "deprecated" {
		f.loose = true
	}
}

// readExclusive knows both forms: a number, and of 3.0 a mark beside minimum or
// maximum.
func (t *translation) readExclusive(f *facts, name string, v value) {
	if v.kind() == rawjson.Number {
		f.keywords.add(name, v.json)
		return
	}
	if v.isTrue() {
		f.keywords.add(name, nil) // its number stands beside it: see settleExclusive
	}
}

// settleExclusive turns `minimum: 0, exclusiveMinimum: true` into
// `exclusiveMinimum: 0`.
func (f *facts) settleExclusive() {
	for exclusive, plain := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		marked, known := f.keywords.texts[exclusive]
		if !known || marked != nil {
			continue
		}
		bound := f.keywords.get(plain)
		f.keywords.drop(exclusive)
		f.keywords.drop(plain)
		if bound != nil {
			f.keywords.add(exclusive, bound)
		}
	}
}

func isCount(v value) bool {
	if v.kind() != rawjson.Number {
		return false
	}
	_, err := strconv.ParseUint(string(rawjson.Trim(v.json)), 10, 63)
	return err == nil
}

func sign(number []byte) int {
	f, _, err := big.ParseFloat(string(rawjson.Trim(number)), 10, 64, big.ToZero)
	if err != nil {
		return 0
	}
	return f.Sign()
}

func wellFormedLists(v value) bool {
	members := v.members()
	for _, name := range members.names {
		if list := members.get(name); list.kind() != rawjson.Array || len(list.texts()) != len(list.items()) {
			return false
		}
	}
	return true
}

// The types of JSON Schema, and what people write for them.
var typeNames = map[string]string{
	"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object", "null": "null",
	"int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "bool": "boolean", "file": "string",
	"date": "string", "uuid": "string", "dict": "object", "list": "array",
}

// readTypes joins what may stand there with what may stand there by this source.
func (f *facts) readTypes(o *object) {
	f.nullable = f.nullable || o.get("nullable").isTrue()
	written := o.get("type").texts()
	if one := o.get("type").text(); one != "" {
		written = []string{one}
	}
	var types []string
	for _, name := range written {
		known := typeNames[name]
		if known == "" {
			return // any, or nobody knows what
		}
		if !slices.Contains(types, known) {
			types = append(types, known)
		}
	}
	if len(types) == 0 {
		return
	}
	if f.types == nil {
		f.types = types
		return
	}
	var both []string
	for _, a := range f.types {
		for _, b := range types {
			if narrow := narrower(a, b); narrow != "" && !slices.Contains(both, narrow) {
				both = append(both, narrow)
			}
		}
	}
	if both == nil {
		f.loose = true
		return
	}
	f.types = both
}

// narrower is what both types admit; empty where nothing is.
func narrower(a, b string) string {
	switch {
	case a == b:
		return a
	case a == "integer" && b == "number", a == "number" && b == "integer":
		return "integer"
	}
	return ""
}

// readValues joins lists of values; a const is a list of one.
func (f *facts) readValues(o *object) {
	if !f.example.exists() {
		f.example = o.get("example")
		if examples := o.get("examples").items(); len(examples) > 0 {
			f.example = examples[0]
		}
	}
	var values [][]byte
	switch list := o.get("enum"); {
	case o.get("const").exists():
		values = [][]byte{o.get("const").json}
	case list.kind() == rawjson.Array:
		for _, item := range list.items() {
			if !containsText(values, item.json) {
				values = append(values, item.json)
			}
		}
	}
	if len(values) == 0 {
		return
	}
	if !f.hasEnum {
		f.enum, f.hasEnum = values, true
		return
	}
	var both [][]byte
	for _, v := range f.enum {
		if containsText(values, v) {
			both = append(both, v)
		}
	}
	if len(both) == 0 {
		f.loose = true
		return
	}
	f.enum = both
}

func containsText(list [][]byte, text []byte) bool {
	return slices.ContainsFunc(list, func(item []byte) bool { return bytes.Equal(item, text) })
}

// settle brings together what depends on each other.
func (f *facts) settle() {
	f.settleExclusive()
	if !f.nullable {
		return
	}
	switch {
	case f.types != nil && !slices.Contains(f.types, "null"):
		f.types = append(slices.Clone(f.types), "null")
	case f.types == nil && len(f.unions) > 0:
		f.unions[0].branches = append(slices.Clone(f.unions[0].branches), source{value: value{json: []byte(`{"type":"null"}`)}})
	case len(f.refs) > 0:
		f.refs, f.loose = nil, true
	}
	if f.hasEnum && !containsText(f.enum, []byte("null")) {
		f.enum = append(slices.Clone(f.enum), []byte("null"))
	}
}
