package redistest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program returns the path of redis-server: what TOOLGATE_TEST_REDIS names, for
// trials of another version, else the system's. Without one the test fails and
// says how to get it.
func Program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("TOOLGATE_TEST_REDIS"); path != "" {
		return path
	}
	return find(t, "redis-server", "valkey-server")
}

func find(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		if path := filepath.Join(root(t), ".bin", name); executable(path) {
			return path
		}
	}
	t.Fatalf("%s is missing: run `make peers` as root, or install the system's package redis-server", names[0])
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// root is the folder of the module.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return folder
		}
	}
}
