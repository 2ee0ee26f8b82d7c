package redistest

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Clock is a server's wall clock, moved by the test.
type Clock struct {
	t      testing.TB
	server *Server
	file   string
	ahead  time.Duration
}

// MovableClock gives the server a clock that Clock moves. It needs Linux and a C
// compiler, as the race detector does; elsewhere the test is skipped.
func MovableClock(s *Server) {
	s.t.Helper()
	if runtime.GOOS != "linux" {
		s.t.Skip("a server's clock can be moved on Linux alone")
	}
	library := filepath.Join(s.folder, "clock.so")
	source := filepath.Join(root(s.t), "internal", "redistest", "testdata", "clock.c")
	if output, err := exec.CommandContext(s.t.Context(), "cc", "-shared", "-fPIC", "-O1", "-o", library, source).CombinedOutput(); err != nil {
		s.t.Skipf("no C compiler for a clock that can be moved: %v\n%s", err, output)
	}
	s.clock = &Clock{t: s.t, server: s, file: filepath.Join(s.folder, "clock")}
	s.clock.Move(0)
	s.env = append(s.env, "LD_PRELOAD="+library, "TEST_CLOCK="+s.clock.file)
}

// Clock returns the clock of a server with MovableClock.
func (s *Server) Clock() *Clock { return s.clock }

// Move moves the clock, ahead or back, and waits until a server that runs has seen
// it: Valkey looks at the clock now and then.
func (c *Clock) Move(by time.Duration) {
	c.t.Helper()
	c.ahead += by
	file, err := os.OpenFile(c.file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], uint64(c.ahead.Microseconds())) //nolint:gosec // two's complement is meant
	if _, err := file.WriteAt(b[:], 0); err != nil {
		c.t.Fatal(err)
	}
	c.await()
}

func (c *Clock) await() {
	c.t.Helper()
	const near = 500 * time.Millisecond
	for deadline := time.Now().Add(startTimeout); c.server.runs(); <-time.After(2 * time.Millisecond) {
		text, err := c.server.Try("EVAL", "return redis.call('TIME')[1] * 1000 + math.floor(redis.call('TIME')[2] / 1000)", "0")
		millis, _ := strconv.ParseInt(text, 10, 64)
		if err == nil && time.UnixMilli(millis).Sub(time.Now().Add(c.ahead)).Abs() < near {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the server's clock did not move: %s, %v", text, err)
		}
	}
}
