package methods

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	acceptedTimestamp = "2026-03-14T09:30:00Z (RFC 3339)"
	acceptedDuration  = "seconds with an s, 90s or 1.5s"
	maxDuration       = 315_576_000_000 // seconds; see google/protobuf/duration.proto
)

var durationForm = regexp.MustCompile(`^(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s$`)

// wellKnown fills a message that has a JSON form of its own.
func (e *encoder) wellKnown(form known, m protoreflect.Message, text []byte, path string) *Fault {
	var accepted string
	switch form {
	case timestamp:
		accepted = fillTimestamp(m, text)
	case duration:
		accepted = fillDuration(m, text)
	case fieldMask:
		accepted = fillMask(m, text)
	case structType:
		field := numbered(m, fieldsField)
		return e.entries(m.Mutable(field).Map(), field, text, path)
	case listType:
		field := numbered(m, valuesField)
		return e.items(m.Mutable(field).List(), field, text, path)
	case wrapper:
		field := numbered(m, wrappedField)
		value, fits := scalar(field, text)
		if accepted = fits; fits == "" {
			m.Set(field, value)
		}
	case anyType:
		return e.any(m, text, path)
	default:
		return e.anyValue(m, text, path)
	}
	if accepted != "" {
		return wrong(path, text, accepted)
	}
	return nil
}

func fillTimestamp(m protoreflect.Message, text []byte) (accepted string) {
	at, err := time.Parse(time.RFC3339Nano, rawjson.Text(text))
	if rawjson.KindOf(text) != rawjson.String || err != nil || at.UTC().Year() < 1 || at.UTC().Year() > 9999 {
		return acceptedTimestamp
	}
	m.Set(numbered(m, secondsField), protoreflect.ValueOfInt64(at.Unix()))
	m.Set(numbered(m, nanosField), protoreflect.ValueOfInt32(int32(at.Nanosecond())))
	return ""
}

func fillDuration(m protoreflect.Message, text []byte) (accepted string) {
	parts := durationForm.FindStringSubmatch(rawjson.Text(text))
	if rawjson.KindOf(text) != rawjson.String || parts == nil {
		return acceptedDuration
	}
	seconds, _ := strconv.ParseInt(parts[1]+parts[2], 10, 64) // 12 digits
	nanos, _ := strconv.ParseInt(parts[1]+(parts[3] + "000000000")[:9], 10, 32)
	if seconds > maxDuration || seconds < -maxDuration {
		return acceptedDuration
	}
	m.Set(numbered(m, secondsField), protoreflect.ValueOfInt64(seconds))
	m.Set(numbered(m, nanosField), protoreflect.ValueOfInt32(int32(nanos)))
	return ""
}

// fillMask takes the names of the protos, as every other name here, and the
// lowerCamelCase that ProtoJSON writes.
func fillMask(m protoreflect.Message, text []byte) (accepted string) {
	if rawjson.KindOf(text) != rawjson.String {
		return "names of fields with commas between them"
	}
	paths := m.Mutable(numbered(m, pathsField)).List()
	for path := range strings.SplitSeq(rawjson.Text(text), ",") {
		if path = strings.TrimSpace(path); path != "" {
			paths.Append(protoreflect.ValueOfString(snakeCase(path)))
		}
	}
	return ""
}

func snakeCase(path string) string {
	var snake strings.Builder
	for _, c := range path {
		if c >= 'A' && c <= 'Z' {
			snake.WriteByte('_')
			c += 'a' - 'A'
		}
		snake.WriteRune(c)
	}
	return snake.String()
}

// anyValue fills a google.protobuf.Value.
func (e *encoder) anyValue(m protoreflect.Message, text []byte, path string) *Fault {
	switch rawjson.KindOf(text) {
	case rawjson.Null:
		m.Set(numbered(m, valueNull), protoreflect.ValueOfEnum(0))
	case rawjson.True, rawjson.False:
		m.Set(numbered(m, valueBool), protoreflect.ValueOfBool(rawjson.KindOf(text) == rawjson.True))
	case rawjson.String:
		m.Set(numbered(m, valueString), protoreflect.ValueOfString(rawjson.Text(text)))
	case rawjson.Object:
		return e.message(m.Mutable(numbered(m, valueStruct)).Message(), text, path)
	case rawjson.Array:
		return e.message(m.Mutable(numbered(m, valueList)).Message(), text, path)
	default:
		number, ok := floating(string(rawjson.Trim(text)), 64) // a Value holds a double, whatever was written
		if !ok {
			return wrong(path, text, "a number that a double holds")
		}
		m.Set(numbered(m, valueNumber), protoreflect.ValueOfFloat64(number))
	}
	return nil
}

const typeKey, valueKey = "@type", "value"

// any fills a google.protobuf.Any: `@type` beside the message's own fields, or
// beside `value` where the message has a form of its own.
func (e *encoder) any(m protoreflect.Message, text []byte, path string) *Fault {
	name, found := rawjson.Get(text, typeKey)
	if rawjson.KindOf(text) != rawjson.Object || !found || rawjson.KindOf(name) != rawjson.String {
		return wrong(path, text, "an object with @type, type.googleapis.com/package.Message")
	}
	kind, err := e.types.FindMessageByURL(rawjson.Text(name))
	if err != nil {
		return &Fault{Field: below(path, typeKey), Value: name, Problem: "the service describes no such message"}
	}
	inner := kind.New()
	var fault *Fault
	if wellKnown(inner.Descriptor()) != ordinary {
		value, _ := rawjson.Get(text, valueKey)
		fault = e.message(inner, value, below(path, valueKey))
	} else {
		fault = e.withoutType(inner, text, path)
	}
	if fault != nil {
		return fault
	}
	encoded, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(inner.Interface())
	if err != nil {
		return &Fault{Field: path, Problem: "the message can't be encoded"}
	}
	m.Set(numbered(m, typeField), protoreflect.ValueOfString(rawjson.Text(name)))
	m.Set(numbered(m, bytesField), protoreflect.ValueOfBytes(encoded))
	return nil
}

func (e *encoder) withoutType(m protoreflect.Message, text []byte, path string) *Fault {
	if e.depth++; e.depth > maxDepth {
		return &Fault{Field: path, Problem: "the value is nested too deeply"}
	}
	defer func() { e.depth-- }()
	for member := range rawjson.Members(text) {
		if member.Name() == typeKey {
			continue
		}
		if fault := e.member(m, member, path); fault != nil {
			return fault
		}
	}
	return missing(m, path)
}
