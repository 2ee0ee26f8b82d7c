package methods

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"toolgate.dev/toolgate/internal/rawjson"
)

// limits are what the options of a field demand of its value: keywords of a schema,
// and whether it must be there. protovalidate kept the numbers of
// protoc-gen-validate, so that one reading serves both.
type limits struct {
	required   bool
	outputOnly bool
	keywords   []keyword
	items      []keyword // of a list's elements, a map's values
	keys       []keyword // of a map's names
}

type keyword struct {
	name  string
	value string // JSON
}

// The numbers of the rules in buf.validate.FieldRules and validate.FieldRules.
const (
	floatRules    = 1
	doubleRules   = 2
	stringRules   = 14
	enumRules     = 16
	messageRules  = 17 // of protoc-gen-validate alone
	repeatedRules = 18
	mapRules      = 19
	requiredRule  = 25 // of protovalidate alone
	ignoreRule    = 27
	ignoreZero    = 1
	ignoreAlways  = 3

	// Of protoc-gen-validate alone: protovalidate gave the numbers to others.
	emptyText     = 26
	emptyNumber   = 8
	emptyRepeated = 5
	emptyMap      = 6
)

// rules are those of one field or value, and what holds of all of them.
type rules struct {
	encoded

	old      bool // they are protoc-gen-validate's
	zeroFits bool // they don't hold of a zero value
}

// of are the rules of a kind. empty is where the old validator says that a zero value
// fits.
func (r rules) of(number, empty protowire.Number) rules {
	inner := rules{encoded: r.message(number), old: r.old, zeroFits: r.zeroFits}
	inner.zeroFits = inner.zeroFits || r.old && inner.varint(empty) != 0
	return inner
}

func limitsOf(field protoreflect.FieldDescriptor) limits {
	options := optionsOf(field)
	l := limits{required: field.Cardinality() == protoreflect.Required}
	for _, behavior := range options.varints(fieldBehavior) {
		l.required = l.required || behavior == behaviorRequired
		l.outputOnly = l.outputOnly || behavior == behaviorOutputOnly
	}
	of := optionsOf(field.ContainingMessage())
	if written := options.message(protovalidate); len(written) > 0 && of.message(protovalidate).varint(1) == 0 {
		l.take(field, rules{encoded: written, zeroFits: written.varint(ignoreRule) == ignoreZero})
	}
	if written := options.message(pgv); len(written) > 0 && of.varint(pgv) == 0 {
		l.take(field, rules{encoded: written, old: true})
	}
	return l
}

func (l *limits) take(field protoreflect.FieldDescriptor, r rules) {
	if !r.old && r.varint(ignoreRule) == ignoreAlways {
		return
	}
	l.required = l.required || !r.old && r.varint(requiredRule) != 0 || r.old && r.message(messageRules).varint(2) != 0
	switch {
	case field.IsList():
		repeated := r.of(repeatedRules, emptyRepeated)
		l.counts(repeated, "minItems", "maxItems")
		if repeated.varint(3) != 0 {
			l.add("uniqueItems", "true")
		}
		l.items = kindLimits(field, rules{encoded: repeated.message(4), old: r.old})
	case field.IsMap():
		entries := r.of(mapRules, emptyMap)
		l.counts(entries, "minProperties", "maxProperties")
		l.keys = kindLimits(field.MapKey(), rules{encoded: entries.message(4), old: r.old})
		l.items = kindLimits(field.MapValue(), rules{encoded: entries.message(5), old: r.old})
	default:
		l.keywords = append(l.keywords, kindLimits(field, r)...)
		// What is not there is empty to a validator, unless it can be told apart.
		l.required = l.required || demandsText(r.of(stringRules, emptyText)) && !field.HasPresence()
	}
}

func demandsText(r rules) bool {
	return !r.zeroFits && (r.varint(2) > 0 || r.varint(19) > 0 || r.varint(4) > 0)
}

func (l *limits) add(name, value string) { l.keywords = append(l.keywords, keyword{name, value}) }

// counts takes the bounds of a list or map, which stand under the numbers 1 and 2.
func (l *limits) counts(r rules, low, high string) {
	if r.has(1) && !r.zeroFits {
		l.add(low, strconv.FormatUint(r.varint(1), 10))
	}
	if r.has(2) {
		l.add(high, strconv.FormatUint(r.varint(2), 10))
	}
}

// kindLimits reads the rules of one value.
func kindLimits(field protoreflect.FieldDescriptor, r rules) []keyword {
	if field.Message() != nil && wellKnown(field.Message()) == wrapper {
		field = field.Message().Fields().ByNumber(wrappedField)
	}
	switch kind := field.Kind(); kind {
	case protoreflect.StringKind:
		return textLimits(r.of(stringRules, emptyText))
	case protoreflect.MessageKind, protoreflect.GroupKind, protoreflect.BytesKind, protoreflect.BoolKind:
		return nil
	case protoreflect.EnumKind:
		return enumLimits(field.Enum(), r.of(enumRules, 0))
	default:
		return numberLimits(kind, r.of(ruleNumber(kind), emptyNumber))
	}
}

func ruleNumber(kind protoreflect.Kind) protowire.Number {
	order := []protoreflect.Kind{
		protoreflect.FloatKind, protoreflect.DoubleKind, protoreflect.Int32Kind, protoreflect.Int64Kind, protoreflect.Uint32Kind,
		protoreflect.Uint64Kind, protoreflect.Sint32Kind, protoreflect.Sint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind,
		protoreflect.Sfixed32Kind, protoreflect.Sfixed64Kind,
	}
	for i, known := range order {
		if known == kind {
			return protowire.Number(i + floatRules)
		}
	}
	return 0
}

// formats are the well-known forms of text that are formats of JSON Schema, by the
// number of their rule.
var formats = map[protowire.Number]string{
	12: "email", 13: "hostname", 15: "ipv4", 16: "ipv6", 17: "uri", 18: "uri-reference", 22: "uuid",
}

func textLimits(r rules) (all []keyword) {
	if len(r.encoded) == 0 {
		return nil
	}
	number := func(name string, at protowire.Number) {
		if r.has(at) && r.varint(at) <= math.MaxInt32 {
			all = append(all, keyword{name, strconv.FormatUint(r.varint(at), 10)})
		}
	}
	empty := r.zeroFits
	if !empty {
		number("minLength", 2)
	}
	number("maxLength", 3)
	if !r.has(3) {
		number("maxLength", 5) // of bytes, of which there are at least as many
	}
	number("minLength", 19)
	number("maxLength", 19)
	if pattern := r.text(6); pattern != "" {
		if _, err := regexp.Compile(pattern); err == nil {
			if empty {
				pattern = "^$|" + pattern
			}
			all = append(all, keyword{"pattern", quoted(pattern)})
		}
	}
	if in := r.list(10); in != "" && !empty {
		all = append(all, keyword{"enum", in})
	}
	if r.has(1) {
		all = append(all, keyword{"const", quoted(r.text(1))})
	}
	for at, format := range formats {
		if r.varint(at) != 0 && !empty {
			all = append(all, keyword{"format", quoted(format)})
		}
	}
	return all
}

// list is a repeated text as a JSON list; empty where there is none.
func (e encoded) list(number protowire.Number) string {
	text := []byte{'['}
	e.each(number, func(_ uint64, item []byte) {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = rawjson.AppendString(text, string(item))
	})
	if len(text) == 1 {
		return ""
	}
	return string(append(text, ']'))
}

func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// enumLimits leaves the values that the rules allow.
func enumLimits(enum protoreflect.EnumDescriptor, r rules) []keyword {
	in, not := r.varints(3), r.varints(4)
	if len(in) == 0 && len(not) == 0 || r.zeroFits {
		return nil
	}
	text := []byte{'['}
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		number := uint64(int64(value.Number()))
		if len(in) > 0 && !slices.Contains(in, number) || slices.Contains(not, number) {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = rawjson.AppendString(text, string(value.Name()))
	}
	return []keyword{{"enum", string(append(text, ']'))}}
}

// numberLimits reads const, lt, lte, gt and gte. A range that is turned inside out
// allows what is outside of it, which is not put into words here.
func numberLimits(kind protoreflect.Kind, r rules) (all []keyword) {
	if len(r.encoded) == 0 || r.zeroFits {
		return nil
	}
	value := func(at protowire.Number) (text string, n float64) {
		r.each(at, func(bits uint64, _ []byte) { text, n = numeral(kind, bits) })
		return text, n
	}
	low, lowest := value(4)
	if low == "" {
		low, lowest = value(5)
	}
	high, highest := value(2)
	if high == "" {
		high, highest = value(3)
	}
	if low != "" && high != "" && lowest > highest {
		return nil
	}
	for _, bound := range []struct {
		name string
		at   protowire.Number
	}{{"const", 1}, {"exclusiveMaximum", 2}, {"maximum", 3}, {"exclusiveMinimum", 4}, {"minimum", 5}} {
		if text, _ := value(bound.at); text != "" {
			all = append(all, keyword{bound.name, text})
		}
	}
	return all
}

// numeral writes a number as its kind encodes it.
func numeral(kind protoreflect.Kind, bits uint64) (string, float64) {
	switch kind {
	case protoreflect.FloatKind:
		return finite(single(bits), 32)
	case protoreflect.DoubleKind:
		return finite(double(bits), 64)
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return strconv.FormatUint(bits, 10), float64(bits)
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		n := protowire.DecodeZigZag(bits)
		return strconv.FormatInt(n, 10), float64(n)
	case protoreflect.Sfixed32Kind:
		return strconv.FormatInt(int64(int32(bits)), 10), float64(int32(bits))
	}
	return strconv.FormatInt(int64(bits), 10), float64(int64(bits))
}

func finite(n float64, bits int) (string, float64) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "", 0
	}
	return strconv.FormatFloat(n, 'f', -1, bits), n
}
