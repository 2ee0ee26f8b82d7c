package peertest

import (
	"fmt"
	"os"
	"testing"
)

// reportVariable names the file that `make test-peers` sums up.
const reportVariable = "PEERS_REPORT"

// Check runs f as a test named name and counts it as one check of a peer.
func Check(t *testing.T, peer, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		Count(t, peer)
		f(t)
	})
}

// Count counts the test as one check of a peer, whose name holds no space. It is
// to be called first, so that whatever fails later is seen. A test that is
// skipped counts nowhere. Where nobody asked for a report, nothing happens.
func Count(t testing.TB, peer string) {
	t.Helper()
	path := os.Getenv(reportVariable)
	if path == "" {
		return
	}
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		if err := record(path, peer, t.Name(), t.Failed()); err != nil {
			t.Errorf("the check could not be counted: %v", err)
		}
	})
}

// record appends one line in one write: the tests of several packages share the
// file.
func record(path, peer, name string, failed bool) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	how := "passed"
	if failed {
		how = "failed"
	}
	if _, err := fmt.Fprintf(file, "%s\t%s\t%s\n", peer, how, name); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
