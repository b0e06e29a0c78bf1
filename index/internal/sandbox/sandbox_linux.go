package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// enter goes from what needs files to what takes them. Landlock must come before the
// process is made undumpable, since it lists its own threads in /proc, and before the limit
// of descriptors, since it opens some; the list of calls must come last.
func enter(l Limits) (Report, error) {
	var r Report
	if err := endWith(l.Parent); err != nil {
		return r, err
	}
	// Whether the kernel, short of memory, ends this process first is a courtesy to others.
	r.done("first to be ended when memory is short", os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0))
	r.done("inherited descriptors", closeInherited(l))
	r.Memory = r.limitMemory(l.Memory)
	r.done("no core dump", setrlimit(unix.RLIMIT_CORE, 0, 0))
	r.done("no file grows", setrlimit(unix.RLIMIT_FSIZE, 0, 0))
	if l.CPU > 0 {
		seconds := uint64((l.CPU + time.Second - 1) / time.Second)
		r.done("processor time", setrlimit(unix.RLIMIT_CPU, seconds, seconds+1))
	}
	files := r.done(takePaths())
	r.done("not dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	r.done("no new descriptor", setrlimit(unix.RLIMIT_NOFILE, 0, 0))
	calls := r.done("system calls", allowCalls(os.Getpid()))
	r.Files, r.Network, r.Processes, r.Syscalls = files || calls, calls, calls, calls
	return r, nil
}

// endWith has the kernel end this process with its parent, unless that has happened.
func endWith(parent int) error {
	if parent == 0 {
		parent = os.Getppid()
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the parent process: %w", err)
	}
	if os.Getppid() != parent {
		return ErrOrphan
	}
	return nil
}

// limitMemory bounds the private writable memory, as mapped. The address space would be
// the wrong measure: Go reserves much more of that than it uses.
func (r *Report) limitMemory(more uint64) bool {
	if more == 0 {
		r.note("memory: no limit was asked for")
		return false
	}
	have, err := privateMemory()
	if err == nil && more < math.MaxInt64-have {
		err = setrlimit(unix.RLIMIT_DATA, have+more, have+more)
	}
	return r.done("memory", err)
}

// privateMemory returns the bytes that RLIMIT_DATA counts, by the sixth field of statm (see
// proc_pid_statm(5)), which has the main thread's stack in addition.
func privateMemory() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) < 6 {
		return 0, errors.New("/proc/self/statm has too few fields")
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

// takePaths has Landlock refuse whatever it knows to refuse, in all threads. Where the
// kernel has no system call for that, the library reaches each thread by a signal; it then
// leaves this process's own list of threads in /proc readable.
func takePaths() (string, error) {
	version, err := llsyscall.LandlockGetABIVersion()
	if err != nil {
		return "Landlock", err
	}
	return fmt.Sprintf("Landlock %d", version), landlock.V9.BestEffort().Restrict()
}

func setrlimit(resource int, soft, hard uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: soft, Max: hard})
}
