package methods

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// Method is one method of a service.
type Method struct {
	name       string
	descriptor protoreflect.MethodDescriptor
	types      *dynamicpb.Types
}

func newMethod(descriptor protoreflect.MethodDescriptor, types *dynamicpb.Types) *Method {
	service := descriptor.Parent().FullName()
	return &Method{name: string(service) + "/" + string(descriptor.Name()), descriptor: descriptor, types: types}
}

// Name is `package.Service/Method`.
func (m *Method) Name() string { return m.name }

// Service is the service's full name, Short the method's own.
func (m *Method) Service() string { return string(m.descriptor.Parent().FullName()) }

// Short is the method's name alone.
func (m *Method) Short() string { return string(m.descriptor.Name()) }

// TakesStream reports whether requests are a stream: no tool call is one.
func (m *Method) TakesStream() bool { return m.descriptor.IsStreamingClient() }

// AnswersStream reports whether the answer is a stream.
func (m *Method) AnswersStream() bool { return m.descriptor.IsStreamingServer() }

// Missing reports that the description leaves out a message that the method needs.
func (m *Method) Missing() bool {
	return m.descriptor.Input().IsPlaceholder() || m.descriptor.Output().IsPlaceholder()
}

// Description says what the method does, in the words of its proto; empty where
// they are not there.
func (m *Method) Description() string {
	if text := commentOf(m.descriptor); text != "" {
		return text
	}
	return documented(m.descriptor.Options(), operationSummary, operationDescription)
}

// The levels of google.protobuf.MethodOptions.IdempotencyLevel.
const (
	noSideEffects = 1
	idempotent    = 2
)

// Effect is what the proto says of it: its idempotency_level, else its HTTP method
// (google.api.http). Unspecified: it says nothing.
func (m *Method) Effect() catalogv1.Effect {
	switch m.options().varint(idempotencyLevel) {
	case noSideEffects:
		return catalogv1.Effect_EFFECT_READ
	case idempotent:
		return catalogv1.Effect_EFFECT_IDEMPOTENT
	}
	rule := m.options().message(httpRule)
	switch {
	case rule.has(httpGet):
		return catalogv1.Effect_EFFECT_READ
	case rule.has(httpPut), rule.has(httpDelete):
		return catalogv1.Effect_EFFECT_IDEMPOTENT
	}
	return catalogv1.Effect_EFFECT_UNSPECIFIED
}

func (m *Method) options() encoded { return optionsOf(m.descriptor) }

// TextField reports whether the request has a string field of that name, which
// can hold an idempotency key.
func (m *Method) TextField(name string) bool {
	field := m.descriptor.Input().Fields().ByName(protoreflect.Name(name))
	return field != nil && field.Kind() == protoreflect.StringKind && !field.IsList()
}

// Encode makes the encoded request of a call's arguments, one JSON object. Where
// keyField is not empty that field of the request holds key, unless the arguments
// set it. The error is a *Fault.
func (m *Method) Encode(arguments []byte, keyField, key string) ([]byte, error) {
	request := dynamicpb.NewMessage(m.descriptor.Input())
	e := &encoder{types: m.types}
	if fault := e.message(request, arguments, ""); fault != nil {
		return nil, fault
	}
	if keyField != "" && key != "" {
		field := m.descriptor.Input().Fields().ByName(protoreflect.Name(keyField))
		if field != nil && !request.Has(field) {
			request.Set(field, protoreflect.ValueOfString(key))
		}
	}
	return proto.MarshalOptions{AllowPartial: true}.Marshal(request)
}

// Render appends an encoded answer as JSON, in the order of the proto. It stops
// soon after max bytes are written, in the middle of the text: cut is true then.
func (m *Method) Render(dst, answer []byte, max int) (text []byte, cut bool, err error) {
	message := dynamicpb.NewMessage(m.descriptor.Output())
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: m.types}).Unmarshal(answer, message); err != nil {
		return dst, false, err
	}
	r := &renderer{types: m.types, max: len(dst) + max}
	dst = r.message(dst, message)
	return dst, r.full(dst), nil
}
