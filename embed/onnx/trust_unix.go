//go:build !windows

package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// trusted reports whether nobody but this user and root can put something else in the place
// of a library: it, and every folder above it, belongs to one of them and is not for others
// to write. A group counts as others, unless it is root's or the owner's own, with the
// owner's number.
func trusted(library string) error {
	real, err := filepath.EvalSymlinks(library)
	if err != nil {
		return err
	}
	for _, path := range []string{library, real} {
		for at := path; ; at = filepath.Dir(at) {
			info, err := os.Lstat(at)
			if err != nil {
				return err
			}
			if err := safe(info, at == path); err != nil {
				return fmt.Errorf("%s %w", at, err)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// safe judges a file or a folder. In a folder with the sticky bit, others can make files,
// but not replace those of this user.
func safe(info fs.FileInfo, file bool) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("does not say whose it is")
	}
	if int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return errors.New("belongs to another user")
	}
	if info.Mode()&fs.ModeSymlink != 0 || !file && info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	if perm := info.Mode().Perm(); perm&0o002 != 0 || perm&0o020 != 0 && st.Gid != 0 && st.Gid != st.Uid {
		return errors.New("can be written by others")
	}
	return nil
}
