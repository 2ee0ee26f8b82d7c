package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf is the CPU time that a process has used, all its threads together, to the
// nanosecond; pid 0 is this one. It is the clock of clock_getcpuclockid(3): other
// than getrusage(2) it can be read of another process.
func cpuOf(pid int) time.Duration {
	const schedClock = 2
	clock := int32(^pid)<<3 | schedClock
	if pid == 0 {
		clock = unix.CLOCK_PROCESS_CPUTIME_ID
	}
	var used unix.Timespec
	if unix.ClockGettime(clock, &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}
