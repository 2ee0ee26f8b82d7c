package mcpservers

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const filesystem = `
upstreams:
  files: {mcp: {program: {command: "{{.Program}}", arguments: ["{{.Folder}}"]}, trust_annotations: true}}
mcp:
  - {upstream: files}
`

func TestTheFilesystemServer(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "mcp-filesystem", filesystem, map[string]string{"Program": program(t, "mcp-server-filesystem"), "Folder": folder})
	at := func(name string) string { return `{"path":` + strconv.Quote(filepath.Join(folder, name)) + `}` }
	write := strings.TrimSuffix(at("a.txt"), "}") + `,"content":"good morning\n"}`
	s.check(t, "a file is written", "write_file", write, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		text, err := os.ReadFile(filepath.Join(folder, "a.txt"))
		if resp.GetError() != nil || err != nil || string(text) != "good morning\n" {
			t.Errorf("the file holds %q, %v", text, err)
		}
	})
	s.check(t, "and read", "read_text_file", at("a.txt"), holds(`{"content":"good morning\n"}`))
	s.check(t, "and listed", "list_directory", at("."), holds(`{"content":"[FILE] a.txt"}`))
	s.check(t, "a file that is not there", "read_text_file", at("nope"), fails(interceptors.InvalidRequest, "ENOENT", "path"))
	s.check(t, "a file outside", "read_text_file", `{"path":"/etc/passwd"}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if e := resp.GetError(); e.GetErrorClass() != interceptors.Terminal || e.GetBlockedBy() != "permission" {
			t.Error("want a refusal")
		}
	})
	s.check(t, "a way out of the folder", "read_text_file", at("../../etc/passwd"), func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if resp.GetError() == nil {
			t.Error("it was read")
		}
	})
	s.check(t, "an edit that does not fit", "edit_file",
		strings.TrimSuffix(at("a.txt"), "}")+`,"edits":[{"oldText":"evening","newText":"night"}]}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
			e := resp.GetError()
			if e.GetErrorClass() != interceptors.InvalidRequest || !strings.Contains(e.GetMessage(), "evening") || e.GetMaybeExecuted() {
				t.Error("want what did not fit")
			}
		})
	s.check(t, "a text where a list is wanted", "read_multiple_files", `{"paths":`+strconv.Quote(filepath.Join(folder, "a.txt"))+`}`,
		func(t *testing.T, resp *toolgatev1.CallToolResponse) {
			if got := resp.GetResult(); len(got.GetCoercions()) != 1 || !strings.Contains(got.GetStructuredJson(), "good morning") {
				t.Error("want it mended before it is sent")
			}
		})
}
