//go:build unix

package git

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// end ends a process and all that it has started.
func end(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// device tells file systems apart.
func device(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev)
	}
	return 0
}
