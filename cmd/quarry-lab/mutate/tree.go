package mutate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// made are folders that are not part of a repository's text.
var made = []string{".git", ".hg", ".tox", ".venv", "venv", "__pycache__", "node_modules"}

// duplicate copies a tree, so that the one that it is given stays as it is. Files can be
// written in the copy, which they cannot in Go's module cache.
func duplicate(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && rel != "." && slices.Contains(made, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode().Perm()|0o600)
	})
	if err != nil {
		return fmt.Errorf("mutate: copy the repository: %w", err)
	}
	return nil
}
