package index

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// lowerPriority ties the goroutine to its thread and lets that thread yield to
// all others: with every processor busy indexing, a request is still answered
// at once. The thread ends with the goroutine, so nothing else inherits it.
// Linux gives each thread its own nice value; a refusal changes nothing.
func lowerPriority() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 15)
}
