package contract

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The parts of a descriptor set by name. A name that does not exist is a mistake
// of the test and ends in a nil dereference.

func file(set *descriptorpb.FileDescriptorSet, name string) *descriptorpb.FileDescriptorProto {
	return find(set.GetFile(), name)
}

func message(set *descriptorpb.FileDescriptorSet, name string) (found *descriptorpb.DescriptorProto) {
	for _, file := range set.GetFile() {
		if m := find(file.GetMessageType(), name); m != nil && file.GetPackage() == "toolgate.v1" {
			found = m
		}
	}
	return found
}

func enum(set *descriptorpb.FileDescriptorSet, name string) (found *descriptorpb.EnumDescriptorProto) {
	for _, file := range set.GetFile() {
		if e := find(file.GetEnumType(), name); e != nil && file.GetPackage() == "toolgate.v1" {
			found = e
		}
	}
	return found
}

func field(set *descriptorpb.FileDescriptorSet, in, name string) *descriptorpb.FieldDescriptorProto {
	return find(message(set, in).GetField(), name)
}

func method(set *descriptorpb.FileDescriptorSet, name string) *descriptorpb.MethodDescriptorProto {
	return find(file(set, "toolgate/v1/gateway.proto").GetService()[0].GetMethod(), name)
}

func add(set *descriptorpb.FileDescriptorSet, in string, field *descriptorpb.FieldDescriptorProto) {
	m := message(set, in)
	m.Field = append(m.Field, field)
}

func value(name string, number int32) *descriptorpb.EnumValueDescriptorProto {
	return &descriptorpb.EnumValueDescriptorProto{Name: proto.String(name), Number: proto.Int32(number)}
}

func find[T interface{ GetName() string }](all []T, name string) (found T) {
	if i := slices.IndexFunc(all, func(one T) bool { return one.GetName() == name }); i >= 0 {
		return all[i]
	}
	return found
}
