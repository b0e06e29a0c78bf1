package registry

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach makes a program outlive the console that it is started from.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
