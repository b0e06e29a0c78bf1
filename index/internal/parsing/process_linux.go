package parsing

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is the room of the pipe for answers: most trees are written at once.
const pipeSize = 1 << 20

// ownGroup gives a worker a process group, which a Ctrl-C of the terminal does not reach,
// and has the kernel kill it when the thread that started it ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// endGroup kills the worker's group.
func endGroup(p *os.Process) {
	if unix.Kill(-p.Pid, unix.SIGKILL) != nil {
		_ = p.Kill()
	}
}

// killed reports whether a process was ended by SIGKILL.
func killed(p *os.ProcessState) bool {
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// enlarge is an attempt: with the usual 64 KiB it is only slower.
func enlarge(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

// processorTime returns the processor time that the worker has used, below 0 if it is
// gone.
func (p *process) processorTime() time.Duration {
	// The clock of a whole process, as clock_getcpuclockid(3) makes its number.
	const scheduler = 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|scheduler), &t) != nil {
		return -1
	}
	return time.Duration(t.Nano())
}

// A meter reads how much memory a process has.
type meter struct{ statm *os.File }

func meterOf(pid int) *meter {
	f, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return &meter{}
	}
	return &meter{f}
}

// resident returns the bytes of memory that the process has, without what it shares with
// files, such as the program; 0 if it cannot be told.
func (m *meter) resident() int64 {
	var b [128]byte
	if m.statm == nil {
		return 0
	}
	n, _ := m.statm.ReadAt(b[:], 0)
	fields := strings.Fields(string(b[:n])) // proc(5): size resident shared ..., in pages
	if len(fields) < 3 {
		return 0
	}
	all, _ := strconv.ParseInt(fields[1], 10, 64)
	shared, _ := strconv.ParseInt(fields[2], 10, 64)
	return (all - shared) * int64(os.Getpagesize())
}

func (m *meter) close() {
	if m.statm != nil {
		_ = m.statm.Close()
	}
}
