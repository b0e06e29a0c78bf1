//go:build unix

package vector

import "syscall"

// cpuTime returns the nanoseconds of processor time that the process has used.
func cpuTime() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
