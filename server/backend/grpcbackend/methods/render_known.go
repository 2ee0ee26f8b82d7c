package methods

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

// wellKnown writes a message that has a JSON form of its own.
func (r *renderer) wellKnown(dst []byte, form known, m protoreflect.Message) []byte {
	switch form {
	case timestamp:
		return renderTimestamp(dst, m)
	case duration:
		return renderDuration(dst, m)
	case fieldMask:
		return renderMask(dst, m)
	case structType:
		field := numbered(m, fieldsField)
		return r.entries(dst, field, m.Get(field).Map())
	case listType:
		field := numbered(m, valuesField)
		return r.items(dst, field, m.Get(field).List())
	case wrapper:
		field := numbered(m, wrappedField)
		return r.value(dst, field, m.Get(field))
	case anyType:
		return r.any(dst, m)
	}
	return r.anyValue(dst, m)
}

func parts(m protoreflect.Message) (seconds, nanos int64) {
	return m.Get(numbered(m, secondsField)).Int(), m.Get(numbered(m, nanosField)).Int()
}

// raw writes what is out of range, which is still more than nothing.
func raw(dst []byte, seconds, nanos int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"seconds":`...), seconds, 10)
	dst = strconv.AppendInt(append(dst, `,"nanos":`...), nanos, 10)
	return append(dst, '}')
}

const (
	firstSecond = -62_135_596_800 // of the year 1
	lastSecond  = 253_402_300_799 // of the year 9999
	second      = int64(time.Second)
)

func renderTimestamp(dst []byte, m protoreflect.Message) []byte {
	seconds, nanos := parts(m)
	if seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos >= second {
		return raw(dst, seconds, nanos)
	}
	dst = time.Unix(seconds, nanos).UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano)
	return append(dst, '"')
}

func renderDuration(dst []byte, m protoreflect.Message) []byte {
	seconds, nanos := parts(m)
	if seconds > maxDuration || seconds < -maxDuration || nanos <= -second || nanos >= second || seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return raw(dst, seconds, nanos)
	}
	dst = append(dst, '"')
	if seconds < 0 || nanos < 0 {
		dst, seconds, nanos = append(dst, '-'), -seconds, -nanos
	}
	dst = strconv.AppendInt(dst, seconds, 10)
	if nanos > 0 {
		digits := strconv.FormatInt(second+nanos, 10)[1:]
		dst = append(append(dst, '.'), strings.TrimRight(digits, "0")...)
	}
	return append(dst, `s"`...)
}

func renderMask(dst []byte, m protoreflect.Message) []byte {
	paths := m.Get(numbered(m, pathsField)).List()
	all := make([]string, paths.Len())
	for i := range all {
		all[i] = paths.Get(i).String()
	}
	return rawjson.AppendString(dst, strings.Join(all, ","))
}

func (r *renderer) anyValue(dst []byte, m protoreflect.Message) []byte {
	choice := m.Descriptor().Oneofs()
	if choice.Len() == 0 {
		return append(dst, "null"...)
	}
	field := m.WhichOneof(choice.Get(0))
	if field == nil {
		return append(dst, "null"...)
	}
	return r.value(dst, field, m.Get(field))
}

// any writes the message within; one that the service does not describe stays as
// it is encoded.
func (r *renderer) any(dst []byte, m protoreflect.Message) []byte {
	url, encoded := m.Get(numbered(m, typeField)).String(), m.Get(numbered(m, bytesField)).Bytes()
	dst = rawjson.AppendString(name(append(dst, '{'), typeKey), url)
	kind, err := r.types.FindMessageByURL(url)
	if err == nil {
		inner := kind.New()
		if (proto.UnmarshalOptions{AllowPartial: true, Resolver: r.types}).Unmarshal(encoded, inner.Interface()) == nil {
			if form := wellKnown(inner.Descriptor()); form != ordinary {
				return append(r.wellKnown(name(dst, valueKey), form, inner), '}')
			}
			return append(r.fields(dst, inner), '}')
		}
	}
	dst = base64.StdEncoding.AppendEncode(append(name(dst, valueKey), '"'), encoded)
	return append(dst, `"}`...)
}
