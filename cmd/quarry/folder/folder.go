// Package folder checks folders that a user names, compares paths, and locks files.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Check returns the absolute path of a folder, links resolved, if it can be a root.
// Its error is a sentence.
func Check(path string) (string, error) {
	root, err := Real(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be used as a root: %w", path, Reason(err))
	}
	dir, err := os.Open(root)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, Reason(err))
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, Reason(err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	if _, err := dir.Readdirnames(1); err != nil && !errors.Is(err, io.EOF) { // an empty one has files later
		return "", fmt.Errorf("%s cannot be read: %w", path, Reason(err))
	}
	return root, nil
}

// Real returns the absolute path with all links resolved.
func Real(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Reason leaves the operation and the path out of a file system's error, where
// the sentence around it already names them.
func Reason(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Inside returns path relative to root, with slashes, and whether it is root
// itself or below it. Both are absolute and clean.
func Inside(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
