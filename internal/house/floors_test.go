package house

import (
	"slices"
	"strings"
	"testing"
)

const module = "toolgate.dev/toolgate/"

// floor is one line of the import law: what the packages of a folder may import
// of ours. Entries are folders relative to the module: `gen/` with all below it,
// `interceptors` that package alone. `self/` is the importer's own tree.
type floor struct {
	folder string
	may    []string
}

// floors is the law, the first match of an importer binding. Tests are free: they
// put real parts together that the code may not.
var floors = []floor{
	{"gen/", []string{"gen/"}},
	{"interceptors", []string{"gen/"}},
	// A room knows the vocabulary and its pure part. What it needs from elsewhere
	// it declares, and server/wire.go supplies it.
	{"interceptors/", []string{"gen/", "interceptors", "internal/"}},
	{"internal/cli/", []string{"gen/", "server/", "internal/", "sdk/go/", "examples/"}},
	// Redaction, the reading of JSON in place, files of certificates and the guard of
	// outgoing connections are leaves under all parts: they import nothing of ours.
	{"internal/redact/", []string{"self/"}},
	{"internal/rawjson/", nil},
	{"internal/certfile/", nil},
	{"internal/egress/", nil},
	{"internal/", append([]string{"gen/", "interceptors", "self/"}, leaves...)},
	{"server/backend/", append([]string{"gen/", "interceptors", "server/backend", "self/"}, leaves...)},
	{"server/door/", []string{"gen/", "interceptors", "internal/", "server/door", "self/"}},
	{"server/catalog/", []string{"gen/", "interceptors", "internal/", "server/backend/", "server/catalog/"}},
	{"server/dispatch/", []string{"gen/", "interceptors", "internal/", "self/"}},
	{"server/tracing/", []string{"gen/", "interceptors", "server/backend/", "self/"}},
	{"server/servertest/", []string{"gen/", "interceptors/", "internal/", "server/"}},
	{"server", []string{"gen/", "interceptors/", "internal/", "server/"}},
	{"cmd/toolgate-conformance", []string{"conformance/"}},
	{"cmd/", []string{"internal/cli/"}},
	{"sdk/", []string{"gen/", "self/"}},
	{"conformance/", []string{"gen/", "self/"}},
	{"examples/", []string{"gen/", "interceptors", "server", "server/catalog", "server/backend/funcbackend", "sdk/go/", "examples/"}},
	{"bench/", []string{"gen/", "interceptors/", "internal/", "server/", "sdk/go/", "examples/", "self/"}},
	{"test/load/", []string{"gen/"}},
	{"test/chaos/", []string{"gen/", "test/chaos/"}},
	{"test/", nil}, // tests alone, and so free
}

var leaves = []string{"internal/redact/", "internal/rawjson/", "internal/certfile/", "internal/egress/"}

// breaks tells how an import breaks the law; empty: it does not.
func breaks(importer, imported string) string {
	if under(imported, "internal/cli/") && !under(importer, "internal/cli/") && !under(importer, "cmd/") {
		return "the commands are imported by cmd alone"
	}
	for _, floor := range floors {
		if !under(importer, floor.folder) {
			continue
		}
		for _, folder := range floor.may {
			if folder == "self/" {
				folder = tree(importer, floor.folder)
			}
			if under(imported, folder) {
				return ""
			}
		}
		return floor.folder + " may import " + strings.Join(floor.may, ", ")
	}
	return "the import law has no line for this folder"
}

func TestTheImportLawHolds(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range sources(t) {
		if file.test {
			continue
		}
		var parts []string // pure parts of a room
		for _, spec := range file.syntax.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			imported, ours := strings.CutPrefix(path, module)
			seen[file.folder] = seen[file.folder] || ours
			if !ours {
				if reason := breaksOutside(file.folder, path); reason != "" {
					t.Errorf("%s imports %s: %s", file.path, path, reason)
				}
				continue
			}
			if reason := breaks(file.folder, imported); reason != "" {
				t.Errorf("%s imports %s: %s", file.path, imported, reason)
			}
			if part := tree(imported, "internal/"); under(imported, "internal/") && !slices.Contains(leaves, part) && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
		if isRoom(file.folder) && len(parts) > 1 {
			t.Errorf("%s imports %v: a room has one pure part", file.path, parts)
		}
	}
	if len(seen) < 5 {
		t.Errorf("read only %d packages: is the module at ../..?", len(seen))
	}
}

func TestEachLineOfTheLawForbidsSomething(t *testing.T) {
	for _, c := range []struct {
		importer, imported string
		allowed            bool
	}{
		{"gen/go/toolgate/v1", "interceptors", false},
		{"interceptors", "gen/go/toolgate/v1", true},
		{"interceptors", "internal/redact", false},
		{"interceptors/retry", "interceptors", true},
		{"interceptors/repeat", "internal/arguments", true},
		{"interceptors/retry", "interceptors/breaker", false},
		{"interceptors/retry", "server", false},
		{"interceptors/retry", "server/catalog", false},
		{"internal/diagnose", "internal/redact", true},
		{"internal/diagnose", "internal/diagnose/shapes", true},
		{"internal/diagnose", "internal/arguments", false},
		{"internal/redact", "interceptors", false},
		{"internal/rawjson", "internal/redact", false},
		{"internal/diagnose", "interceptors/retry", false},
		{"internal/ledger/memory", "internal/ledger", true},
		{"internal/arguments", "server", false},
		{"internal/cli", "server", true},
		{"internal/cli/demo", "examples/clinic", true},
		{"internal/cli", "interceptors/retry", false},
		{"server/backend/httpbackend", "interceptors", true},
		{"server/backend/httpbackend", "server/backend", true},
		{"server/backend/httpbackend", "server/backend/funcbackend", false},
		{"server/backend", "server/backend/httpbackend", false},
		{"server/backend/httpbackend", "server/catalog", false},
		{"server/catalog", "internal/diagnose", true},
		{"server/catalog", "interceptors/retry", false},
		{"server/dispatch", "server/catalog", false},
		{"server/tracing", "interceptors", true},
		{"server/tracing", "interceptors/observe", false},
		{"server", "interceptors/retry", true},
		{"server", "internal/cli", false},
		{"cmd/toolgate", "internal/cli", true},
		{"cmd/toolgate", "server", false},
		{"cmd/toolgate-conformance", "conformance/runner", true},
		{"cmd/toolgate-conformance", "internal/cli", false},
		{"sdk/go", "gen/go/toolgate/v1", true},
		{"sdk/go", "interceptors", false},
		{"sdk/go/conformance", "sdk/go", true},
		{"sdk/go/conformance", "conformance/runner", false},
		{"conformance", "internal/observation", false},
		{"examples/clinic", "internal/diagnose", false},
		{"somewhere", "gen/go/toolgate/v1", false},
	} {
		if reason := breaks(c.importer, c.imported); (reason == "") != c.allowed {
			t.Errorf("%s imports %s: %q", c.importer, c.imported, reason)
		}
	}
}

// breaksOutside is the law for packages of others: pure parts and back ends of
// HTTP speak no gRPC, statuses apart.
func breaksOutside(importer, imported string) string {
	pure := under(importer, "internal/") && !under(importer, "internal/cli/")
	if pure && imported == "google.golang.org/grpc" {
		return "a pure part is no gRPC client or server"
	}
	return ""
}

func isRoom(folder string) bool { return strings.HasPrefix(folder, "interceptors/") }

// under reports whether a package stands in a folder of the law.
func under(pkg, folder string) bool {
	if exact := strings.TrimSuffix(folder, "/"); pkg == exact {
		return true
	}
	return strings.HasSuffix(folder, "/") && strings.HasPrefix(pkg, folder)
}

// tree is the folder below `folder` that a package belongs to.
func tree(pkg, folder string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, folder), "/")
	return folder + name + "/"
}
