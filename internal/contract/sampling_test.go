package contract

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"toolgate.dev/toolgate/conformance/runner"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

type named struct {
	name    string
	message proto.Message
}

// toldInVectors has every outcome that a vector expects, as the response that
// carries it.
func toldInVectors(t *testing.T) (all []named) {
	t.Helper()
	vectors, err := runner.Load(os.DirFS("../../conformance"))
	if err != nil {
		t.Fatal(err)
	}
	for _, vector := range vectors {
		for i, step := range vector.GetSteps() {
			for j, want := range step.GetOutcomes() {
				name := fmt.Sprintf("%s-%d-%d", vector.GetName(), i, j)
				switch {
				case want.GetError() != nil:
					all = append(all, named{name, failed(want.GetError())})
				case want.GetResult() != nil:
					all = append(all, named{name, answered(want.GetResult())})
				}
			}
		}
	}
	return all
}

func failed(e *toolgatev1.ToolError) *toolgatev1.CallToolResponse {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: e}}
}

func answered(r *toolgatev1.ToolResult) *toolgatev1.CallToolResponse {
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: r}}
}

// everyMember has, of each request and response, one that is empty and one with
// every member set, and each value of each enum where readers meet it.
func everyMember() (all []named) {
	methods := toolgatev1.File_toolgate_v1_gateway_proto.Services().Get(0).Methods()
	for i := range methods.Len() {
		for _, kind := range []protoreflect.MessageDescriptor{methods.Get(i).Input(), methods.Get(i).Output()} {
			all = append(all, filled(kind)...)
		}
	}
	for number := range protoreflect.EnumNumber(len(toolgatev1.ClassifiedBy_name)) {
		all = append(all, named{fmt.Sprintf("classified-by-%d", number), failed(&toolgatev1.ToolError{
			ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "c", ClassifiedBy: toolgatev1.ClassifiedBy(number),
		})})
	}
	for number := range protoreflect.EnumNumber(len(toolgatev1.ErrorClass_name)) {
		all = append(all, named{fmt.Sprintf("error-class-%d", number), failed(&toolgatev1.ToolError{ErrorClass: toolgatev1.ErrorClass(number), Code: "c"})})
	}
	for number := range protoreflect.EnumNumber(len(toolgatev1.CallProgress_Phase_name)) {
		progress := &toolgatev1.CallProgress{Phase: toolgatev1.CallProgress_Phase(number)}
		all = append(all, named{fmt.Sprintf("phase-%d", number), &toolgatev1.CallToolsResponse{Event: &toolgatev1.CallToolsResponse_Progress{Progress: progress}}})
	}
	tools := &toolgatev1.ListToolsResponse{}
	for number := range protoreflect.EnumNumber(len(toolgatev1.Effect_name)) {
		tools.Tools = append(tools.Tools, &toolgatev1.Tool{
			Name: fmt.Sprintf("effect_%d", number), InputSchemaJson: `{"type":"object"}`, Effect: toolgatev1.Effect(number),
		})
	}
	return append(all, named{"effects", tools})
}

// filled has an empty message of a kind, and full ones: one for each member of
// its own oneof, or one.
func filled(kind protoreflect.MessageDescriptor) (all []named) {
	goType, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		return nil // the test of coverage misses it
	}
	all = append(all, named{"empty", goType.New().Interface()})
	for _, variant := range variants(kind) {
		full := goType.New()
		fill(full, variant)
		name := "every-member"
		if variant != nil {
			name += "-with-" + strings.ReplaceAll(string(variant.Name()), "_", "-")
		}
		if kind.Fields().Len() > 0 {
			all = append(all, named{name, full.Interface()})
		}
	}
	return all
}

func variants(kind protoreflect.MessageDescriptor) (all []protoreflect.FieldDescriptor) {
	for i := range kind.Oneofs().Len() {
		if oneof := kind.Oneofs().Get(i); !oneof.IsSynthetic() {
			for j := range oneof.Fields().Len() {
				all = append(all, oneof.Fields().Get(j))
			}
		}
	}
	if len(all) == 0 {
		return []protoreflect.FieldDescriptor{nil}
	}
	return all
}

// fill sets every field of a message, of a oneof the chosen one.
func fill(message protoreflect.Message, chosen protoreflect.FieldDescriptor) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if oneof := field.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() && field != chosen {
			continue
		}
		if !field.IsList() {
			message.Set(field, filling(field, message.NewField(field), nil))
			continue
		}
		list := message.Mutable(field).List()
		of := []protoreflect.FieldDescriptor{nil}
		if field.Message() != nil {
			of = variants(field.Message())
		}
		for _, variant := range of {
			list.Append(filling(field, list.NewElement(), variant))
		}
	}
}

// filling is a value at the edge of its type.
func filling(field protoreflect.FieldDescriptor, empty protoreflect.Value, variant protoreflect.FieldDescriptor) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.MessageKind:
		if variant == nil {
			variant = variants(field.Message())[0]
		}
		if full := field.Message().FullName(); full == "google.protobuf.Timestamp" || full == "google.protobuf.Duration" {
			empty.Message().Set(field.Message().Fields().ByName("seconds"), protoreflect.ValueOfInt64(86_400))
			empty.Message().Set(field.Message().Fields().ByName("nanos"), protoreflect.ValueOfInt32(500_000_000))
			return empty
		}
		fill(empty.Message(), variant)
		return empty
	case protoreflect.StringKind:
		if strings.HasSuffix(string(field.Name()), "_json") {
			return protoreflect.ValueOfString(`{"größe":18446744073709551615,"żółw":"🐢\u0000"}`)
		}
		return protoreflect.ValueOfString(string(field.Name()) + " ä € 🐢")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{0, 0x7f, 0x80, 0xff})
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(0.001)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(math.MaxUint32)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(math.MaxUint64)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(field.Enum().Values().Len() - 1))
	default:
		return empty // a kind that is new: the test of coverage misses it
	}
}
