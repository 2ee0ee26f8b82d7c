package expression

import (
	"encoding/json"
	"reflect"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"toolgate.dev/toolgate/internal/rawjson"
)

// reader turns JSON texts into CEL values for one evaluation, on demand: an
// object's members become values when somebody asks for them. It belongs to one
// goroutine.
type reader struct {
	// digits are the numbers of the texts whose own spelling is not the shortest.
	digits map[types.Double]string
}

// document reads a JSON text; what is not JSON is a string.
func (r *reader) document(text []byte) ref.Val {
	if !json.Valid(text) {
		return types.String(strings.ToValidUTF8(string(text), "\uFFFD"))
	}
	return r.value(rawjson.Trim(text))
}

// object reads the arguments of a call; no text is an empty object.
func (r *reader) arguments(text []byte) ref.Val {
	if len(text) == 0 {
		text = []byte("{}")
	}
	return r.document(text)
}

func (r *reader) value(text []byte) ref.Val {
	switch rawjson.KindOf(text) {
	case rawjson.Object:
		return &object{text: text, reader: r}
	case rawjson.Array:
		return &list{text: text, reader: r}
	case rawjson.String:
		return types.String(rawjson.Text(text))
	case rawjson.True:
		return types.True
	case rawjson.False:
		return types.False
	case rawjson.Number:
		return r.number(string(text))
	}
	return types.NullValue
}

// object is a JSON object as a CEL map. It keeps its text.
type object struct {
	text   []byte
	reader *reader
	names  []ref.Val
	values map[string]ref.Val
}

var _ traits.Mapper = (*object)(nil)

func (o *object) load() {
	if o.values != nil {
		return
	}
	o.values = map[string]ref.Val{}
	for m := range rawjson.Members(o.text) {
		name := m.Name()
		if _, twice := o.values[name]; !twice {
			o.names = append(o.names, types.String(name))
		}
		o.values[name] = o.reader.value(m.Value)
	}
}

// Find implements traits.Mapper.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	o.load()
	value, found := o.values[string(name)]
	return value, found
}

// Get implements traits.Indexer.
func (o *object) Get(key ref.Val) ref.Val {
	value, found := o.Find(key)
	if !found {
		return types.NewErr("no such key: %v", key)
	}
	return value
}

// Contains implements traits.Container.
func (o *object) Contains(key ref.Val) ref.Val {
	_, found := o.Find(key)
	return types.Bool(found)
}

// Size implements traits.Sizer.
func (o *object) Size() ref.Val {
	o.load()
	return types.Int(len(o.names))
}

// Iterator implements traits.Iterable: the names in the order of the text.
func (o *object) Iterator() traits.Iterator {
	o.load()
	return types.NewRefValList(types.DefaultTypeAdapter, o.names).Iterator()
}

// Equal implements ref.Val.
func (o *object) Equal(other ref.Val) ref.Val {
	that, ok := other.(traits.Mapper)
	if !ok || o.Size() != that.Size() {
		return types.False
	}
	for _, name := range o.names {
		mine, _ := o.Find(name)
		theirs, found := that.Find(name)
		if !found || types.Equal(mine, theirs) != types.True {
			return types.False
		}
	}
	return types.True
}

// ConvertToNative implements ref.Val.
func (o *object) ConvertToNative(want reflect.Type) (any, error) {
	o.load()
	return types.NewDynamicMap(types.DefaultTypeAdapter, o.values).ConvertToNative(want)
}

// ConvertToType implements ref.Val.
func (o *object) ConvertToType(want ref.Type) ref.Val {
	switch want {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", types.MapType, want)
}

// Type implements ref.Val.
func (o *object) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (o *object) Value() any {
	o.load()
	return o.values
}

// list is a JSON array as a CEL list. It keeps its text.
type list struct {
	text   []byte
	reader *reader
	loaded traits.Lister
}

var _ traits.Lister = (*list)(nil)

func (l *list) load() traits.Lister {
	if l.loaded == nil {
		items := []ref.Val{}
		for item := range rawjson.Items(l.text) {
			items = append(items, l.reader.value(item))
		}
		l.loaded = types.NewRefValList(types.DefaultTypeAdapter, items)
	}
	return l.loaded
}

func (l *list) Add(other ref.Val) ref.Val                      { return l.load().Add(other) }
func (l *list) Contains(value ref.Val) ref.Val                 { return l.load().Contains(value) }
func (l *list) ConvertToNative(want reflect.Type) (any, error) { return l.load().ConvertToNative(want) }
func (l *list) ConvertToType(want ref.Type) ref.Val            { return l.load().ConvertToType(want) }
func (l *list) Equal(other ref.Val) ref.Val                    { return l.load().Equal(other) }
func (l *list) Get(index ref.Val) ref.Val                      { return l.load().Get(index) }
func (l *list) Iterator() traits.Iterator                      { return l.load().Iterator() }
func (l *list) Size() ref.Val                                  { return l.load().Size() }
func (l *list) Type() ref.Type                                 { return types.ListType }
func (l *list) Value() any                                     { return l.load().Value() }
