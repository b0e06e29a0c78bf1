//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"runtime"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// allowed are the calls that Go's runtime, the C library and a parser make once all is open.
// None of them takes a path, an address or another process, or makes a descriptor.
func allowed() []string {
	names := []string{
		// what is open
		"read", "write", "readv", "writev", "pread64", "close", "fstat", "lseek", "ppoll",
		"epoll_ctl", "epoll_pwait", "epoll_pwait2",
		// memory; mmap and mprotect are below
		"munmap", "mremap", "madvise", "brk", "mincore", "membarrier",
		// threads and locks; clone is below
		"futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "getcpu", "exit", "exit_group",
		// time and chance
		"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom", "restart_syscall",
		// signals; kill and tgkill are below
		"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
		// what the process is and has used
		"getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getrusage", "times", "sysinfo",
	}
	if runtime.GOARCH == "amd64" {
		names = append(names, "poll", "epoll_wait", "time")
	}
	return names
}

// fatal are calls that no parser makes by mistake. Others that are not allowed fail: the
// C library tries some, and does without.
func fatal() []string {
	names := []string{
		"execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd",
		"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
		"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "bpf", "perf_event_open",
		"init_module", "finit_module", "kexec_load", "keyctl", "add_key", "request_key",
		"io_uring_setup", "userfaultfd", "open_by_handle_at", "seccomp", "reboot",
	}
	if runtime.GOARCH == "amd64" {
		names = append(names, "fork", "vfork")
	}
	return names
}

// namespaces are the flags of clone that would make a new namespace.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// bounded are the calls that are allowed with some arguments only.
func bounded(pid int) []seccomp.NameWithConditions {
	const (
		equal  = seccomp.Equal
		hasAny = seccomp.BitsSet
		hasNo  = seccomp.BitsNotSet
	)
	type conditions = seccomp.ArgumentConditions
	list := []seccomp.NameWithConditions{
		// Nothing that was written is ever run.
		{Name: "mmap", Conditions: conditions{{Argument: 2, Operation: hasNo, Value: unix.PROT_EXEC}}},
		{Name: "mprotect", Conditions: conditions{{Argument: 2, Operation: hasNo, Value: unix.PROT_EXEC}}},
		// A thread, not a process. What clone3 is asked for stands in memory, where no
		// filter can look: the C library uses clone where it is told that there is none.
		{Name: "clone", Conditions: conditions{
			{Argument: 0, Operation: hasAny, Value: unix.CLONE_THREAD},
			{Argument: 0, Operation: hasNo, Value: namespaces},
		}},
		// Go interrupts its own threads, and both Go and C end by a signal to themselves.
		{Name: "kill", Conditions: conditions{{Argument: 0, Operation: equal, Value: uint64(pid)}}},
		{Name: "tgkill", Conditions: conditions{{Argument: 0, Operation: equal, Value: uint64(pid)}}},
		// The names of memory, which Go and the C library set.
		{Name: "prctl", Conditions: conditions{{Argument: 0, Operation: equal, Value: unix.PR_SET_VMA}}},
		// To read a limit of this process, not to set one.
		{Name: "prlimit64", Conditions: conditions{
			{Argument: 0, Operation: equal, Value: 0},
			{Argument: 2, Operation: equal, Value: 0},
		}},
	}
	// Others would make a descriptor, or have a signal sent to another process.
	for _, command := range []uint64{unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL} {
		list = append(list, seccomp.NameWithConditions{Name: "fcntl", Conditions: conditions{{Argument: 1, Operation: equal, Value: command}}})
	}
	return list
}

// allowCalls restricts all threads of the process to the calls above.
func allowCalls(pid int) error {
	if !seccomp.Supported() {
		return errors.New("the kernel has no seccomp, or does not let it be used")
	}
	filter := seccomp.Filter{
		NoNewPrivs: true,
		// The second flag makes a thread that cannot be restricted an error (Linux 5.7);
		// the library would take the kernel's older answer for success.
		Flag: seccomp.FilterFlagTSync | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno, // EPERM
			Syscalls: []seccomp.SyscallGroup{
				{Action: seccomp.ActionAllow, Names: allowed(), NamesWithCondtions: bounded(pid)},
				{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
				{Action: seccomp.ActionKillProcess, Names: fatal()},
			},
		},
	}
	// That no privilege can be gained is a property of the thread until the filter, which
	// needs it, brings it to all.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := seccomp.LoadFilter(filter)
	if errors.Is(err, unix.EINVAL) {
		filter.Flag = seccomp.FilterFlagTSync
		err = seccomp.LoadFilter(filter)
	}
	return err
}
