//go:build unix && !linux

package git

import (
	"os/exec"
	"syscall"
)

func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return end(cmd) }
}

// watch leaves a process that waits for ever to the deadline.
func watch(_ int, done <-chan struct{}, _ func()) { <-done }
