//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeInherited closes the descriptors that the process was started with, but for those to
// keep. Those that were opened since are Go's own, for its poller and the like: Go opens
// everything with close-on-exec, and what has been through an exec does not have that.
func closeInherited(l Limits) error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("not known: %w", err)
	}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || l.keeps(fd) {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue // the one that listed the folder, or Go's own
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close descriptor %d: %w", fd, err)
		}
	}
	return nil
}
