package rig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Copy makes a temporary folder tmp for an experiment, and in it a copy of dir that keeps its
// name. remove removes both.
func Copy(dir, experiment string) (tmp, root string, remove func() error, err error) {
	tmp, err = os.MkdirTemp("", "quarry-"+experiment+"-")
	if err != nil {
		return "", "", nil, err
	}
	remove = func() error { return os.RemoveAll(tmp) }
	root = filepath.Join(tmp, filepath.Base(dir))
	if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
		return "", "", nil, errors.Join(fmt.Errorf("copy %s: %w", dir, err), remove())
	}
	return tmp, root, remove, nil
}
