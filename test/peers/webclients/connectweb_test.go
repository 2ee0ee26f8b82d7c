package webclients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"toolgate.dev/toolgate/examples"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

const peer = "connect-web"

const page = "https://app.example"

// program is the folder of the client, where `make test-peers` installs it.
var program = filepath.Join("..", "..", "..", "tools", "web-client")

// said is what the client says of one check; an empty why: all was well.
type said struct{ Transport, Check, Why string }

func TestPagesCallWithConnectAndGRPCWeb(t *testing.T) {
	node := nodeOf(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	client := exec.CommandContext(ctx, node, filepath.Join(program, "client.mjs"), descriptors(t), "http://"+serve(t), page)
	client.Env = []string{"PATH=" + filepath.Dir(node)} // no proxy
	client.Stderr = os.Stderr
	out, err := client.Output()
	if err != nil {
		t.Errorf("the client ends with %v", err)
	}
	checks := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); checks++ {
		var one said
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		peertest.Check(t, peer, one.Transport+": "+one.Check, func(t *testing.T) {
			if one.Why != "" {
				t.Error(one.Why)
			}
		})
	}
	if checks < 40 {
		t.Errorf("only %d checks", checks)
	}
}

// descriptors writes the service and all that it is made of to a file.
func descriptors(t *testing.T) string {
	t.Helper()
	set, known := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var add func(file protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if known[file.Path()] {
			return
		}
		known[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	add(toolgatev1.File_toolgate_v1_gateway_proto)
	add(errdetails.File_google_rpc_error_details_proto)
	encoded, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "descriptors.binpb")
	if err := os.WriteFile(path, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// serve runs a gateway of the example back ends, and of a tool that never answers,
// until the test ends.
func serve(t *testing.T) (address string) {
	t.Helper()
	back, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = back.Close() })
	text := back.Catalog() + "\n  - name: sleep\n    description: Never answers.\n    effect: read\n    function: {}\n"
	tools, err := catalog.Parse("catalog.yaml", []byte(text), catalog.WithFunction("sleep", func(ctx context.Context, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "127.0.0.1:0", Origins: []string{page}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- gateway.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return gateway.HTTPAddr()
}
