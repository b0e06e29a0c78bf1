package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestRestrictThread restricts a thread, and tries what it and its children can do.
func TestRestrictThread(t *testing.T) {
	dir := t.TempDir()
	mine, kept, outside := filepath.Join(dir, "mine"), filepath.Join(dir, "kept"), filepath.Join(dir, "outside")
	for _, folder := range []string{mine, kept, outside} {
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "f"), []byte("text"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(outside, filepath.Join(mine, "link")); err != nil {
		t.Fatal(err)
	}
	reads := func(name string) error { _, err := os.ReadFile(name); return err }
	writes := func(name string) error { return os.WriteFile(name, []byte("new"), 0o600) }
	starts := func(args ...string) error { return exec.Command(args[0], args[1:]...).Run() }
	done := make(chan error)
	var results map[string]error
	go func() {
		runtime.LockOSThread() // for good
		err := RestrictThread(Reach{
			Run:   []string{cat, "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"},
			Read:  []string{kept, cat, "/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache", filepath.Join(dir, "none")},
			Write: []string{mine, os.DevNull},
		})
		if err == nil {
			results = map[string]error{
				"reads what it keeps":      reads(filepath.Join(kept, "f")),
				"writes what is its own":   writes(filepath.Join(mine, "f")),
				"makes a file there":       writes(filepath.Join(mine, "g")),
				"a child reads":            starts(cat, filepath.Join(kept, "f")),
				"! reads outside":          reads(filepath.Join(outside, "f")),
				"! reads through a link":   reads(filepath.Join(mine, "link", "f")),
				"! lists outside":          func() error { _, err := os.ReadDir(outside); return err }(),
				"! writes what it keeps":   writes(filepath.Join(kept, "f")),
				"! makes a file outside":   writes(filepath.Join(outside, "g")),
				"! removes a file outside": os.Remove(filepath.Join(outside, "f")),
				"! starts another program": starts("/bin/sh", "-c", "exit 0"),
				"! a child reads outside":  starts(cat, filepath.Join(outside, "f")),
			}
		}
		done <- err
	}()
	if err := <-done; errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for what, err := range results {
		switch refused := what[0] == '!'; {
		case !refused && err != nil:
			t.Errorf("%s: %v", what, err)
		case refused && !errors.Is(err, fs.ErrPermission) && !errors.As(err, new(*exec.ExitError)):
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	if err := reads(filepath.Join(outside, "f")); err != nil {
		t.Errorf("the other threads are restricted, too: %v", err)
	}
}

// TestHandled sees that no version is asked for what only later ones know.
func TestHandled(t *testing.T) {
	before := handled(1)
	if before.HandledAccessNet != 0 || before.Scoped != 0 || before.HandledAccessFS != 1<<13-1 {
		t.Errorf("%+v", before)
	}
	for version := 2; version <= 12; version++ {
		a := handled(version)
		if a.HandledAccessFS&before.HandledAccessFS != before.HandledAccessFS {
			t.Errorf("version %d refuses less than the one before", version)
		}
		before = a
	}
	if before.HandledAccessFS != 1<<16-1 || before.HandledAccessNet != 3 || before.Scoped != 3 {
		t.Errorf("%+v", before)
	}
}
