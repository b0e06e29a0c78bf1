package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// rootPath turns a path as the user wrote it into one relative to the root:
// relative to the working folder where that is inside the root, else to the
// root already.
func rootPath(root, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if !filepath.IsAbs(path) {
		base := root
		if wd, ok := workingFolder(root); ok {
			base = wd
		}
		path = filepath.Join(base, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, ok := folder.Inside(root, path)
	if !ok {
		return "", fmt.Errorf("%s is outside %s", path, root)
	}
	return rel, nil
}

// workingFolder returns the working folder, if it is inside root.
func workingFolder(root string) (string, bool) {
	wd, err := folder.Real(".")
	if err != nil {
		return "", false
	}
	_, ok := folder.Inside(root, wd)
	return wd, ok
}

// targetPath makes the path in a target relative to the root, where it begins with
// one as the user sees it: a file below the working folder, or with folders any
// path there.
func targetPath(root, target string, folders bool) (string, error) {
	file, rest := target, ""
	if i := strings.IndexByte(target, ':'); i > 0 {
		file, rest = target[:i], target[i:]
	}
	path := file
	if !filepath.IsAbs(path) {
		wd, ok := workingFolder(root)
		if !ok {
			wd = root
		}
		path = filepath.Join(wd, path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && (folders || info.Mode().IsRegular()):
	case filepath.IsAbs(file), slices.Contains(strings.Split(file, "/"), ".."):
	default:
		return target, nil
	}
	rel, err := rootPath(root, file)
	return rel + rest, err
}
