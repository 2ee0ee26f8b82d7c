package openapi

import (
	"slices"

	"toolgate.dev/toolgate/internal/rawjson"
)

// value is one place of a document. The zero value is nowhere, and whatever is
// asked of it is empty.
type value struct {
	file *file
	json []byte
}

func (v value) kind() rawjson.Kind {
	if v.json == nil {
		return rawjson.Absent
	}
	return rawjson.KindOf(v.json)
}

func (v value) exists() bool   { return v.json != nil }
func (v value) isObject() bool { return v.kind() == rawjson.Object }
func (v value) isTrue() bool   { return v.kind() == rawjson.True }

// text is a string's; empty for anything else.
func (v value) text() string {
	if v.kind() != rawjson.String {
		return ""
	}
	return rawjson.Text(v.json)
}

// get is a member's value; nowhere where there is none.
func (v value) get(name string) value {
	if !v.isObject() {
		return value{}
	}
	found, ok := rawjson.Get(v.json, name)
	if !ok {
		return value{}
	}
	return value{file: v.file, json: found}
}

// items are those of a list; of anything else there are none.
func (v value) items() (all []value) {
	if v.kind() != rawjson.Array {
		return nil
	}
	for item := range rawjson.Items(v.json) {
		all = append(all, value{file: v.file, json: item})
	}
	return all
}

// texts are the strings of a list.
func (v value) texts() (all []string) {
	for _, item := range v.items() {
		if item.kind() == rawjson.String {
			all = append(all, item.text())
		}
	}
	return all
}

// object is an object whose members are looked up more than once.
type object struct {
	names  []string // in the order of the text, each once
	values map[string]value
}

// members reads an object once. Of a name that stands twice the last value counts,
// as in encoding/json; of anything else there are none.
func (v value) members() *object {
	o := &object{values: map[string]value{}}
	if !v.isObject() {
		return o
	}
	for m := range rawjson.Members(v.json) {
		name := m.Name()
		if _, twice := o.values[name]; !twice {
			o.names = append(o.names, name)
		}
		o.values[name] = value{file: v.file, json: m.Value}
	}
	return o
}

func (o *object) get(name string) value { return o.values[name] }

// set adds a member or takes the place of one.
func (o *object) set(name string, v value) {
	if !slices.Contains(o.names, name) {
		o.names = append(o.names, name)
	}
	if o.values == nil {
		o.values = map[string]value{}
	}
	o.values[name] = v
}
