// Package priority lowers the scheduling priority of threads that work in the background.
package priority

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Lower ties the goroutine to its thread and lets that thread yield to
// all others: with every processor busy indexing, a request is still answered
// at once. The thread ends with the goroutine, so nothing else inherits it.
// Linux gives each thread its own nice value; a refusal changes nothing.
func Lower() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 15)
}
