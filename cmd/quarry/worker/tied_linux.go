package worker

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run runs a command that ends with this process, however that ends. The kernel ties it to
// the thread that has started it, which therefore has to stay.
func run(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
