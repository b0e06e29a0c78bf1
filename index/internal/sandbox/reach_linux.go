package sandbox

import (
	"errors"
	"fmt"
	"io/fs"

	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights of Landlock, see landlock(7).
const (
	runs       = llsyscall.AccessFSExecute
	readsFile  = llsyscall.AccessFSReadFile
	writesFile = readsFile | llsyscall.AccessFSWriteFile | llsyscall.AccessFSTruncate
	ofFiles    = runs | writesFile | llsyscall.AccessFSIoctlDev // all that a file can have
)

// handled returns what a version of Landlock can refuse.
func handled(version int) llsyscall.RulesetAttr {
	a := llsyscall.RulesetAttr{HandledAccessFS: llsyscall.AccessFSRefer - 1}
	for _, more := range []struct {
		version   int
		files     uint64
		net, peer uint64
	}{
		{2, llsyscall.AccessFSRefer, 0, 0},
		{3, llsyscall.AccessFSTruncate, 0, 0},
		{4, 0, llsyscall.AccessNetBindTCP | llsyscall.AccessNetConnectTCP, 0},
		{5, llsyscall.AccessFSIoctlDev, 0, 0},
		{6, 0, 0, llsyscall.ScopeAbstractUnixSocket | llsyscall.ScopeSignal},
	} {
		if version >= more.version {
			a.HandledAccessFS |= more.files
			a.HandledAccessNet |= more.net
			a.Scoped |= more.peer
		}
	}
	return a
}

func restrictThread(r Reach) error {
	version, err := llsyscall.LandlockGetABIVersion()
	if err != nil {
		return fmt.Errorf("restrict a thread: %w: %w", errors.ErrUnsupported, err)
	}
	all := handled(version)
	rules, err := llsyscall.LandlockCreateRuleset(&all, 0)
	if err != nil {
		return fmt.Errorf("restrict a thread: %w: %w", errors.ErrUnsupported, err)
	}
	defer unix.Close(rules)
	const changes = llsyscall.AccessFSRefer - 1 - runs | llsyscall.AccessFSRefer | llsyscall.AccessFSTruncate
	for _, allowed := range []struct {
		paths  []string
		rights uint64
	}{{r.Run, runs}, {r.Read, readsFile | llsyscall.AccessFSReadDir}, {r.Write, changes}} {
		for _, path := range allowed.paths {
			if err := allow(rules, path, allowed.rights&all.HandledAccessFS); err != nil {
				return fmt.Errorf("restrict a thread: %w", err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("restrict a thread: %w: %w", errors.ErrUnsupported, err)
	}
	if err := llsyscall.LandlockRestrictSelf(rules, 0); err != nil {
		return fmt.Errorf("restrict a thread: %w: %w", errors.ErrUnsupported, err)
	}
	return nil
}

// allow adds to a set of rules that something may be used.
func allow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	if err := llsyscall.LandlockAddPathBeneathRule(rules, &llsyscall.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
