//go:build unix

package mcpbackend

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the program a process group, so that what it starts ends with
// it, and so that a Ctrl-C meant for the gateway does not reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endGroup(cmd *exec.Cmd, how signal) {
	number := syscall.SIGTERM
	if how == killed {
		number = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, number) // a group that is gone needs none
}
