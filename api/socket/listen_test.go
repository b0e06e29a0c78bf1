//go:build unix

package socket

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestNames compares the names with what md5sum says.
func TestNames(t *testing.T) {
	got := Names([]string{"/tmp", "/var/t"}, "/home/me/project", "/home/me/project", "/")
	want := []string{"/tmp/tldr-7eb7c5d1.sock", "/tmp/tldr-6666cd76.sock", "/var/t/tldr-7eb7c5d1.sock", "/var/t/tldr-6666cd76.sock"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// leave makes a socket as a process that was killed leaves it.
func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// TestListen tries what may be in a socket's place.
func TestListen(t *testing.T) {
	dir := shortDir(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, make := range map[string]func(path string) error{
		"free":  func(string) error { return nil },
		"stale": func(p string) error { leave(t, p); return nil },
		"file":  func(p string) error { return os.WriteFile(p, []byte("mine"), 0o600) },
		"dir":   func(p string) error { return os.Mkdir(p, 0o700) },
		"link": func(p string) error {
			leave(t, p+"2")
			return os.Symlink(p+"2", p)
		},
		"dangling": func(p string) error { return os.Symlink(p+"3", p) },
		"live": func(p string) error {
			l, err := Listen(t.TempDir(), p, "", 0o600)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
	} {
		p := path(name)
		if err := make(p); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(p)
		l, err := Listen(t.TempDir(), p, "root", 0o640)
		if want := name == "free" || name == "stale"; want != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			if after, err := os.Lstat(p); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
				t.Errorf("%s: it was not left alone: %v", name, err)
			}
			if !strings.Contains(err.Error(), p) {
				t.Errorf("%s: the error does not say where: %v", name, err)
			}
			continue
		}
		if info, err := os.Lstat(p); err != nil || info.Mode() != fs.ModeSocket|0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		if c, err := net.Dial("unix", p); err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			c.Close()
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it is left: %v", name, err)
		}
	}
	left, err := filepath.Glob(path(".q*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestListenFolder refuses folders in which somebody else may replace the socket.
func TestListenFolder(t *testing.T) {
	dir := shortDir(t)
	for mode, ok := range map[fs.FileMode]bool{0o700: true, 0o755: true, 0o777: false, 0o777 | fs.ModeSticky: true} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		l, err := Listen(t.TempDir(), filepath.Join(dir, "s"), "", 0o600)
		if ok != (err == nil) {
			t.Errorf("%v: %v", mode, err)
		}
		if err == nil {
			l.Close()
		}
	}
	if _, err := Listen(t.TempDir(), filepath.Join(dir, "none", "s"), "", 0o600); err == nil {
		t.Error("a folder that does not exist was taken")
	}
	if _, err := Listen(t.TempDir(), filepath.Join(dir, strings.Repeat("s", 200)), "", 0o600); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long path: %v", err)
	}
}

// TestCloseLeavesOthers takes only its own file away.
func TestCloseLeavesOthers(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := Listen(t.TempDir(), path, "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other, err := Listen(t.TempDir(), path, "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the other's socket: %v", err)
	} else {
		c.Close()
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// TestListenRace lets many take one stale socket: one gets it, and is reached.
func TestListenRace(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	locks := filepath.Join(t.TempDir(), "locks")
	leave(t, path)
	var group sync.WaitGroup
	got := make(chan *Socket, 16)
	for range 16 {
		group.Go(func() {
			if l, err := Listen(locks, path, "", 0o600); err == nil {
				got <- l
			}
		})
	}
	group.Wait()
	close(got)
	var all []*Socket
	for l := range got {
		all = append(all, l)
		if c, err := net.Dial("unix", path); err != nil {
			t.Error(err)
		} else {
			c.Close()
		}
	}
	if len(all) != 1 {
		t.Errorf("%d got it", len(all))
	}
	for _, l := range all {
		l.Close()
	}
}

// Who holds a lock of the folder that the socket is in, which everybody can open, keeps
// nobody from making one; and locks are in no folder that others may write.
func TestListenLocks(t *testing.T) {
	dir, locks := shortDir(t), filepath.Join(t.TempDir(), "locks")
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := Listen(locks, path, "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(locks); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Chmod(locks, 0o777); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen(locks, path, "", 0o600); err == nil {
		l.Close()
		t.Error("the lock was taken where everybody can write")
	}
}

// TestHold: a daemon of llm-tldr is kept from starting as long as the socket is there, and a file
// that is none of this user's is left alone.
func TestHold(t *testing.T) {
	dir := shortDir(t)
	s, err := Listen(t.TempDir(), filepath.Join(dir, "tldr-1.sock"), "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	pid := filepath.Join(dir, "tldr-1.pid")
	if err := os.WriteFile(pid, []byte("a longer text than any number"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Hold(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(pid); err != nil || string(text) != strconv.Itoa(os.Getpid()) {
		t.Errorf("%q, %v", text, err)
	}
	f, err := os.OpenFile(pid, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("it is not locked: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("it is still locked: %v", err)
	}
	if _, err := os.Lstat(pid); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	for name, put := range map[string]func(path string) error{
		"link":   func(p string) error { return os.Symlink(filepath.Join(dir, "other"), p) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
	} {
		if err := put(filepath.Join(dir, name+".pid")); err != nil {
			t.Fatal(err)
		}
		if err := (&Socket{Path: filepath.Join(dir, name+".sock")}).Hold(); err == nil {
			t.Errorf("a %s was taken", name)
		}
	}
}
