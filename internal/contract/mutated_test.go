package contract

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mutation is one deliberate change of the contract, made in a copy of the tree.
type mutation struct {
	name     string
	file     string // from the root
	old, new string // every `old` becomes `new`
	also     *mutation

	// Who says what of it. `lint` is tools/breaking/check, which `make lint` runs;
	// the rest are parts of `make test`. Each is a word of what must be said; empty:
	// that one need not see it.
	lint, meanings, tests string
}

const (
	errorProto   = "proto/toolgate/v1/tool_error.proto"
	callProto    = "proto/toolgate/v1/call.proto"
	toolProto    = "proto/toolgate/v1/tool.proto"
	gatewayProto = "proto/toolgate/v1/gateway.proto"
	codesOfGo    = "interceptors/outcome.go"
	rendered     = "internal/observation/render.go"
	violated     = "internal/observation/writer.go"
)

// The unchanged copy comes first: what fails there would prove nothing elsewhere.
func TestTheUnchangedCopyHasNoFault(t *testing.T) {
	root := copyOfTheTree(t)
	if said, ok := lints(t, root); !ok {
		t.Error("make lint:", said)
	}
	if said, ok := tests(t, root, contractTests, observationTests); !ok {
		t.Error("make test:", said)
	}
	for _, fault := range meaningFaults(readTable(t, newestBaseline(t)+".meanings"), meaningsOf(t, root)) {
		t.Error(fault)
	}
}

func TestEachDeliberateChangeOfTheProtosIsCaught(t *testing.T) {
	root := copyOfTheTree(t)
	published := readTable(t, newestBaseline(t)+".meanings")
	for _, m := range changesOfProtos {
		t.Run(m.name, func(t *testing.T) {
			undo := m.apply(t, root)
			defer undo()
			if m.lint == "" && m.meanings == "" {
				t.Fatal("nobody is asked")
			}
			if m.lint != "" {
				if said, ok := lints(t, root); ok || !strings.Contains(said, m.lint) {
					t.Errorf("make lint does not name %s: %s", m.lint, said)
				}
			}
			if m.meanings != "" {
				if said := strings.Join(meaningFaults(published, meaningsOf(t, root)), "\n"); !strings.Contains(said, m.meanings) {
					t.Errorf("make test does not say %q: %s", m.meanings, said)
				}
			}
		})
	}
}

func TestEachDeliberateChangeOfTheCodeIsCaught(t *testing.T) {
	root := copyOfTheTree(t)
	for _, m := range changesOfCode {
		t.Run(m.name, func(t *testing.T) {
			undo := m.apply(t, root)
			defer undo()
			if said, ok := tests(t, root, m.packages()...); ok || !strings.Contains(said, m.tests) || strings.Contains(said, "[build failed]") {
				t.Errorf("make test does not say %q: %s", m.tests, said)
			}
		})
	}
}

// What the tests above run is what the targets run.
func TestTheTargetsRunTheseChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("asks about the tests above, which -short leaves out: run it without, as make test-go does")
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`lint: (.* )?lint-proto lint-breaking\b.*`, `lint-breaking: .*\n\ttools/breaking/check \$\(BUF\)`, `lint-proto: .*\n\t\$\(BUF\) lint`,
		`test: (.* )?test-go\b.*`, `test-go: .*\n\tgo test .*\$\$\(go list \./\.\.\. \|.*`, `test: .*\bconformance\b.*`,
	} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).Match(makefile) {
			t.Errorf("the Makefile has no line %q", line)
		}
	}
}

// copyOfTheTree has what the checks read and the packages that they are made of.
func copyOfTheTree(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs buf and the tests of copies, a minute: run it without -short, as make test-go does")
	}
	root := t.TempDir()
	for _, part := range []string{
		"go.mod", "go.sum", "buf.yaml", "CHANGELOG.md", "proto", "tools/breaking", "gen/go", "conformance",
		"interceptors", "server/*.go", "internal/contract", "internal/observation", "internal/rawjson", "internal/redact",
	} {
		found, err := filepath.Glob(filepath.Join("../..", part))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", part, err)
		}
		for _, path := range found {
			copyAll(t, path, root)
		}
	}
	return root
}

func copyAll(t *testing.T, from, root string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		to := filepath.Join(root, strings.TrimPrefix(path, "../../"))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.WriteFile(to, content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// apply changes the copy and returns what changes it back.
func (m *mutation) apply(t *testing.T, root string) func() {
	t.Helper()
	path := filepath.Join(root, m.file)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(content), m.old, m.new)
	if changed == string(content) {
		t.Fatalf("%s has no %q", m.file, m.old)
	}
	write(t, path, changed)
	undo, first := func() { write(t, path, string(content)) }, func() {}
	if m.also != nil {
		first = m.also.apply(t, root)
	}
	return func() { first(); undo() }
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lints runs what `make lint` runs on the protos.
func lints(t *testing.T, root string) (string, bool) {
	t.Helper()
	return run(t, root, filepath.Join(root, "tools/breaking/check"), buf(t))
}

const (
	contractTests    = "./internal/contract"
	observationTests = "./internal/observation"
)

// packages are those whose tests must see the change.
func (m *mutation) packages() []string {
	if m.tests == "internal/observation" {
		return []string{observationTests}
	}
	return []string{contractTests}
}

// tests runs what `make test` runs on packages of the copy, but for these copies.
func tests(t *testing.T, root string, packages ...string) (string, bool) {
	t.Helper()
	return run(t, root, "go", append([]string{"test", "-trimpath", "-short", "-vet=off"}, packages...)...)
}

func run(t *testing.T, root, program string, arguments ...string) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, arguments...)
	cmd.Dir = root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(one string) bool { return strings.HasPrefix(one, "GOFLAGS=") })
	said, err := cmd.CombinedOutput()
	return string(said), err == nil
}

func buf(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("../../tools/node_modules/.bin/buf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: make test installs it", err)
	}
	return program
}
