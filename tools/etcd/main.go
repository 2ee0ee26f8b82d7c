// Command etcd writes the descriptors of etcd's services to its standard output, as
// one FileDescriptorSet: the server itself does not tell what they are.
package main

import (
	"fmt"
	"os"

	_ "go.etcd.io/etcd/api/v3/etcdserverpb" // whose descriptors are written
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName("etcdserverpb.KV")
	if err != nil {
		return err
	}
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	add(set, seen, found.ParentFile())
	text, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

// add adds a file behind those that it imports.
func add(set *descriptorpb.FileDescriptorSet, seen map[string]bool, file protoreflect.FileDescriptor) {
	if seen[file.Path()] || file.IsPlaceholder() {
		return
	}
	seen[file.Path()] = true
	for i := range file.Imports().Len() {
		add(set, seen, file.Imports().Get(i).FileDescriptor)
	}
	// Some files are registered under another path than they are imported by.
	for i := range file.Messages().Len() {
		fields := file.Messages().Get(i).Fields()
		for j := range fields.Len() {
			if message := fields.Get(j).Message(); message != nil {
				add(set, seen, message.ParentFile())
			}
		}
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
}
