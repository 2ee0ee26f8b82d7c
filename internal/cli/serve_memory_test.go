package cli

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func TestTheMemoryThatMayBeUsedIsTheLeastThatAnybodyNames(t *testing.T) {
	const meminfo = "MemTotal:        8000 kB\nMemFree:         100 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is known":        {nil, 0},
		"a machine":               {map[string]string{"proc/meminfo": meminfo}, 8000 << 10},
		"a container":             {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		"a container without one": {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "max\n"}, 8000 << 10},
		"an older container":      {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory/memory.limit_in_bytes": "2097152\n"}, 2 << 20},
		"an older one without":    {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8000 << 10},
		"nonsense":                {map[string]string{"proc/meminfo": "?", "sys/fs/cgroup/memory.max": "-1"}, 0},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryOf(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestTheCollectorIsTunedUnlessTheEnvironmentSaysHow(t *testing.T) {
	if memoryOf(os.DirFS("/")) == 0 {
		t.Skip("memory is read from /proc and from control groups, run it on Linux")
	}
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for name, c := range map[string]struct {
		env            map[string]string
		tuned, limited bool
	}{
		"nothing":    {nil, true, true},
		"GOGC":       {map[string]string{"GOGC": "50"}, false, true},
		"GOMEMLIMIT": {map[string]string{"GOMEMLIMIT": "1GiB"}, true, false},
	} {
		s := &session{Program: Program{Getenv: func(name string) string { return c.env[name] }}}
		restore := s.tuneMemory()
		if got := debug.SetMemoryLimit(-1); (got != math.MaxInt64) != c.limited {
			t.Errorf("%s: the limit is %d bytes", name, got)
		}
		restore()
		if restored := debug.SetGCPercent(100); restored != 100 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
			t.Errorf("%s: left the collector at %d %%", name, restored)
		}
		restore = s.tuneMemory()
		if got := debug.SetGCPercent(100); (got == gcPercent) != c.tuned {
			t.Errorf("%s: the collector runs at %d %%", name, got)
		}
		restore()
	}
}
