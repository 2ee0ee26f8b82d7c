package contract

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	// Linked in for their descriptors.
	_ "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	_ "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func TestTheContractKeepsItsRules(t *testing.T) {
	s := build(t, published())
	if len(s.services) == 0 || len(s.messages) < 20 || len(s.enums) < 5 {
		t.Fatalf("read only %d services, %d messages, %d enums", len(s.services), len(s.messages), len(s.enums))
	}
	for name, rule := range rules {
		for _, fault := range rule(s) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

func TestEachRuleSeesItsFault(t *testing.T) {
	cases := []struct {
		name, rule string
		mutate     func(set *descriptorpb.FileDescriptorSet)
	}{
		{"an error beside the oneof", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "CallToolResponse", "error").OneofIndex = nil
		}},
		{"a third way to end", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			add(set, "CallToolResponse", &descriptorpb.FieldDescriptorProto{
				Name: proto.String("pending"), Number: proto.Int32(3), OneofIndex: proto.Int32(0),
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: optional,
			})
		}},
		{"an oneof of another name", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			message(set, "CallToolResponse").OneofDecl[0].Name = proto.String("answer")
		}},
		{"an rpc that answers with progress alone", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "CallToolsResponse", "done").TypeName = proto.String(".toolgate.v1.CallProgress")
		}},
		{"an rpc that answers with the bare result", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			method(set, "CallTool").OutputType = proto.String(".toolgate.v1.ToolResult")
		}},
		{"an error in a message of its own", "outcome", func(set *descriptorpb.FileDescriptorSet) {
			add(set, "RunTool", &descriptorpb.FieldDescriptorProto{
				Name: proto.String("last_error"), Number: proto.Int32(9), TypeName: proto.String(".toolgate.v1.ToolError"),
				Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), Label: optional,
			})
		}},
		{"a class with its default JSON name", "first field", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "ToolError", "error_class").JsonName = proto.String("errorClass")
		}},
		{"a class that can't be read in Python", "first field", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "ToolError", "error_class").Name = proto.String("class")
		}},
		{"a code before the class", "first field", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "ToolError", "error_class").Number = proto.Int32(2)
			field(set, "ToolError", "code").Number = proto.Int32(1)
		}},
		{"a list of classes", "first field", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "ToolError", "error_class").Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}},
		{"a fifth class", "four values", func(set *descriptorpb.FileDescriptorSet) {
			class := enum(set, "ErrorClass")
			class.Value = append(class.Value, value("ERROR_CLASS_RATE_LIMITED", 4))
		}},
		{"a class renamed", "four values", func(set *descriptorpb.FileDescriptorSet) {
			enum(set, "ErrorClass").Value[3].Name = proto.String("ERROR_CLASS_PERMANENT")
		}},
		{"classes renumbered", "four values", func(set *descriptorpb.FileDescriptorSet) {
			class := enum(set, "ErrorClass")
			class.Value[1].Number, class.Value[3].Number = proto.Int32(3), proto.Int32(1)
		}},
		{"a class as text", "hidden class", func(set *descriptorpb.FileDescriptorSet) {
			class := field(set, "FailureCount", "error_class")
			class.Type, class.TypeName = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), nil
		}},
		{"a class called status", "hidden class", func(set *descriptorpb.FileDescriptorSet) {
			field(set, "ClassCount", "error_class").Name = proto.String("status")
		}},
		{"a flag that says the same", "hidden class", func(set *descriptorpb.FileDescriptorSet) {
			add(set, "ToolError", &descriptorpb.FieldDescriptorProto{
				Name: proto.String("is_retryable"), Number: proto.Int32(99),
				Type: descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum(), Label: optional,
			})
		}},
		{"a second enum of classes", "hidden class", func(set *descriptorpb.FileDescriptorSet) {
			file := file(set, "toolgate/v1/tool.proto")
			file.EnumType = append(file.EnumType, &descriptorpb.EnumDescriptorProto{
				Name: proto.String("Severity"), Value: []*descriptorpb.EnumValueDescriptorProto{value("SEVERITY_UNSPECIFIED", 0), value("SEVERITY_TERMINAL", 1)},
			})
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set := published()
			c.mutate(set)
			if faults := rules[c.rule](build(t, set)); len(faults) == 0 {
				t.Errorf("the rule %q has nothing to say", c.rule)
			}
		})
	}
}

var optional = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()

// published is a fresh copy of the descriptors that gen/go is compiled with: what
// callers and operators were promised, not the shapes of our own test vectors.
func published() *descriptorpb.FileDescriptorSet {
	set := &descriptorpb.FileDescriptorSet{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		promised := strings.HasPrefix(file.Path(), "toolgate/v1/") || strings.HasPrefix(file.Path(), "toolgate/catalog/")
		if promised || strings.HasPrefix(file.Path(), "google/protobuf/") {
			set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
		}
		return true
	})
	return set
}

func build(t *testing.T, set *descriptorpb.FileDescriptorSet) (s schema) {
	t.Helper()
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatalf("the mutated protos do not compile: %v", err)
	}
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			s.services = append(s.services, file.Services().Get(i))
		}
		s.collect(file.Messages(), file.Enums())
		return true
	})
	return s
}

func (s *schema) collect(messages protoreflect.MessageDescriptors, enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		s.enums = append(s.enums, enums.Get(i))
	}
	for i := range messages.Len() {
		s.messages = append(s.messages, messages.Get(i))
		s.collect(messages.Get(i).Messages(), messages.Get(i).Enums())
	}
}
