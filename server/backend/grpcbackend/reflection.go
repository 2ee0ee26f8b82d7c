package grpcbackend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// The two versions of the reflection service have the same messages.
var reflectionMethods = []string{
	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
}

const (
	maxReflectedFiles = 5_000
	maxReflectedBytes = 32 << 20
)

var errNoReflection = errors.New("the server does not tell what its services are: use descriptor_set")

// reflect asks a server for all of its services.
func reflect(ctx context.Context, g *generation) (*methods.Services, error) {
	for _, version := range reflectionMethods {
		services, err := ask(ctx, g, version)
		if status.Code(err) != codes.Unimplemented {
			return services, err
		}
	}
	return nil, errNoReflection
}

// mirror asks the questions of one reflection stream, one at a time.
type mirror struct {
	stream grpc.ClientStream
	files  map[string][]byte // by name
	size   int
}

func ask(ctx context.Context, g *generation, method string) (*methods.Services, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := g.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return nil, err
	}
	m := &mirror{stream: stream, files: map[string][]byte{}}
	listed, err := m.question(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{ListServices: "*"},
	})
	if err != nil {
		return nil, err
	}
	for _, service := range listed.GetListServicesResponse().GetService() {
		if err := m.service(service.GetName()); err != nil {
			return nil, err
		}
	}
	if len(m.files) == 0 {
		return nil, errNoReflection
	}
	if err := m.symbols(); err != nil {
		return nil, err
	}
	return methods.FromFiles(m.all())
}

func (m *mirror) all() [][]byte {
	all := make([][]byte, 0, len(m.files))
	for _, file := range m.files {
		if file != nil {
			all = append(all, file)
		}
	}
	return all
}

// symbols asks by name for types whose file the server does not find by its path:
// generated code may be registered under another one than it is imported by.
func (m *mirror) symbols() error {
	asked := map[string]bool{}
	for {
		more := false
		for _, name := range methods.Undeclared(m.all()) {
			if asked[name] {
				continue
			}
			asked[name], more = true, true
			if err := m.service(name); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// service reads the files that declare a service, or any other name. A server may
// list what it can't describe; that is left out.
func (m *mirror) service(name string) error {
	answer, err := m.question(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name},
	})
	if err != nil {
		return err
	}
	return m.take(answer)
}

// take keeps the files of an answer, and asks for what they import.
func (m *mirror) take(answer *reflectionv1.ServerReflectionResponse) error {
	imports, err := m.keep(answer)
	if err != nil {
		return err
	}
	for len(imports) > 0 {
		name := imports[0]
		imports = imports[1:]
		if _, asked := m.files[name]; asked || strings.HasPrefix(name, "google/protobuf/") {
			continue
		}
		m.files[name] = nil // it is asked for once
		answer, err := m.question(&reflectionv1.ServerReflectionRequest{
			MessageRequest: &reflectionv1.ServerReflectionRequest_FileByFilename{FileByFilename: name},
		})
		if err != nil {
			return err
		}
		more, err := m.keep(answer)
		if err != nil {
			return err
		}
		imports = append(imports, more...)
	}
	return nil
}

func (m *mirror) keep(answer *reflectionv1.ServerReflectionResponse) (imports []string, err error) {
	for _, text := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(text, file); err != nil {
			return nil, errors.New("a file of the description can't be read")
		}
		if m.files[file.GetName()] != nil {
			continue
		}
		m.files[file.GetName()], m.size = text, m.size+len(text)
		imports = append(imports, file.GetDependency()...)
	}
	if len(m.files) > maxReflectedFiles || m.size > maxReflectedBytes {
		return nil, fmt.Errorf("the description is too large: more than %d files or %d bytes", maxReflectedFiles, maxReflectedBytes)
	}
	return imports, nil
}

// question sends one and waits for its answer. An error response is no error: what
// is asked for is missing then.
func (m *mirror) question(request *reflectionv1.ServerReflectionRequest) (*reflectionv1.ServerReflectionResponse, error) {
	text, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	if err := m.stream.SendMsg(&frame{text: text}); err != nil {
		// The stream has ended, and only receiving says why.
		if received := m.stream.RecvMsg(&frame{}); received != nil {
			return nil, received
		}
		return nil, err
	}
	answer := &frame{}
	if err := m.stream.RecvMsg(answer); err != nil {
		return nil, err
	}
	response := &reflectionv1.ServerReflectionResponse{}
	return response, proto.Unmarshal(answer.text, response)
}
