//go:build !unix

package mcpbackend

import "os/exec"

func ownGroup(*exec.Cmd) {}

// endGroup kills: there is no asking, and no group.
func endGroup(cmd *exec.Cmd, _ signal) {
	_ = cmd.Process.Kill() // it may have ended
}
