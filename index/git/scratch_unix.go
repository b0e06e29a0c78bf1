//go:build unix

package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// hold locks a folder until it is closed or the process ends. systemd-tmpfiles(8) heeds it,
// too.
func hold(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	return f
}

// sweep removes the folders of this user that no process holds any more. One that was made
// only now may not be held yet.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), scratchName) || !e.IsDir() {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		s, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(s.Uid) != os.Geteuid() {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if f := hold(dir); f != nil {
			_ = os.RemoveAll(dir)
			f.Close()
		}
	}
}
