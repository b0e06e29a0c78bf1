package onnx

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LibraryOptions configures FindLibrary. The zero value looks next to the executable and in
// the system's folders.
type LibraryOptions struct {
	// Explicit is what the user gave on the command line: the library's path or
	// the folder it lies in. If it is set, nothing else is tried.
	Explicit string

	// Environment is what the user gave in the environment; the same, after
	// Explicit.
	Environment string

	// Executable is the path of the running program; default os.Executable().
	// The library is looked for in lib/ in its folder, and in lib/quarry/ and
	// lib/ next to its folder.
	Executable string

	// SkipSystem leaves out the folders of the operating system.
	SkipSystem bool
}

// FindLibrary returns the absolute path of the ONNX Runtime shared library, and the places
// it looked at, in order, in a form for users. It takes the first that exists and that
// nobody but root and this user can replace, and does not load it, except that the dynamic
// linker is asked at the very end whether it knows the plain name; then that name is the
// path. A library that the user has named is taken, no matter who may replace it. The error
// says where it looked, and why it did not take what it found.
func FindLibrary(opt LibraryOptions) (path string, tried []string, err error) {
	for _, given := range []string{opt.Explicit, opt.Environment} {
		if given == "" {
			continue
		}
		tried = append(tried, given)
		if path := libraryAt(given); path != "" {
			return path, tried, nil
		}
		return "", tried, fmt.Errorf("onnx: no ONNX Runtime library at %s", given)
	}
	for _, dir := range libraryDirs(opt) {
		path := libraryAt(dir)
		if path != "" {
			if err := trusted(path); err != nil {
				tried = append(tried, fmt.Sprintf("%s (not taken: %v)", dir, err))
				continue
			}
		}
		tried = append(tried, dir)
		if path != "" {
			return path, tried, nil
		}
	}
	if !opt.SkipSystem {
		for _, name := range plainLibraryNames(runtime.GOOS) {
			tried = append(tried, name)
			if linkerKnows(name) {
				return name, tried, nil
			}
		}
	}
	return "", tried, fmt.Errorf("onnx: no ONNX Runtime library in %s", strings.Join(tried, ", "))
}

func libraryDirs(opt LibraryOptions) []string {
	var dirs []string
	exe := opt.Executable
	if exe == "" {
		exe, _ = os.Executable() // without it, one place less to look at
	}
	if exe != "" {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dir := filepath.Dir(exe)
		dirs = append(dirs, filepath.Join(dir, "lib"), filepath.Join(filepath.Dir(dir), "lib", "quarry"), filepath.Join(filepath.Dir(dir), "lib"))
	}
	if !opt.SkipSystem {
		dirs = append(dirs, systemDirs(runtime.GOOS, runtime.GOARCH)...)
	}
	// bin/quarry in /usr/local looks into /usr/local/lib twice.
	var unique []string
	for _, d := range dirs {
		if !slices.Contains(unique, d) {
			unique = append(unique, d)
		}
	}
	return unique
}

// systemDirs lists where packages and administrators put shared libraries.
func systemDirs(goos, goarch string) []string {
	switch goos {
	case "linux":
		triple := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[goarch]
		dirs := []string{"/usr/local/lib"}
		if triple != "" {
			dirs = append(dirs, "/usr/local/lib/"+triple, "/usr/lib/"+triple)
		}
		return append(dirs, "/usr/lib64", "/usr/lib", "/opt/onnxruntime/lib")
	case "darwin":
		return []string{"/opt/homebrew/lib", "/usr/local/lib", "/opt/onnxruntime/lib"}
	}
	return nil // Windows has an onnxruntime.dll of its own, and an old one
}

// plainLibraryNames lists the names to ask the dynamic linker for, which knows
// its cache and LD_LIBRARY_PATH.
func plainLibraryNames(goos string) []string {
	switch goos {
	case "linux":
		return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
	case "darwin":
		return []string{"libonnxruntime.dylib"}
	}
	return nil
}

// libraryAt returns the absolute path of the library at a path, which may be a
// file of any name or a folder, or "". Absolute, because the dynamic linker
// does not look for a plain name in the working directory.
func libraryAt(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		return path
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if isLibraryName(runtime.GOOS, e.Name()) {
			names = append(names, e.Name())
		}
	}
	// The highest version, and of equal ones the plainest name.
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(slices.Compare(versionIn(b), versionIn(a)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, name := range names {
		full := filepath.Join(path, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() { // a link to nowhere is no library
			return full
		}
	}
	return ""
}

// isLibraryName reports whether a file has the name of the runtime's library
// on a system: not that of one of its providers, such as
// libonnxruntime_providers_shared.so.
func isLibraryName(goos, name string) bool {
	switch goos {
	case "windows":
		return strings.EqualFold(name, "onnxruntime.dll")
	case "darwin":
		rest, ok := strings.CutPrefix(name, "libonnxruntime")
		rest, dylib := strings.CutSuffix(rest, ".dylib")
		return ok && dylib && isVersion(rest)
	}
	rest, ok := strings.CutPrefix(name, "libonnxruntime.so")
	return ok && isVersion(rest)
}

// isVersion reports whether s is empty or like ".1.24.3".
func isVersion(s string) bool {
	return s == "" || s[0] == '.' && len(s) > 1 && strings.Trim(s, ".0123456789") == ""
}

// versionIn returns the numbers in a file name.
func versionIn(name string) []int {
	var list []int
	in := false
	for _, c := range name {
		if digit := c >= '0' && c <= '9'; !digit {
			in = false
			continue
		}
		if !in {
			list, in = append(list, 0), true
		}
		list[len(list)-1] = list[len(list)-1]*10 + int(c-'0')
	}
	return list
}
