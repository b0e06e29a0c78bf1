package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A scratch is a folder that nobody else can read, for as long as this process needs it.
type scratch struct {
	dir  string
	held *os.File // locked: who cleans up leaves it alone; nil where files have no locks
}

// scratchName is how the names of such folders begin.
const scratchName = "quarry-git-"

// newScratch makes one, among the system's temporary files or else in another folder, but
// not in the work tree; and removes those that processes have left there which were killed.
func newScratch(top, other string) (*scratch, error) {
	err := errors.New("that for temporary files is in the work tree")
	for _, parent := range []string{os.TempDir(), other} {
		if parent == "" {
			continue
		}
		real, failure := filepath.EvalSymlinks(parent)
		if failure == nil && inside(real, top) {
			continue
		}
		s, failure := scratchIn(parent)
		if failure == nil {
			return s, nil
		}
		err = failure
	}
	return nil, fmt.Errorf("there is no folder to work in: %w", err)
}

func scratchIn(parent string) (*scratch, error) {
	sweep(parent)
	dir, err := os.MkdirTemp(parent, scratchName) // mode 0700
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	return &scratch{dir: dir, held: hold(dir)}, nil
}

// there says whether nobody has removed it.
func (s *scratch) there() bool {
	info, err := os.Lstat(s.dir)
	return err == nil && info.IsDir()
}

func (s *scratch) close() error {
	err := os.RemoveAll(s.dir)
	if s.held != nil {
		s.held.Close()
	}
	if err != nil {
		return fmt.Errorf("remove git's working folder: %w", err)
	}
	return nil
}
