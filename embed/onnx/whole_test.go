package onnx

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A library that was cut off is an error and no signal: the dynamic linker maps what is not
// there.
func TestCutLibrary(t *testing.T) {
	whole, err := os.Executable() // any program is in the format of libraries
	if err != nil {
		t.Fatal(err)
	}
	if err := checkWhole(whole); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 3, 4, 40, 1000, len(text) / 2} {
		path := filepath.Join(t.TempDir(), "lib.so")
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{checkWhole(path), acquire(path)} {
			if err == nil || !strings.Contains(err.Error(), "cut off") {
				t.Errorf("of %d bytes: %v", size, err)
			}
		}
	}
	if err := checkWhole("libonnxruntime.so.1"); err != nil {
		t.Errorf("a plain name: %v", err)
	}
}

// A library that others can replace is not taken, unless the user has named it.
func TestFindLibraryTrust(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	lib := name(t)
	root := modelFolder(t, map[string]string{"app/bin/lib/" + lib: "", "app/bin/quarry": ""})
	opt := LibraryOptions{Executable: filepath.Join(root, "app", "bin", "quarry"), SkipSystem: true}
	if _, _, err := FindLibrary(opt); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"app", "app/bin", "app/bin/lib", "app/bin/lib/" + lib} {
		path := filepath.Join(root, filepath.FromSlash(at))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if got, _, err := FindLibrary(opt); err == nil || !strings.Contains(err.Error(), at+" can be written by others") {
			t.Errorf("%s can be written, and %q is taken: %v", at, got, err)
		}
		named := opt
		named.Explicit = filepath.Join(root, "app", "bin", "lib")
		if _, _, err := FindLibrary(named); err != nil {
			t.Errorf("named: %v", err)
		}
		if err := os.Chmod(path, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}
