package cli

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// gcPercent lets the heap grow to five times what is alive before it is
	// collected. A gateway keeps little alive and throws much away: docs/performance.md
	// has the figures.
	gcPercent = 400
	// memoryShare is how much of the machine's or container's memory is used before
	// the collector works harder instead.
	memoryShare = 0.8
)

// tuneMemory sets the collector up, unless GOGC or GOMEMLIMIT say how. What is
// returned puts it back.
func (s *session) tuneMemory() (restore func()) {
	percent, limit := -1, int64(-1)
	if s.Getenv("GOGC") == "" {
		percent = debug.SetGCPercent(gcPercent)
	}
	if total := memoryOf(os.DirFS("/")); s.Getenv("GOMEMLIMIT") == "" && total > 0 {
		limit = debug.SetMemoryLimit(int64(float64(total) * memoryShare))
	}
	return func() {
		if percent >= 0 {
			debug.SetGCPercent(percent)
		}
		if limit >= 0 {
			debug.SetMemoryLimit(limit)
		}
	}
}

// memoryOf is what the program may use, in bytes: the limit of its control group,
// version 2 or 1, where that is less than the machine has. 0: not known, as on
// systems other than Linux.
func memoryOf(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	for _, file := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 { // else: max
			least = min(least, limit)
		}
	}
	if total := machineMemory(root); total > 0 {
		least = min(least, total)
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

func machineMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kibibytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}
