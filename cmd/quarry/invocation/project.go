package invocation

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// Load returns the settings of a command and the root that it is about.
func Load(cmd *cobra.Command, args []string) (s config.Settings, root string, err error) {
	if s, err = config.Load(cmd); err != nil {
		return s, "", err
	}
	root, err = ProjectRoot(cmd, s, args)
	return s, root, err
}

// ProjectRoot returns the absolute path, links resolved, of the root that the
// command is about: its argument, else the setting, else the working folder.
// The error is one sentence for anything but a readable folder.
func ProjectRoot(cmd *cobra.Command, s config.Settings, args []string) (string, error) {
	path := s.Root
	if len(args) > 0 {
		if cmd.Flags().Changed("root") {
			return "", errors.New("the root is given twice, as an argument and as a flag")
		}
		path = args[0]
	} else if !s.RootGiven {
		path = "."
	}
	if strings.TrimSpace(path) == "" {
		return "", errors.New("the root is an empty string")
	}
	return folder.Check(path)
}

// ProjectRoots is projectRoot for a command that takes several; one that is named twice
// is there once.
func ProjectRoots(cmd *cobra.Command, s config.Settings, args []string) ([]string, error) {
	if len(args) < 2 {
		root, err := ProjectRoot(cmd, s, args)
		return []string{root}, err
	}
	var roots []string
	for _, arg := range args {
		root, err := ProjectRoot(cmd, s, []string{arg})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots, nil
}

// WrittenRoots returns the absolute paths of the roots as the user has them, links not
// resolved: clients may hash them so.
func WrittenRoots(s config.Settings, args []string) []string {
	if len(args) == 0 {
		args = []string{"."}
		if s.RootGiven {
			args = []string{s.Root}
		}
	}
	var roots []string
	for _, arg := range args {
		if abs, err := filepath.Abs(arg); err == nil {
			roots = append(roots, abs)
		} else {
			roots = append(roots, arg)
		}
	}
	return roots
}
