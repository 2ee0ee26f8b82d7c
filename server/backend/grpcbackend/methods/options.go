package methods

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The numbers of options, which are the same for everybody.
const (
	idempotencyLevel = 34       // google.protobuf.MethodOptions
	httpRule         = 72295728 // google.api.http: google.api.HttpRule
	fieldBehavior    = 1052     // google.api.field_behavior
	openAPI          = 1042     // grpc-gateway's annotations, of methods and fields alike
	protovalidate    = 1159     // buf.validate.field: buf.validate.FieldRules
	pgv              = 1071     // validate.rules: validate.FieldRules

	httpGet    = 2 // google.api.HttpRule
	httpPut    = 3
	httpDelete = 5

	operationSummary     = 2 // grpc-gateway's Operation
	operationDescription = 3
	schemaTitle          = 5 // grpc-gateway's JSONSchema
	schemaDescription    = 6

	behaviorRequired   = 2 // google.api.FieldBehavior
	behaviorOutputOnly = 3
)

// encoded is a message whose type need not be known.
type encoded []byte

// optionsOf is a descriptor's options as they are encoded.
func optionsOf(descriptor protoreflect.Descriptor) encoded {
	return encodeOptions(descriptor.Options())
}

func encodeOptions(options proto.Message) encoded {
	if options == nil || !options.ProtoReflect().IsValid() {
		return nil
	}
	text, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(options)
	if err != nil {
		return nil
	}
	return text
}

// each calls f for every value of a field; f gets the number of scalars and the
// bytes of the rest.
func (e encoded) each(number protowire.Number, f func(n uint64, text []byte)) {
	for len(e) > 0 {
		found, kind, size := protowire.ConsumeTag(e)
		if size < 0 {
			return
		}
		value := e[size:]
		if size = protowire.ConsumeFieldValue(found, kind, value); size < 0 {
			return
		}
		if found == number {
			give(kind, value[:size], f)
		}
		e = value[size:]
	}
}

func give(kind protowire.Type, value []byte, f func(n uint64, text []byte)) {
	switch kind {
	case protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		f(n, nil)
	case protowire.Fixed32Type:
		n, _ := protowire.ConsumeFixed32(value)
		f(uint64(n), nil)
	case protowire.Fixed64Type:
		n, _ := protowire.ConsumeFixed64(value)
		f(n, nil)
	case protowire.BytesType:
		text, _ := protowire.ConsumeBytes(value)
		f(0, text)
	}
}

// message is the value of a field that is a message, its parts put together as
// protobuf does; nil where there is none.
func (e encoded) message(number protowire.Number) (all encoded) {
	e.each(number, func(_ uint64, text []byte) { all = append(all, text...) })
	return all
}

func (e encoded) has(number protowire.Number) (found bool) {
	e.each(number, func(uint64, []byte) { found = true })
	return found
}

// varint is the last value of a number or enum, 0 where there is none.
func (e encoded) varint(number protowire.Number) (last uint64) {
	e.each(number, func(n uint64, _ []byte) { last = n })
	return last
}

func (e encoded) text(number protowire.Number) (last string) {
	e.each(number, func(_ uint64, text []byte) { last = string(text) })
	return last
}

// varints lists the values of a repeated number, packed or not.
func (e encoded) varints(number protowire.Number) (all []uint64) {
	e.each(number, func(n uint64, packed []byte) {
		if packed == nil {
			all = append(all, n)
		}
		for len(packed) > 0 {
			n, size := protowire.ConsumeVarint(packed)
			if size < 0 {
				return
			}
			all, packed = append(all, n), packed[size:]
		}
	})
	return all
}

// documented is the description in the annotations of grpc-gateway, which is there
// where comments are not: with reflection.
func documented(options proto.Message, title, description protowire.Number) string {
	annotation := encodeOptions(options).message(openAPI)
	if text := annotation.text(description); text != "" {
		return tidy(text)
	}
	return tidy(annotation.text(title))
}

func double(bits uint64) float64 { return math.Float64frombits(bits) }
func single(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
