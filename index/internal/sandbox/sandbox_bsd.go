//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package sandbox

import "golang.org/x/sys/unix"

// enter sets limits. They leave some things possible: a file can be removed or described by
// its name, and execve can put another program in the place of this one. So the report
// says of none of its fields but Network that it holds.
func enter(l Limits) (Report, error) {
	var r Report
	r.done("inherited descriptors", closeInherited(l))
	none := unix.Rlimit{Cur: 0, Max: 0}
	r.done("no core dump", unix.Setrlimit(unix.RLIMIT_CORE, &none))
	r.done("no file grows", unix.Setrlimit(unix.RLIMIT_FSIZE, &none))
	r.done("no second process", unix.Setrlimit(unix.RLIMIT_NPROC, &none))
	r.Network = r.done("no new descriptor", unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	r.note("memory, removal of files and execve: not limited on this system")
	return r, nil
}
