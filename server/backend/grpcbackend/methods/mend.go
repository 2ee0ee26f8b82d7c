package methods

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// types are the declarations of files: what is declared, and in which file.
type types map[string]string

func declared(files []*descriptorpb.FileDescriptorProto) types {
	all := types{}
	for _, file := range files {
		scope := "." + file.GetPackage()
		if scope != "." {
			scope += "."
		}
		all.messages(scope, file.GetName(), file.GetMessageType())
		for _, enum := range file.GetEnumType() {
			all[scope+enum.GetName()] = file.GetName()
		}
	}
	return all
}

func (t types) messages(scope, file string, messages []*descriptorpb.DescriptorProto) {
	for _, message := range messages {
		t[scope+message.GetName()] = file
		inner := scope + message.GetName() + "."
		t.messages(inner, file, message.GetNestedType())
		for _, enum := range message.GetEnumType() {
			t[inner+enum.GetName()] = file
		}
	}
}

// referenced lists the types that a file names.
func referenced(file *descriptorpb.FileDescriptorProto) (names []string) {
	fields := func(all []*descriptorpb.FieldDescriptorProto) {
		for _, field := range all {
			names = append(names, field.GetTypeName(), field.GetExtendee())
		}
	}
	var within func(messages []*descriptorpb.DescriptorProto)
	within = func(messages []*descriptorpb.DescriptorProto) {
		for _, message := range messages {
			fields(message.GetField())
			fields(message.GetExtension())
			within(message.GetNestedType())
		}
	}
	within(file.GetMessageType())
	fields(file.GetExtension())
	for _, service := range file.GetService() {
		for _, method := range service.GetMethod() {
			names = append(names, method.GetInputType(), method.GetOutputType())
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, ".") })
}

// mend adds to files that import what is not there those that declare the types they
// need: generated code may be registered under another path than it is imported by.
func mend(set *descriptorpb.FileDescriptorSet) {
	all := declared(set.GetFile())
	have := map[string]bool{}
	for _, file := range set.GetFile() {
		have[file.GetName()] = true
	}
	for _, file := range set.GetFile() {
		if !slices.ContainsFunc(file.GetDependency(), func(name string) bool { return !have[name] }) {
			continue
		}
		for _, name := range referenced(file) {
			from, known := all[name]
			if known && from != file.GetName() && !slices.Contains(file.GetDependency(), from) {
				file.Dependency = append(file.Dependency, from)
			}
		}
	}
}

// Undeclared lists the types that encoded files name and none of them declares,
// without the leading dot.
func Undeclared(encoded [][]byte) (names []string) {
	var files []*descriptorpb.FileDescriptorProto
	for _, text := range encoded {
		file := &descriptorpb.FileDescriptorProto{}
		if opaque.Unmarshal(text, file) == nil {
			files = append(files, file)
		}
	}
	all := declared(files)
	for _, file := range files {
		for _, name := range referenced(file) {
			if _, known := all[name]; !known && !strings.HasPrefix(name, ".google.protobuf.") {
				names = append(names, name[1:])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
