//go:build unix

package registry

import (
	"os/exec"
	"syscall"
)

// detach makes a program outlive the terminal that it is started from.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
