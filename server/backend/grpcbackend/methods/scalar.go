package methods

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

// scalar reads a value that is no message. accepted is empty where it fits.
func scalar(field protoreflect.FieldDescriptor, text []byte) (value protoreflect.Value, accepted string) {
	kind := rawjson.KindOf(text)
	switch field.Kind() {
	case protoreflect.BoolKind:
		if kind == rawjson.True || kind == rawjson.False {
			return protoreflect.ValueOfBool(kind == rawjson.True), ""
		}
		return value, "true, false"
	case protoreflect.StringKind:
		if decoded := rawjson.Text(text); kind == rawjson.String && utf8.ValidString(decoded) {
			return protoreflect.ValueOfString(decoded), ""
		}
		return value, "text"
	case protoreflect.BytesKind:
		if decoded, ok := decodeBytes(rawjson.Text(text)); kind == rawjson.String && ok {
			return protoreflect.ValueOfBytes(decoded), ""
		}
		return value, "text in base64 (RFC 4648)"
	case protoreflect.EnumKind:
		return enumValue(field.Enum(), text)
	}
	if kind != rawjson.Number && kind != rawjson.String {
		return value, acceptedNumber(field.Kind())
	}
	value, ok := numberValue(field.Kind(), rawjson.Text(text))
	if !ok {
		return value, acceptedNumber(field.Kind())
	}
	return value, ""
}

func acceptedNumber(kind protoreflect.Kind) string {
	if low, high := bounds(kind); low != "" {
		return low + " to " + high
	}
	return "a number"
}

// bounds are those of an integer's kind; empty for other numbers.
func bounds(kind protoreflect.Kind) (low, high string) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return "-2147483648", "2147483647"
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return "-9223372036854775808", "9223372036854775807"
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return "0", "4294967295"
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return "0", "18446744073709551615"
	}
	return "", ""
}

func numberValue(kind protoreflect.Kind, text string) (value protoreflect.Value, ok bool) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		n, err := strconv.ParseInt(whole(text), 10, 32)
		return protoreflect.ValueOfInt32(int32(n)), err == nil
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, err := strconv.ParseInt(whole(text), 10, 64)
		return protoreflect.ValueOfInt64(n), err == nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, err := strconv.ParseUint(whole(text), 10, 32)
		return protoreflect.ValueOfUint32(uint32(n)), err == nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		n, err := strconv.ParseUint(whole(text), 10, 64)
		return protoreflect.ValueOfUint64(n), err == nil
	case protoreflect.FloatKind:
		n, ok := floating(text, 32)
		return protoreflect.ValueOfFloat32(float32(n)), ok
	}
	n, ok := floating(text, 64)
	return protoreflect.ValueOfFloat64(n), ok
}

// maxShift is more digits than any integer has.
const maxShift = 64

// whole spells a number without fraction and exponent where it is an integer, with
// every digit; else it returns what no integer looks like. -0 is 0.
func whole(text string) string {
	if text == "-0" {
		return "0"
	}
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	integer, fraction, broken := strings.Cut(mantissa, ".")
	if !scaled && !broken {
		return text
	}
	shift := 0
	if scaled {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxShift || n < -maxShift {
			return ""
		}
		shift = n
	}
	sign := ""
	if strings.HasPrefix(integer, "-") {
		sign, integer = "-", integer[1:]
	}
	digits := integer + fraction
	point := len(integer) + shift
	for len(digits) < point {
		digits += "0"
	}
	if point < 0 || strings.Trim(digits[point:], "0") != "" {
		return ""
	}
	digits = strings.TrimLeft(digits[:point], "0")
	if digits == "" {
		return "0"
	}
	return sign + digits
}

func floating(text string, bits int) (float64, bool) {
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, bits)
	return n, err == nil
}

// enumValue takes a name, or the number of a value.
func enumValue(enum protoreflect.EnumDescriptor, text []byte) (value protoreflect.Value, accepted string) {
	switch rawjson.KindOf(text) {
	case rawjson.String:
		if known := enum.Values().ByName(protoreflect.Name(rawjson.Text(text))); known != nil {
			return protoreflect.ValueOfEnum(known.Number()), ""
		}
	case rawjson.Number:
		if n, err := strconv.ParseInt(whole(string(text)), 10, 32); err == nil {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), ""
		}
	case rawjson.Null:
		if enum.FullName() == nullValue {
			return protoreflect.ValueOfEnum(0), ""
		}
	}
	return value, strings.Join(enumNames(enum), ", ")
}

func enumNames(enum protoreflect.EnumDescriptor) []string {
	names := make([]string, enum.Values().Len())
	for i := range names {
		names[i] = string(enum.Values().Get(i).Name())
	}
	return names
}

// decodeBytes reads base64 in both alphabets, padded or not, as ProtoJSON does.
func decodeBytes(text string) ([]byte, bool) {
	encoding := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.URLEncoding
	}
	if len(text)%4 != 0 || !strings.HasSuffix(text, "=") {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	decoded, err := encoding.DecodeString(text)
	return decoded, err == nil
}

// keyOf reads the key of a map.
func keyOf(field protoreflect.FieldDescriptor, name string) (key protoreflect.MapKey, ok bool) {
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(name).MapKey(), utf8.ValidString(name)
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(name == "true").MapKey(), name == "true" || name == "false"
	}
	value, ok := numberValue(field.Kind(), name)
	return value.MapKey(), ok
}
