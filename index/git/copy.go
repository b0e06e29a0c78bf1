package git

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxIndex  = 256 << 20 // bytes of the index; that of Linux has 9 MB
	maxIgnore = 1 << 20   // bytes of an exclude file
	maxShared = 16        // files of which an index is made up
)

// prepare brings our directory in line with the repository's: what has not changed since
// is not copied again.
func (r *Repository) prepare() error {
	git, err := os.OpenRoot(r.place.git)
	if err != nil {
		return refuse("the git directory: %v", bare(err))
	}
	defer git.Close()
	common := git
	if r.place.linked() {
		if common, err = os.OpenRoot(r.place.common); err != nil {
			return refuse("the git directory: %v", bare(err))
		}
		defer common.Close()
	}
	if err := r.check(git, common); err != nil {
		return err
	}
	if config := r.written(); config != r.config {
		if err := r.write("config", []byte(config)); err != nil {
			return err
		}
		r.config = config
	}
	if r.ignored == nil || *r.ignored != string(r.ignore) {
		if err := r.write("ignore", r.ignore); err != nil {
			return err
		}
		r.ignored = new(string(r.ignore))
	}
	for _, c := range []struct {
		name string
		in   *os.Root
	}{{"info/exclude", common}, {"info/sparse-checkout", git}, {"shallow", common}} {
		if _, err := r.copy(c.in, c.name, maxIgnore); err != nil {
			return err
		}
	}
	changed, err := r.copy(git, "index", maxIndex)
	if err != nil {
		return err
	}
	if changed {
		if err := r.copyShared(git); err != nil {
			return err
		}
	}
	return r.writeHead(git, common)
}

// check refuses what is no repository that git would take, and what is not the work tree's.
func (r *Repository) check(git, common *os.Root) error {
	for _, name := range []string{"objects", "refs"} {
		if info, err := common.Lstat(name); err != nil || !info.IsDir() {
			return refuse("the git directory has no folder %s", name)
		}
	}
	l, err := readLayout(common, git, r.place.linked())
	if err != nil {
		return err
	}
	switch {
	case l.worktree != "" && !same(from(r.place.git, l.worktree), r.place.top):
		return refuse("the repository says that its work tree is elsewhere (core.worktree)")
	case l.is("core.bare") && l.worktree == "":
		return refuse("the repository says that it has no work tree (core.bare)")
	}
	r.layout = l
	return nil
}

// copy copies a file, if it is there and not the one that was copied before, and reports
// whether it did. What is gone is removed.
func (r *Repository) copy(in *os.Root, name string, most int64) (changed bool, err error) {
	f, info, err := open(in, name, most)
	if isAbsent(err) {
		if r.copied[name] == nil {
			return false, nil
		}
		delete(r.copied, name)
		return true, removed(os.Remove(filepath.Join(r.dir, filepath.FromSlash(name))))
	}
	if err != nil {
		return false, refuse("%s in the git directory: %v", name, err)
	}
	defer f.Close()
	if was := r.copied[name]; was != nil && os.SameFile(was, info) && was.Size() == info.Size() && was.ModTime().Equal(info.ModTime()) {
		return false, nil
	}
	if err := r.writeFrom(name, f, most); err != nil {
		return false, err
	}
	// Git compares files that are as new as the index in full ("racy git").
	if err := os.Chtimes(filepath.Join(r.dir, filepath.FromSlash(name)), info.ModTime(), info.ModTime()); err != nil {
		return false, refuse("%s cannot be copied: %v", name, bare(err))
	}
	r.copied[name] = info
	return true, nil
}

func removed(err error) error {
	if err != nil && !isAbsent(err) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return nil
}

// copyShared copies the files of which a split index is made up, whose names are in it.
// See "Split index" in gitformat-index(5).
func (r *Repository) copyShared(git *os.Root) error {
	index, err := os.ReadFile(filepath.Join(r.dir, "index"))
	if err != nil || !bytes.Contains(index, []byte("link")) {
		return nil // there is none, or it is not split
	}
	entries, err := fs.ReadDir(git.FS(), ".")
	if err != nil {
		return refuse("the git directory: %v", bare(err))
	}
	n := 0
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), "sharedindex.")
		raw, err := hex.DecodeString(id)
		if !ok || err != nil || !isID(id) || !bytes.Contains(index, raw) {
			continue
		}
		if n++; n > maxShared {
			return refuse("the index is made up of more than %d files", maxShared)
		}
		if _, err := r.copy(git, e.Name(), maxIndex); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file of ours as a whole: a git that runs reads the one or the other.
func (r *Repository) write(name string, text []byte) error {
	return r.writeFrom(name, bytes.NewReader(text), int64(len(text)))
}

func (r *Repository) writeFrom(name string, from io.Reader, most int64) error {
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	err := func() error {
		f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		n, err := io.Copy(f, io.LimitReader(from, most+1))
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err == nil && n > most {
			err = fmt.Errorf("it has more than %d bytes", most)
		}
		if err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}()
	if err != nil {
		return refuse("%s cannot be copied: %v", name, bare(err))
	}
	return nil
}
