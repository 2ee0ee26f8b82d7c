//go:build unix

package mcpbackend_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func TestWhatAProgramStartedEndsWithIt(t *testing.T) {
	log := &lockedBuffer{}
	pool := mcpbackend.NewPool(mcpbackend.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	server := pool.Server(program("parent", ""))
	if reply := ask(t, server, "echo"); reply.Result == nil {
		t.Fatalf("%+v", reply)
	}
	var child int
	eventually(t, "it says whom it started", func() bool {
		_, after, found := strings.Cut(log.String(), "the child is ")
		if !found {
			return false
		}
		digits, _, _ := strings.Cut(after, " ")
		child, _ = strconv.Atoi(strings.Trim(digits, "\"\n"))
		return child > 0
	})
	pool.Close()
	eventually(t, "the child is gone", func() bool { return syscall.Kill(child, 0) != nil || zombie(child) })
}

// zombie reports a process that has ended and that nobody has asked about.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(text, []byte(") Z "))
}
