package httpbackend

import (
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// putStyled writes an argument in a style of its own to a query or a form. What is
// null is left out of a query and empty in a form, as without a style.
func (d *draft) putStyled(into *[]byte, argument string, there place, value []byte) *refusal {
	limit := maxQueryBytes
	if there.in == catalogv1.Location_LOCATION_BODY {
		limit = maxFormBytes
	}
	written, problem := d.styled(*into, there, value)
	switch {
	case problem != "":
		return refuse(argument, value, problem)
	case len(written) > limit:
		return refuse(argument, nil, "it is too large for its place")
	}
	*into = written
	return nil
}

func (d *draft) styled(dst []byte, there place, value []byte) (written []byte, problem string) {
	kind := rawjson.KindOf(value)
	if kind == rawjson.Null {
		if there.in == catalogv1.Location_LOCATION_BODY {
			dst = appendPair(dst, there.name, "")
		}
		return dst, ""
	}
	switch there.style {
	case catalogv1.Style_STYLE_JSON:
		return appendPair(dst, there.name, string(rawjson.AppendCompact(nil, value))), ""
	case catalogv1.Style_STYLE_SPREAD:
		if kind == rawjson.Object {
			return d.spreadOut(dst, there, value)
		}
	case catalogv1.Style_STYLE_REPEAT:
		if kind == rawjson.Array {
			return repeated(dst, there.name, value)
		}
	default:
		if kind == rawjson.Array || kind == rawjson.Object {
			text, ok := listed(value, separators[there.style])
			if !ok {
				return nil, "its items are single values"
			}
			if text == "" {
				return dst, "" // nothing is said of an empty list
			}
			return appendPair(dst, there.name, text), ""
		}
	}
	if written, ok := encodeForm(dst, there.name, value); ok {
		return written, ""
	}
	return nil, "it is nested too deep"
}

var separators = map[catalogv1.Style]string{
	catalogv1.Style_STYLE_COMMA: ",", catalogv1.Style_STYLE_SPACE: " ", catalogv1.Style_STYLE_PIPE: "|",
}

// repeated writes a list as `name=1&name=2`; an item that is no single value is
// written in JSON.
func repeated(dst []byte, name string, list []byte) (written []byte, problem string) {
	for item := range rawjson.Items(list) {
		if len(dst) > maxFormBytes {
			break // too large: the caller says so
		}
		text := rawjson.Text(item)
		if !rawjson.KindOf(item).Scalar() {
			text = string(rawjson.AppendCompact(nil, item))
		}
		dst = appendPair(dst, name, text)
	}
	return dst, ""
}

// spreadOut writes each member of an object under its own name, which may be no
// place that is taken.
func (d *draft) spreadOut(dst []byte, there place, object []byte) (written []byte, problem string) {
	for member := range rawjson.Members(object) {
		own := place{in: there.in, name: member.Name()}
		if why, taken := d.plan.taken(own); taken {
			return nil, "its member " + own.name + " can't be sent: " + why
		}
		text, ok := flat(member.Value)
		switch {
		case rawjson.KindOf(member.Value) == rawjson.Null:
			continue
		case !ok:
			return nil, "its members are single values or lists of them"
		}
		dst = appendPair(dst, own.name, text)
	}
	return dst, ""
}

// listed writes a list of single values, or an object of them, as one text.
func listed(value []byte, separator string) (text string, ok bool) {
	var words []string
	add := func(item []byte) bool {
		words = append(words, rawjson.Text(item))
		return rawjson.KindOf(item).Scalar()
	}
	for item := range rawjson.Items(value) {
		if !add(item) {
			return "", false
		}
	}
	for member := range rawjson.Members(value) {
		words = append(words, member.Name())
		if !add(member.Value) {
			return "", false
		}
	}
	return strings.Join(words, separator), true
}
