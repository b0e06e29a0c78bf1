//go:build unix

package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// lockWait is how long another server of the user may take to make a socket.
	lockWait = 3 * time.Second
	// probe is how long the server behind a socket may take to accept.
	probe = time.Second
)

// longest is how many bytes the system takes as the path of a socket.
func longest() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// Listen makes a socket for a project. Its file has the mode from the moment that it
// is there. A file that is in its place is replaced only if it is a socket of this user
// that refuses connections: one that a dead process has left. The folder must not be one
// in which everybody may replace files. locks is a folder of this user alone, which is
// made if it is not there. The error is a sentence.
func Listen(locks, path, project string, mode fs.FileMode) (*Socket, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if len(path) > longest() {
		return nil, fmt.Errorf("socket: the path %s is longer than the %d bytes that the system takes", path, longest())
	}
	if err := checkFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	unlock, err := lock(locks)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := vacant(path); err != nil {
		return nil, err
	}
	l, err := bind(path, mode)
	if err != nil {
		return nil, fmt.Errorf("socket: make %s: %w", path, err)
	}
	made, err := os.Lstat(path)
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("socket: make %s: %w", path, err)
	}
	return &Socket{Listener: l, Path: path, Project: project, made: made}, nil
}

// Hold takes the file with the number of the process that a daemon of llm-tldr locks for as long
// as it lives, next to its socket. Without it the command that starts that daemon takes this
// server's socket away: it finds that somebody listens there, and cleans up after itself.
func (s *Socket) Hold() error {
	name := strings.TrimSuffix(s.Path, ".sock") + ".pid"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		owner, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(owner.Uid) != os.Geteuid() || !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a file of this user", name)
		}
	}
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("socket: hold %s: %w", name, err)
	}
	s.held = f
	return nil
}

// checkFolder refuses a folder in which somebody else may replace a socket.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
	case !info.IsDir():
		err = fmt.Errorf("%s is not a folder", dir)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		err = fmt.Errorf("everybody may replace files in %s", dir)
	}
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	return nil
}

// lock keeps two servers from taking the same stale file for theirs. It is of a file in a
// folder that is this user's alone: of one that others can open, such as the temporary
// folder itself, everybody could hold it. The system gives it up with the process.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("socket: the folder %s for locks is not this user's alone", dir)
	}
	f, err := os.OpenFile(filepath.Join(dir, "sockets.lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	for deadline := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
		case time.Now().After(deadline):
			err = fmt.Errorf("another server holds the lock in %s", dir)
		default:
			continue
		}
		f.Close()
		return nil, fmt.Errorf("socket: %w", err)
	}
}

// vacant says why a path cannot be taken.
func vacant(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	owner, _ := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("socket: %s is a link, and is left alone", path)
	case info.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("socket: %s is there already and not a socket", path)
	case owner == nil || int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("socket: %s belongs to another user", path)
	}
	c, err := net.DialTimeout("unix", path, probe)
	switch {
	case err == nil:
		c.Close()
		return fmt.Errorf("socket: another process listens on %s", path)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("socket: %s is there already: %w", path, err)
}

// bind makes the file in a folder that only its owner can enter, and then moves it to
// its place. The process's umask would do, too, but it is that of all its threads.
func bind(path string, mode fs.FileMode) (net.Listener, error) {
	private, err := os.MkdirTemp(filepath.Dir(path), ".q")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	tmp := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: tmp, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(tmp, mode); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}
