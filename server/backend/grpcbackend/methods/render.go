package methods

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"toolgate.dev/toolgate/internal/rawjson"
)

// renderer writes one answer as JSON. It belongs to one call.
type renderer struct {
	types *dynamicpb.Types
	max   int // where writing stops
}

// full reports that enough is written: what follows is left out, the text ends
// anywhere.
func (r *renderer) full(dst []byte) bool { return len(dst) > r.max }

func (r *renderer) message(dst []byte, m protoreflect.Message) []byte {
	if form := wellKnown(m.Descriptor()); form != ordinary {
		return r.wellKnown(dst, form, m)
	}
	return append(r.fields(append(dst, '{'), m), '}')
}

// fields writes those that are set, and those that can't be unset, in the order of
// the proto.
func (r *renderer) fields(dst []byte, m protoreflect.Message) []byte {
	fields := m.Descriptor().Fields()
	for i := 0; i < fields.Len() && !r.full(dst); i++ {
		field := fields.Get(i)
		if field.HasPresence() && !m.Has(field) {
			continue
		}
		dst = name(dst, field.TextName())
		switch value := m.Get(field); {
		case field.IsMap():
			dst = r.entries(dst, field, value.Map())
		case field.IsList():
			dst = r.items(dst, field, value.List())
		default:
			dst = r.value(dst, field, value)
		}
	}
	return dst
}

// name begins a member.
func name(dst []byte, text string) []byte {
	if last := dst[len(dst)-1]; last != '{' {
		dst = append(dst, ',')
	}
	return append(rawjson.AppendString(dst, text), ':')
}

func (r *renderer) items(dst []byte, field protoreflect.FieldDescriptor, list protoreflect.List) []byte {
	dst = append(dst, '[')
	for i := 0; i < list.Len() && !r.full(dst); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.value(dst, field, list.Get(i))
	}
	return append(dst, ']')
}

func (r *renderer) entries(dst []byte, field protoreflect.FieldDescriptor, entries protoreflect.Map) []byte {
	keys := make([]protoreflect.MapKey, 0, entries.Len())
	entries.Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, key)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return compareKeys(field.MapKey().Kind(), a, b) })
	dst = append(dst, '{')
	for _, key := range keys {
		if r.full(dst) {
			break
		}
		dst = r.value(name(dst, key.String()), field.MapValue(), entries.Get(key))
	}
	return append(dst, '}')
}

func compareKeys(kind protoreflect.Kind, a, b protoreflect.MapKey) int {
	switch kind {
	case protoreflect.StringKind, protoreflect.BoolKind:
		return cmp.Compare(a.String(), b.String())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return cmp.Compare(a.Uint(), b.Uint())
	}
	return cmp.Compare(a.Int(), b.Int())
}

func (r *renderer) value(dst []byte, field protoreflect.FieldDescriptor, value protoreflect.Value) []byte {
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return r.message(dst, value.Message())
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, value.Bool())
	case protoreflect.StringKind:
		return rawjson.AppendString(dst, value.String())
	case protoreflect.BytesKind:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), value.Bytes()), '"')
	case protoreflect.EnumKind:
		return enumName(dst, field.Enum(), value.Enum())
	case protoreflect.FloatKind:
		return float(dst, value.Float(), 32)
	case protoreflect.DoubleKind:
		return float(dst, value.Float(), 64)
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return strconv.AppendUint(dst, value.Uint(), 10)
	}
	return strconv.AppendInt(dst, value.Int(), 10)
}

// enumName writes the name of a value, the number of one that is newer than the
// description.
func enumName(dst []byte, enum protoreflect.EnumDescriptor, number protoreflect.EnumNumber) []byte {
	if enum.FullName() == nullValue {
		return append(dst, "null"...)
	}
	if known := enum.Values().ByNumber(number); known != nil {
		return rawjson.AppendString(dst, string(known.Name()))
	}
	return strconv.AppendInt(dst, int64(number), 10)
}

// float writes a number as briefly as it can be read back, and what JSON has no
// number for as ProtoJSON does.
func float(dst []byte, n float64, bits int) []byte {
	switch {
	case math.IsNaN(n):
		return append(dst, `"NaN"`...)
	case math.IsInf(n, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(n, -1):
		return append(dst, `"-Infinity"`...)
	}
	form := byte('f')
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(dst, n, form, -1, bits)
}
