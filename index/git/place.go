package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A place is where the parts of a repository lie, as absolute paths.
type place struct {
	top    string // the work tree
	git    string // its git directory, links resolved
	common string // what linked work trees have in common; git where it is none
}

func (p place) linked() bool { return p.git != p.common }

// maxPointer bounds the small files that name a path or a commit, in bytes.
const maxPointer = 8 << 10

// find returns the nearest folder with a .git, the given one or one above it on the same
// file system, as git looks for it.
func find(folder string) (string, error) {
	ceilings := ceilings()
	from, err := os.Lstat(folder)
	if err != nil {
		return "", ErrNone
	}
	for dir := folder; ; {
		if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && (!info.IsDir() || isGitFolder(dir)) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir || slices.Contains(ceilings, up) {
			return "", ErrNone
		}
		info, err := os.Lstat(up)
		if err != nil || device(info) != device(from) {
			return "", ErrNone
		}
		dir = up
	}
}

// isGitFolder says whether the folder .git has what git looks for before it takes it for a
// repository.
func isGitFolder(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, ".git", name)); err != nil {
			return false
		}
	}
	return true
}

// hasGitFolder says whether an element of a path is a git directory's name.
func hasGitFolder(rel string) bool {
	for elem := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.EqualFold(elem, ".git") {
			return true
		}
	}
	return false
}

// placeOf finds the git directory of the work tree that begins at top. A .git that is not
// in the work tree itself must be where git puts it, and name the work tree in turn;
// otherwise anybody could have the repository of somebody else read with a line of text.
func placeOf(top string) (place, error) {
	name := filepath.Join(top, ".git")
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{}, ErrNone
	case err != nil:
		return place{}, refuse(".git: %v", bare(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return place{}, refuse(".git is a symbolic link")
	case info.IsDir():
		if _, err := os.Lstat(filepath.Join(name, "commondir")); err == nil {
			return place{}, refuse("the .git folder refers to another one (commondir)")
		}
		return place{top, name, name}, nil
	case !info.Mode().IsRegular():
		return place{}, refuse(".git is not a plain file or folder")
	}
	return placeByFile(top, name)
}

func placeByFile(top, name string) (place, error) {
	git, err := pointer(top, ".git", "gitdir: ")
	if err != nil {
		return place{}, refuse(".git: %v", err)
	}
	if git, err = filepath.EvalSymlinks(git); err != nil {
		return place{}, refuse("the folder that .git names: %v", bare(err))
	}
	if info, err := os.Lstat(git); err != nil || !info.IsDir() {
		return place{}, refuse("what .git names is not a folder")
	}
	if _, err := os.Lstat(filepath.Join(git, "commondir")); err == nil {
		common, err := pointer(git, "commondir", "")
		if err == nil {
			common, err = filepath.EvalSymlinks(common)
		}
		if err != nil {
			return place{}, refuse("commondir: %v", bare(err))
		}
		back, err := pointer(git, "gitdir", "")
		if err != nil || filepath.Dir(filepath.Dir(git)) != common || filepath.Base(filepath.Dir(git)) != "worktrees" || !same(back, name) {
			return place{}, refuse("the repository that .git names does not know this work tree")
		}
		return place{top, git, common}, nil
	}
	p := place{top, git, git}
	if inside(git, top) {
		return p, nil
	}
	root, err := os.OpenRoot(git)
	if err != nil {
		return place{}, refuse("what .git names: %v", bare(err))
	}
	defer root.Close()
	l, err := readLayout(root, root, false)
	if err != nil {
		return place{}, err
	}
	if l.worktree == "" || !same(from(git, l.worktree), top) {
		return place{}, refuse("the repository that .git names does not know this work tree")
	}
	return p, nil
}

// pointer reads the path on the first line of a small file in a folder, after a prefix. A
// relative one is taken from the folder.
func pointer(folder, name, prefix string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, err := read(root, name, maxPointer)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(string(text), prefix)
	path = strings.TrimRight(path, "\r\n")
	if !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", errors.New("it names no folder")
	}
	return from(folder, path), nil
}

func from(folder, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// inside says whether a path without links is in a folder.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// bare returns an error without the path in it, which its reader need not know.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
