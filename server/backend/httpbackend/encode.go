package httpbackend

import (
	"strconv"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxPathBytes   = 8 << 10
	maxHeaderBytes = 16 << 10
	maxQueryBytes  = 64 << 10
	maxFormBytes   = 4 << 20
	maxNesting     = 16
)

// flat writes a scalar as its text, digits as they came, and a list of scalars
// with commas (RFC 6570 section 3.2.2); false for anything else.
func flat(value []byte) (text string, ok bool) {
	kind := rawjson.KindOf(value)
	if kind.Scalar() {
		return rawjson.Text(value), true
	}
	if kind != rawjson.Array {
		return "", false
	}
	var items []string
	for item := range rawjson.Items(value) {
		if !rawjson.KindOf(item).Scalar() {
			return "", false
		}
		items = append(items, rawjson.Text(item))
	}
	return strings.Join(items, ","), true
}

// encodeQuery writes an argument for a query string: a list of scalars repeats
// its name (and `name: ids[]` in the catalogue makes it `ids[]=1&ids[]=2`),
// anything deeper stands in brackets, numbered where it is a list, `ids[0][a]=1`.
// What is null or empty is left out. ok is false where it is nested too deep.
func encodeQuery(dst []byte, name string, value []byte) (encoded []byte, ok bool) {
	if _, isFlat := flat(value); rawjson.KindOf(value) != rawjson.Array || !isFlat {
		name = strings.TrimSuffix(name, "[]")
		return pairs{omitEmpty: true}.append(dst, name, value, maxNesting)
	}
	for item := range rawjson.Items(value) {
		if dst, ok = (pairs{omitEmpty: true}).append(dst, name, item, maxNesting); !ok || len(dst) > maxQueryBytes {
			return dst, false
		}
	}
	return dst, true
}

// encodeForm writes an argument for a form: `a[b]=c` for an object, `a[0]=c` for
// a list, and an empty value for what is null or empty, which is how a form
// clears a field.
func encodeForm(dst []byte, name string, value []byte) (encoded []byte, ok bool) {
	return pairs{}.append(dst, name, value, maxNesting)
}

// pairs writes nested values as `name[key]=value`.
type pairs struct{ omitEmpty bool }

func (p pairs) append(dst []byte, name string, value []byte, depth int) ([]byte, bool) {
	if depth == 0 || len(dst) > maxFormBytes {
		return dst, false
	}
	before := len(dst)
	var ok bool
	switch rawjson.KindOf(value) {
	case rawjson.Object:
		for member := range rawjson.Members(value) {
			if dst, ok = p.append(dst, name+"["+member.Name()+"]", member.Value, depth-1); !ok {
				return dst, false
			}
		}
	case rawjson.Array:
		place := 0
		for item := range rawjson.Items(value) {
			if dst, ok = p.append(dst, name+"["+strconv.Itoa(place)+"]", item, depth-1); !ok {
				return dst, false
			}
			place++
		}
	case rawjson.Null:
	default:
		return appendPair(dst, name, rawjson.Text(value)), true
	}
	if len(dst) == before && !p.omitEmpty {
		dst = appendPair(dst, name, "")
	}
	return dst, true
}
