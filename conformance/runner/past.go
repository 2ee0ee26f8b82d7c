package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const serviceName = protoreflect.FullName("toolgate.v1.ToolGatewayService")

// past is the contract as a release published it: what a client or a gateway of
// that time knows. It is read only.
type past struct {
	version string
	files   *protoregistry.Files
}

// oldest returns the release that is supported longest: the first of the newest
// major; before 1.0.0, when a mistake may still be corrected, the newest.
func oldest(baselines fs.FS) (*past, error) {
	images, err := fs.Glob(baselines, "v*.binpb")
	if err != nil {
		return nil, err
	}
	if len(images) == 0 {
		return nil, errors.New("no v*.binpb among the baselines")
	}
	slices.SortFunc(images, func(a, b string) int { return slices.Compare(numbersOf(a), numbersOf(b)) })
	chosen := images[len(images)-1]
	if major := numbersOf(chosen)[0]; major > 0 {
		chosen = images[slices.IndexFunc(images, func(image string) bool { return numbersOf(image)[0] == major })]
	}
	encoded, err := fs.ReadFile(baselines, chosen)
	if err != nil {
		return nil, err
	}
	return newPast(strings.TrimSuffix(chosen, ".binpb"), encoded)
}

// numbersOf reads `v1.2.3.binpb`; what is no number counts as 0.
func numbersOf(image string) (numbers []int) {
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(image, "v"), ".binpb"), ".") {
		number, _ := strconv.Atoi(part)
		numbers = append(numbers, number)
	}
	return numbers
}

func newPast(version string, image []byte) (*past, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(image, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", version, err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", version, err)
	}
	p := &past{version: version, files: files}
	if p.method("CallTool") == nil {
		return nil, fmt.Errorf("%s has no %s", version, serviceName)
	}
	return p, nil
}

// method finds an rpc; nil: it did not exist.
func (p *past) method(name string) protoreflect.MethodDescriptor {
	found, err := p.files.FindDescriptorByName(serviceName)
	if err != nil {
		return nil
	}
	service, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil
	}
	return service.Methods().ByName(protoreflect.Name(name))
}

// read decodes a message as that time's code does, and forgets what it does not
// know. Values that enums had not yet stay numbers.
func (p *past) read(kind protoreflect.MessageDescriptor, encoded []byte) (*dynamicpb.Message, error) {
	message := dynamicpb.NewMessage(kind)
	if err := proto.Unmarshal(encoded, message); err != nil {
		return nil, err
	}
	each(message, func(inner protoreflect.Message) { inner.SetUnknown(nil) })
	return message, nil
}

// wouldWrite is what a gateway of that time would have written in place of a
// message: no field and no value that it does not know.
func (p *past) wouldWrite(kind protoreflect.MessageDescriptor, encoded []byte) ([]byte, error) {
	message, err := p.read(kind, encoded)
	if err != nil {
		return nil, err
	}
	each(message, clearUnknownValues)
	return proto.Marshal(message)
}

func clearUnknownValues(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.Enum() != nil && !field.IsList() && field.Enum().Values().ByNumber(value.Enum()) == nil {
			message.Clear(field)
		}
		return true
	})
}

// each visits a message and all that it holds.
func each(message protoreflect.Message, visit func(protoreflect.Message)) {
	visit(message)
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap() && field.MapValue().Message() != nil:
			value.Map().Range(func(_ protoreflect.MapKey, item protoreflect.Value) bool {
				each(item.Message(), visit)
				return true
			})
		case field.IsList() && field.Message() != nil:
			for i := range value.List().Len() {
				each(value.List().Get(i).Message(), visit)
			}
		case field.Message() != nil && !field.IsList() && !field.IsMap():
			each(value.Message(), visit)
		}
		return true
	})
}

// known is today's message without what that time did not know.
func known[M proto.Message](p *past, message M, write func(protoreflect.MessageDescriptor, []byte) ([]byte, error)) M {
	reflected := message.ProtoReflect()
	if !reflected.IsValid() {
		return message
	}
	found, err := p.files.FindDescriptorByName(reflected.Descriptor().FullName())
	kind, ok := found.(protoreflect.MessageDescriptor)
	if err != nil || !ok {
		return message
	}
	encoded, err := proto.Marshal(message)
	if err != nil {
		return message
	}
	if encoded, err = write(kind, encoded); err != nil {
		return message
	}
	narrowed := reflected.New().Interface()
	if err := proto.Unmarshal(encoded, narrowed); err != nil {
		return message
	}
	return narrowed.(M)
}

// wouldRead is what a client of that time made of a message, encoded anew.
func (p *past) wouldRead(kind protoreflect.MessageDescriptor, encoded []byte) ([]byte, error) {
	message, err := p.read(kind, encoded)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(message)
}
