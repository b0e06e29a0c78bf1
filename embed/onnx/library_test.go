package onnx

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// name is a name that libraries have on the system the test runs on.
func name(t *testing.T) string {
	t.Helper()
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.1.24.3.dylib"
	}
	return "libonnxruntime.so.1"
}

func TestFindLibraryOrder(t *testing.T) {
	lib := name(t)
	root := modelFolder(t, map[string]string{
		"flag/" + lib:           "",
		"env/" + lib:            "",
		"app/bin/lib/" + lib:    "",
		"app/lib/quarry/" + lib: "",
		"app/lib/" + lib:        "",
		"app/bin/quarry":        "",
		"elsewhere/other.so.12": "",
	})
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	all := LibraryOptions{Explicit: at("flag"), Environment: at("env"), Executable: at("app/bin/quarry"), SkipSystem: true}
	// Each step takes away what was found before.
	for _, step := range []struct {
		want string
		next func()
	}{
		{"flag/" + lib, func() { all.Explicit = "" }},
		{"env/" + lib, func() { all.Environment = "" }},
		{"app/bin/lib/" + lib, func() { remove(t, at("app/bin/lib")) }},
		{"app/lib/quarry/" + lib, func() { remove(t, at("app/lib/quarry")) }},
		{"app/lib/" + lib, func() { remove(t, at("app/lib")) }},
	} {
		got, tried, err := FindLibrary(all)
		if err != nil || got != at(step.want) {
			t.Errorf("found %q, %v; want %s", got, err, step.want)
		}
		if last := tried[len(tried)-1]; !strings.HasPrefix(got, last) {
			t.Errorf("found %q, but the last place tried is %q", got, last)
		}
		step.next()
	}
	got, tried, err := FindLibrary(all)
	want := []string{at("app/bin/lib"), at("app/lib/quarry"), at("app/lib")}
	if got != "" || err == nil || !cmp.Equal(tried, want) {
		t.Errorf("found %q in %q, %v", got, tried, err)
	}
	for _, dir := range want {
		if !strings.Contains(err.Error(), dir) {
			t.Errorf("error %q does not name %s", err, dir)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// A given path that is wrong is an error, though there is a library elsewhere:
// the user meant that one.
func TestFindLibraryGiven(t *testing.T) {
	lib := name(t)
	root := modelFolder(t, map[string]string{"lib/" + lib: "", "given/any.name": "", "empty/x": ""})
	exe := filepath.Join(root, "quarry")
	for _, opt := range []LibraryOptions{
		{Explicit: filepath.Join(root, "none"), Environment: filepath.Join(root, "lib"), Executable: exe},
		{Environment: filepath.Join(root, "empty"), Executable: exe},
	} {
		if got, _, err := FindLibrary(opt); err == nil {
			t.Errorf("%+v: found %q", opt, got)
		}
	}
	file := filepath.Join(root, "given", "any.name")
	if got, _, err := FindLibrary(LibraryOptions{Explicit: file}); err != nil || got != file {
		t.Errorf("found %q, %v; want the file itself", got, err)
	}
}

func TestFindLibraryFollowsTheExecutable(t *testing.T) {
	root := modelFolder(t, map[string]string{"app/bin/quarry": "", "app/lib/" + name(t): ""})
	link := filepath.Join(root, "quarry")
	if err := os.Symlink(filepath.Join(root, "app", "bin", "quarry"), link); err != nil {
		t.Skip(err)
	}
	if _, _, err := FindLibrary(LibraryOptions{Executable: link, SkipSystem: true}); err != nil {
		t.Error(err)
	}
}

func TestFindLibraryHighestVersion(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names of Linux")
	}
	dir := modelFolder(t, map[string]string{
		"libonnxruntime.so.1.9.0": "", "libonnxruntime.so.1.24.3": "", "libonnxruntime.so.1.24.1": "",
		"libonnxruntime_providers_shared.so": "", "libonnxruntime.so.1.99.0.bak": "", "libonnxruntime.so.2.d/x": "",
	})
	if err := os.Symlink("nowhere", filepath.Join(dir, "libonnxruntime.so.9")); err != nil {
		t.Fatal(err)
	}
	got, _, err := FindLibrary(LibraryOptions{Explicit: dir})
	if want := filepath.Join(dir, "libonnxruntime.so.1.24.3"); err != nil || got != want {
		t.Errorf("found %q, %v; want %s", got, err, want)
	}
}

func TestLibraryNames(t *testing.T) {
	for _, c := range []struct {
		goos, name string
		want       bool
	}{
		{"linux", "libonnxruntime.so", true},
		{"linux", "libonnxruntime.so.1", true},
		{"linux", "libonnxruntime.so.1.24.3", true},
		{"linux", "libonnxruntime.so.", false},
		{"linux", "libonnxruntime.so.debug", false},
		{"linux", "libonnxruntime_providers_shared.so", false},
		{"linux", "onnxruntime.dll", false},
		{"darwin", "libonnxruntime.dylib", true},
		{"darwin", "libonnxruntime.1.24.3.dylib", true},
		{"darwin", "libonnxruntime.so", false},
		{"darwin", "libonnxruntime_providers_shared.dylib", false},
		{"windows", "onnxruntime.dll", true},
		{"windows", "ONNXRuntime.dll", true},
		{"windows", "onnxruntime_providers_shared.dll", false},
	} {
		if got := isLibraryName(c.goos, c.name); got != c.want {
			t.Errorf("isLibraryName(%s, %s) = %v", c.goos, c.name, got)
		}
	}
}

// The zero value reaches the dynamic linker at the end, and says so.
func TestFindLibraryAsksTheLinker(t *testing.T) {
	_, tried, err := FindLibrary(LibraryOptions{Executable: filepath.Join(t.TempDir(), "quarry")})
	if err == nil {
		t.Skip("there is a library in the system")
	}
	for _, name := range plainLibraryNames(runtime.GOOS) {
		if !strings.Contains(strings.Join(tried, " "), name) {
			t.Errorf("%s is not among %q", name, tried)
		}
	}
	if runtime.GOOS == "linux" && !linkerKnows("libc.so.6") && !linkerKnows("libc.so") {
		t.Error("the linker does not know the C library")
	}
}
