package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// projectRoot returns the absolute path, links resolved, of the root that the
// command is about: its argument, else the setting, else the working folder.
// The error is one sentence for anything but a readable folder with something
// in it.
func projectRoot(cmd *cobra.Command, s settings, args []string) (string, error) {
	path := s.Root
	if len(args) > 0 {
		if cmd.Flags().Changed("root") {
			return "", errors.New("the root is given twice, as an argument and as a flag")
		}
		path = args[0]
	} else if !s.rootGiven {
		path = "."
	}
	if strings.TrimSpace(path) == "" {
		return "", errors.New("the root is an empty string")
	}
	return checkRoot(path)
}

// projectRoots is projectRoot for a command that takes several; one that is named twice
// is there once.
func projectRoots(cmd *cobra.Command, s settings, args []string) ([]string, error) {
	if len(args) < 2 {
		root, err := projectRoot(cmd, s, args)
		return []string{root}, err
	}
	var roots []string
	for _, arg := range args {
		root, err := projectRoot(cmd, s, []string{arg})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots, nil
}

// checkRoot returns the absolute path of a folder, links resolved, if it can be a root.
// Its error is a sentence.
func checkRoot(path string) (string, error) {
	root, err := realPath(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be used as a root: %w", path, reason(err))
	}
	dir, err := os.Open(root)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	switch _, err := dir.Readdirnames(1); {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%s is empty", path)
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	return root, nil
}

// realPath returns the absolute path with all links resolved.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// reason leaves the operation and the path out of a file system's error, where
// the sentence around it already names them.
func reason(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// inside returns path relative to root, with slashes, and whether it is root
// itself or below it. Both are absolute and clean.
func inside(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
