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
	"syscall"
	"time"
)

const (
	// folderWait is how long another process may take to make a socket in the folder.
	folderWait = 3 * time.Second
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
// in which everybody may replace files. The error is a sentence.
func Listen(path, project string, mode fs.FileMode) (*Socket, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if len(path) > longest() {
		return nil, fmt.Errorf("socket: the path %s is longer than the %d bytes that the system takes", path, longest())
	}
	unlock, err := lockFolder(filepath.Dir(path))
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

// lockFolder keeps two servers from taking the same stale file for theirs. The system
// gives the lock up with the process.
func lockFolder(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.IsDir():
		err = fmt.Errorf("%s is not a folder", dir)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		err = fmt.Errorf("everybody may replace files in %s", dir)
	}
	for deadline := time.Now().Add(folderWait); err == nil; time.Sleep(10 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			if err = nil; time.Now().After(deadline) {
				err = fmt.Errorf("another process holds the lock of %s", dir)
			}
		}
	}
	f.Close()
	return nil, fmt.Errorf("socket: %w", err)
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
