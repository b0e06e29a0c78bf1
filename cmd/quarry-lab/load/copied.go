package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// copied makes a folder tmp for a form, and in it a copy of dir, which keeps its name.
// Whoever has them calls remove, which removes both.
func copied(dir, form string) (tmp, root string, remove func() error, err error) {
	tmp, err = os.MkdirTemp("", "quarry-"+form+"-")
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
