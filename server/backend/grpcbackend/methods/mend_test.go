package methods

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// file makes an encoded file with one message, which has one field of a type.
func file(t *testing.T, name, pkg, fieldType string, imports ...string) []byte {
	t.Helper()
	text, err := proto.Marshal(&descriptorpb.FileDescriptorProto{
		Name: &name, Package: &pkg, Syntax: proto.String("proto3"), Dependency: imports,
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("Thing"), Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("part"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
				Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: &fieldType,
			}},
		}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Things"), Method: []*descriptorpb.MethodDescriptorProto{{
			Name: proto.String("Do"), InputType: proto.String("." + pkg + ".Thing"), OutputType: proto.String("." + pkg + ".Thing"),
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Generated code may be registered under another path than others import it by.
func TestAnImportThatGoesByAnotherPathIsFoundByWhatItDeclares(t *testing.T) {
	whole := file(t, "whole.proto", "a.v1", ".b.v1.Thing", "api/part.proto")
	part := file(t, "part.proto", "b.v1", ".b.v1.Thing")
	if names := Undeclared([][]byte{whole}); !slices.Equal(names, []string{"b.v1.Thing"}) {
		t.Errorf("undeclared %v", names)
	}
	if names := Undeclared([][]byte{whole, part}); len(names) != 0 {
		t.Errorf("undeclared %v", names)
	}
	services, err := FromFiles([][]byte{whole, part})
	if err != nil {
		t.Fatal(err)
	}
	method, found := services.Find("a.v1.Things/Do")
	if !found || method.Missing() {
		t.Fatalf("methods %v", services.Names())
	}
	if _, err := method.Encode([]byte(`{"part":{"part":{}}}`), "", ""); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotDescribedIsDoneWithout(t *testing.T) {
	services, err := FromFiles([][]byte{file(t, "whole.proto", "a.v1", ".b.v1.Thing", "gone.proto")})
	if err != nil {
		t.Fatal(err)
	}
	method, _ := services.Find("a.v1.Things/Do")
	const want = `{"type":"object","properties":{"part":{"type":"object"}},"additionalProperties":false}`
	if schema := method.Schema(); method.Missing() || schema != want {
		t.Errorf("%v %s", method.Missing(), schema)
	}
}

func TestWhatIsNoDescriptionIsRefused(t *testing.T) {
	for _, text := range []string{"", "nonsense", "\x0a\x03\x0a\x01a\x0a\x00"} {
		if services, err := Parse([]byte(text)); err == nil && len(services.Methods()) > 0 {
			t.Errorf("%q has methods", text)
		}
	}
	if _, err := FromFiles([][]byte{[]byte("nonsense")}); err == nil {
		t.Error("nonsense is a file")
	}
}
