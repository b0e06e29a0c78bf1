// Package sandbox takes from a process everything that a parser does not need. A process
// that calls Enter only reads bytes that somebody else wrote and writes down what they say:
// the parsers are C, and an attacker who exploits a mistake in one is then inside a process
// that can open no file, reach no network, start no program and signal no other process.
//
// How much of that holds depends on the system. On Linux, on amd64 and arm64, everything
// does: a list of allowed system calls (seccomp, Linux 3.17), Landlock where the kernel has
// it (5.13), and limits. On macOS and the BSDs there are limits only: no descriptor can be
// opened, so that no file can be read and no connection made, but a program can be started
// in the place of this one. Other systems are not supported. Report says what was done.
package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrOrphan is returned when the process that should wait for this one has ended.
var ErrOrphan = errors.New("the parent process has ended")

// ErrIncomplete is returned when Limits.Required is set and the system lacks something.
var ErrIncomplete = errors.New("the system cannot confine this process")

// Limits says what the process keeps.
type Limits struct {
	// Memory is how many bytes of private writable memory the process may have beyond
	// what it has when it enters; 0 is no limit. The heaps of Go and C and the stacks of
	// new threads count, at the size at which they are mapped; shared memory does not.
	// Whoever exceeds it ends: Go by a fatal error, C by abort(). Linux only.
	Memory uint64
	// CPU is how much processor time the process may use from its start, rounded up to
	// seconds; 0 is no limit. SIGXCPU ends it then, and SIGKILL a second later. Linux only.
	CPU time.Duration
	// Keep names the descriptors that stay open besides 0, 1 and 2. All others that the
	// process was started with are closed.
	Keep []int
	// Parent is the id of the process with which this one is to end; 0 is whichever is
	// its parent now. Linux only.
	Parent int
	// Required makes Enter fail where a field of Report would be false. What was taken
	// until then stays taken.
	Required bool
}

// A Report says what a process can no longer do.
type Report struct {
	Files     bool // open, create or remove a file by its name
	Network   bool // make or connect a socket
	Processes bool // start a program, or signal, trace or read another process
	Syscalls  bool // ask the kernel for anything that is not on the list
	Memory    bool // have more memory than Limits.Memory; false where that is 0
	// Notes has a sentence for each means: that it is in force, or why it is not.
	Notes []string
}

// String returns the report in one line, for a log.
func (r Report) String() string {
	var taken []string
	for _, f := range []struct {
		name string
		is   bool
	}{{"files", r.Files}, {"network", r.Network}, {"processes", r.Processes}, {"syscalls", r.Syscalls}, {"memory", r.Memory}} {
		if f.is {
			taken = append(taken, f.name)
		}
	}
	if taken == nil {
		taken = []string{"nothing"}
	}
	return strings.Join(taken, ", ") + " (" + strings.Join(r.Notes, "; ") + ")"
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// done notes what a means did: err is nil when it is in force.
func (r *Report) done(means string, err error) bool {
	if err != nil {
		r.note("%s: %v", means, err)
		return false
	}
	r.note("%s: in force", means)
	return true
}

// Enter takes from this process, for good, what a parser does not need, and reports what
// was taken. It is to be called once, before any foreign byte is read, by a process that
// has nothing open but what it was started with: memory to share must be mapped before.
// The process may start goroutines and threads, allocate, and read and write what it has
// open; it can open nothing more, and a crash still writes Go's traceback to descriptor 2,
// which must be no file (a file could not grow).
//
// On Linux a call that no parser makes (execve, ptrace, socket and their like) ends the
// process by SIGSYS; any other that is not allowed fails with EPERM.
func Enter(l Limits) (Report, error) {
	startPoller()
	r, err := enter(l)
	if err != nil {
		return r, err
	}
	if l.Required && (!r.Files || !r.Network || !r.Processes || !r.Syscalls || !r.Memory && l.Memory > 0) {
		return r, fmt.Errorf("%w: %s", ErrIncomplete, r)
	}
	return r, nil
}

// startPoller has Go's runtime open what it waits with (epoll, kqueue). It does so with the
// first timer, and could not any more.
func startPoller() { time.Sleep(time.Nanosecond) }

func (l Limits) keeps(fd int) bool { return fd <= 2 || slices.Contains(l.Keep, fd) }
