package invocation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// RootPath turns a path as the user wrote it into one relative to the root.
func RootPath(root, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	path = Absolute(root, path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, ok := folder.Inside(root, path)
	if !ok {
		return "", fmt.Errorf("%s is outside %s", path, root)
	}
	return rel, nil
}

// Absolute returns the absolute path of one as the user wrote it: relative to the working
// folder where that is inside the root, else to the root.
func Absolute(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if wd, ok := WorkingFolder(root); ok {
		root = wd
	}
	return filepath.Join(root, path)
}

// WorkingFolder returns the working folder, if it is inside root.
func WorkingFolder(root string) (string, bool) {
	wd, err := folder.Real(".")
	if err != nil {
		return "", false
	}
	_, ok := folder.Inside(root, wd)
	return wd, ok
}

// TargetPath makes the path in a target relative to the root, where it begins with
// one as the user sees it: a file below the working folder, or with folders any
// path there.
func TargetPath(root, target string, folders bool) (string, error) {
	file, rest := target, ""
	if i := strings.IndexByte(target, ':'); i > 0 {
		file, rest = target[:i], target[i:]
	}
	info, err := os.Stat(Absolute(root, file))
	switch {
	case err == nil && (folders || info.Mode().IsRegular()):
	case filepath.IsAbs(file), slices.Contains(strings.Split(file, "/"), ".."):
	default:
		return target, nil
	}
	rel, err := RootPath(root, file)
	return rel + rest, err
}

// ShownFrom returns how people are shown a file: relative to the working folder
// where that is inside the root, else to the root.
func ShownFrom(root string) func(file string) string {
	wd, local := WorkingFolder(root)
	return func(file string) string {
		if local {
			if rel, err := filepath.Rel(wd, filepath.Join(root, filepath.FromSlash(file))); err == nil {
				return rel
			}
		}
		return file
	}
}
