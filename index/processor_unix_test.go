//go:build unix

package index

import (
	"syscall"
	"time"
)

// processorTime returns the time that all threads have spent on a processor.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
