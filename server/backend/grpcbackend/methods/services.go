package methods

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	// The files that descriptions leave out resolve by name.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

// Services are the described services of one server.
type Services struct {
	digest  string
	methods []*Method
	byName  map[string]*Method
}

// opaque keeps the options of others as they are encoded, whatever is linked in.
var opaque = proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}

// Parse reads an encoded FileDescriptorSet with all its imports.
func Parse(set []byte) (*Services, error) {
	var files descriptorpb.FileDescriptorSet
	if err := opaque.Unmarshal(set, &files); err != nil || len(files.GetFile()) == 0 {
		return nil, errors.New("this is no FileDescriptorSet")
	}
	return build(&files)
}

// FromFiles reads encoded FileDescriptorProtos, as a server reflects them. Imports
// that it leaves out are done without: methods that need them can't be called.
func FromFiles(encoded [][]byte) (*Services, error) {
	files := &descriptorpb.FileDescriptorSet{}
	for _, text := range encoded {
		file := &descriptorpb.FileDescriptorProto{}
		if err := opaque.Unmarshal(text, file); err != nil {
			return nil, errors.New("a file of the description can't be read")
		}
		files.File = append(files.File, file)
	}
	return build(files)
}

func build(set *descriptorpb.FileDescriptorSet) (*Services, error) {
	addKnown(set)
	slices.SortStableFunc(set.File, func(a, b *descriptorpb.FileDescriptorProto) int { return strings.Compare(a.GetName(), b.GetName()) })
	set.File = slices.CompactFunc(set.File, func(a, b *descriptorpb.FileDescriptorProto) bool { return a.GetName() == b.GetName() })
	mend(set)
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("the descriptors don't fit together: %w", err)
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	s := &Services{digest: hex.EncodeToString(sum[:8]), byName: map[string]*Method{}}
	types := dynamicpb.NewTypes(files)
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			s.addService(file.Services().Get(i), types)
		}
		return true
	})
	slices.SortFunc(s.methods, func(a, b *Method) int { return strings.Compare(a.name, b.name) })
	return s, nil
}

// addKnown adds those of the well-known files that are imported and missing: they
// are the same everywhere.
func addKnown(set *descriptorpb.FileDescriptorSet) {
	have := map[string]bool{}
	for _, file := range set.GetFile() {
		have[file.GetName()] = true
	}
	for queue := set.GetFile(); len(queue) > 0; queue = queue[1:] {
		for _, name := range queue[0].GetDependency() {
			if have[name] || !strings.HasPrefix(name, "google/protobuf/") {
				continue
			}
			have[name] = true
			if known, err := protoregistry.GlobalFiles.FindFileByPath(name); err == nil {
				file := protodesc.ToFileDescriptorProto(known)
				set.File, queue = append(set.File, file), append(slices.Clip(queue), file)
			}
		}
	}
}

func (s *Services) addService(service protoreflect.ServiceDescriptor, types *dynamicpb.Types) {
	for i := range service.Methods().Len() {
		m := newMethod(service.Methods().Get(i), types)
		s.methods = append(s.methods, m)
		s.byName[m.name] = m
	}
}

// Digest identifies what the services look like.
func (s *Services) Digest() string { return s.digest }

// Methods lists all methods by name.
func (s *Services) Methods() []*Method { return s.methods }

// Find finds a method by `package.Service/Method`.
func (s *Services) Find(name string) (*Method, bool) {
	found, ok := s.byName[name]
	return found, ok
}

// Names lists the names of all methods.
func (s *Services) Names() []string {
	names := make([]string, 0, len(s.methods))
	for _, m := range s.methods {
		names = append(names, m.name)
	}
	return names
}
