// Package oserror distinguishes the transient errors of the operating system from the
// others. It has the one table of them: all code that opens, reads or lists files asks it,
// and so treats the same error in the same way. docs/operations.md shows the table, and a
// test compares the two.
//
// It promises that an error is transient only if the table says so: what is not in it does
// not pass.
package oserror

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// An Entry is a row of the table.
type Entry struct {
	Name      string        // of the constant in C
	Errno     syscall.Errno // of the system; 0: the error is another system's
	Transient bool          // the same call may succeed later although nobody mended anything
	Why       string        // a sentence for people, without its full stop
}

// Windows' own errors, see "System Error Codes" in its documentation. The package syscall
// does not name all of them.
const (
	tooManyOpenFiles syscall.Errno = 4
	notEnoughMemory  syscall.Errno = 8
	sharingViolation syscall.Errno = 32
	lockViolation    syscall.Errno = 33
	noResources      syscall.Errno = 1450
)

// Table returns the errors of opening, reading and listing files, of starting a program and
// of writing one's own files: first those that pass. The rows are the same on every system.
func Table() []Entry { return slices.Clone(table) }

var table = []Entry{
	{"EMFILE", syscall.EMFILE, true, "the process has no descriptor left"},
	{"ENFILE", syscall.ENFILE, true, "the system has no descriptor left"},
	{"EINTR", syscall.EINTR, true, "a signal came in between, and the call was not made again"},
	{"EAGAIN", syscall.EAGAIN, true, "the system has no process or no buffer left, or somebody holds a lease on the file"},
	{"ENOMEM", syscall.ENOMEM, true, "the kernel has no memory left"},
	{"ENOBUFS", syscall.ENOBUFS, true, "as ENOMEM, of a file system over the network"},
	{"EBUSY", syscall.EBUSY, true, "somebody else uses it in a way that allows no second"},
	{"ETXTBSY", syscall.ETXTBSY, true, "a program is being written, or runs"},
	{"EDEADLK", syscall.EDEADLK, true, "a lock on the file would have waited for itself"},
	{"ESTALE", syscall.ESTALE, true, "a file system over the network has been exported again; the next look opens the root again"},
	{"EIO", syscall.EIO, true, "a disk, or a network under a file system, did not answer; a disk that is broken does not pass, but it cannot be told from a network that does, and what was indexed must not be lost for that"},
	{"ETIMEDOUT", syscall.ETIMEDOUT, true, "a file system over the network did not answer"},
	{"ENOTCONN", syscall.ENOTCONN, true, "the program behind a file system is gone, until it is mounted again"},
	{"EHOSTDOWN", syscall.EHOSTDOWN, true, "the machine behind a file system is down"},
	{"EHOSTUNREACH", syscall.EHOSTUNREACH, true, "as EHOSTDOWN"},
	{"ENETUNREACH", syscall.ENETUNREACH, true, "as EHOSTDOWN"},
	{"ENOSPC", syscall.ENOSPC, true, "the disk is full, or the kernel takes no more watches"},
	{"EDQUOT", syscall.EDQUOT, true, "as ENOSPC, of one user"},
	{"ERROR_TOO_MANY_OPEN_FILES", windows(tooManyOpenFiles), true, "Windows: as EMFILE"},
	{"ERROR_NOT_ENOUGH_MEMORY", windows(notEnoughMemory), true, "Windows: as ENOMEM"},
	{"ERROR_SHARING_VIOLATION", windows(sharingViolation), true, "Windows: another program has opened the file for itself alone"},
	{"ERROR_LOCK_VIOLATION", windows(lockViolation), true, "Windows: another program has locked a part of the file"},
	{"ERROR_NO_SYSTEM_RESOURCES", windows(noResources), true, "Windows: as ENOMEM"},

	{"EACCES", syscall.EACCES, false, "the user may not read it"},
	{"EPERM", syscall.EPERM, false, "as EACCES"},
	{"ENOENT", syscall.ENOENT, false, "it is not there"},
	{"ENOTDIR", syscall.ENOTDIR, false, "a file stands where a folder should be"},
	{"EISDIR", syscall.EISDIR, false, "a folder stands where a file should be"},
	{"ELOOP", syscall.ELOOP, false, "a link stands where none is followed, or links lead in a circle"},
	{"ENAMETOOLONG", syscall.ENAMETOOLONG, false, "the name is longer than the file system can hold"},
	{"EINVAL", syscall.EINVAL, false, "the file system cannot do that"},
	{"ENOTSUP", syscall.ENOTSUP, false, "as EINVAL"},
	{"ENXIO", syscall.ENXIO, false, "a socket, or a device that is not there"},
	{"ENODEV", syscall.ENODEV, false, "as ENXIO"},
	{"EOVERFLOW", syscall.EOVERFLOW, false, "the file is larger than a number can say"},
	{"EROFS", syscall.EROFS, false, "the file system takes no writes"},
}

// windows returns a number of Windows on Windows, and 0 elsewhere, where it is that of
// another error.
func windows(code syscall.Errno) syscall.Errno {
	if runtime.GOOS == "windows" {
		return code
	}
	return 0
}

// Transient reports whether err is, or wraps, an error that passes by itself. Of several
// joined ones the first that is the system's decides.
func Transient(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errno == 0 {
		return false
	}
	for _, e := range table {
		if e.Errno == errno {
			return e.Transient
		}
	}
	return false
}

// The bounds of a Backoff.
const (
	First   = 200 * time.Millisecond // before the second try, about
	Longest = 30 * time.Second       // between two tries, about
)

// A Backoff says how long to wait before each further try: from First to Longest, twice as
// long each time, and each by chance up to half shorter or longer, so that many who fail
// together do not try together. It has no end. The zero value is ready; it is not safe for
// concurrent use.
type Backoff struct {
	First, Longest time.Duration // instead of the constants; 0: these

	next time.Duration
}

// Next returns how long to wait now.
func (b *Backoff) Next() time.Duration {
	wait := max(b.next, cmp.Or(b.First, First))
	b.next = min(2*wait, cmp.Or(b.Longest, Longest))
	return wait/2 + rand.N(wait)
}

// Reset begins again, after a try that has not failed.
func (b *Backoff) Reset() { b.next = 0 }
