package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/quarry-search/quarry/index/oserror"
)

// A Text is what a file is taken to hold, whatever is on the disk.
type Text struct {
	Content []byte // never written to; nil: the file is gone
	ModTime int64  // nanoseconds since 1970, as Stat gives it
}

// Overlay makes Read and Stat take these texts, by path, in place of the files on the
// disk; those of an earlier call are forgotten. All else goes on seeing the disk. The
// map is the Tree's from then on.
func (t *Tree) Overlay(texts map[string]Text) { t.texts.Store(&texts) }

// text returns what a file is taken to hold.
func (t *Tree) text(name string) (text Text, ok bool) {
	if m := t.texts.Load(); m != nil {
		text, ok = (*m)[name]
	}
	return text, ok
}

// read is what Read returns of the text as that of a file.
func (x Text) read(t *Tree, name string) ([]byte, *Skip) {
	if x.Content == nil {
		return nil, &Skip{name, Vanished, "no longer there"}
	}
	if n := int64(len(x.Content)); n > t.opt.MaxFileBytes {
		return nil, oversized(name, n, t.opt.MaxFileBytes)
	}
	if skip := t.byContent(name, x.Content); skip != nil {
		return nil, skip
	}
	return t.masked(name, append(make([]byte, 0, len(x.Content)), x.Content...)), nil
}

// The reasons of Admit that Walk never reports.
const (
	ByRules   Reason = "ignored"      // git or an ignore file leaves it out
	Rules     Reason = "ignore_rules" // it says what is ignored; only a new Walk can tell
	NotFolder Reason = "not_a_folder" // a file stands where its folder should be
)

// Admit says whether a file that was saved under a path, relative to the root with
// slashes and links resolved, would belong to the tree as far as its name tells: nil, or
// why it would not. The file need not be there. What the text of it says is left to Read.
// It may ask git, which takes some milliseconds. The errors are that of ctx, those of the
// root as a whole, and those that pass (see oserror).
func (t *Tree) Admit(ctx context.Context, name string) (*Skip, error) {
	switch {
	case !validPath(name):
		return &Skip{name, Special, "no path of a file below the root"}, nil
	case IsIgnoreFile(name):
		return &Skip{name, Rules, "it decides which files are indexed, and has to be saved for that"}, nil
	}
	if s := t.refused(name); s != nil {
		return s, nil
	}
	if s := t.byName(name, 0); s != nil {
		return s, nil
	}
	if t.Sealed() { // what would be ignored is not known
		return nil, nil
	}
	there, skip, err := t.spot(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", name, err)
	case skip != nil:
		return skip, nil
	case there:
		return t.admitThere(ctx, name)
	case t.Ignored(name, false):
		return &Skip{name, ByRules, "the ignore files leave it out"}, nil
	}
	ignored, err := t.gitIgnores(ctx, name)
	if err != nil || !ignored {
		return nil, err
	}
	return &Skip{name, ByRules, "git leaves it out"}, nil
}

// spot looks at the place where a file is to be: it is there, or why it cannot be.
// The error is one that passes.
func (t *Tree) spot(name string) (there bool, skip *Skip, err error) {
	c := t.cursor(nil)
	defer c.close()
	info, err := c.lstat(name)
	switch {
	case err == nil && info.IsDir():
		return true, &Skip{name, Special, "a folder"}, nil
	case err == nil:
		return true, nil, nil
	case oserror.Transient(err):
		return false, nil, err
	case errors.Is(err, errLinked):
		return false, &Skip{name, Symlink, "the path leads through a symbolic link"}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, &Skip{name, Unreadable, cause(err)}, nil
	}
	for dir, _ := split(name); dir != ""; dir, _ = split(dir) {
		if info, err := c.lstat(dir); err == nil && !info.IsDir() {
			return false, &Skip{name, NotFolder, dir + " is a file"}, nil
		}
	}
	return false, nil, nil
}

// admitThere is Admit of a file that is there.
func (t *Tree) admitThere(ctx context.Context, name string) (*Skip, error) {
	_, skips, gone, err := t.Lookup(ctx, []string{name})
	switch {
	case err != nil:
		return nil, err
	case len(gone) > 0:
		return &Skip{name, ByRules, "git or the ignore files leave it out"}, nil
	}
	for _, s := range skips {
		switch s.Reason {
		case Oversized, Unreadable, Pending: // of what is on the disk
		default:
			return &s, nil
		}
	}
	return nil, nil
}

// gitIgnores asks git, which knows more rules than the tree has, about a file that is not
// there.
func (t *Tree) gitIgnores(ctx context.Context, name string) (bool, error) {
	repo, err := t.repository(ctx)
	if err == nil && repo == nil || errors.Is(err, errExcluded) {
		return false, nil
	}
	at := ""
	for dir, _ := split(name); dir != "" && err == nil; dir, _ = split(dir) {
		if _, missing := t.dir.Load().Lstat(dir + "/.git"); missing == nil {
			at = dir
			repo, err = t.git.At(ctx, t.full(dir))
			break
		}
	}
	ignores := false
	if err == nil {
		ignores, err = repo.Ignores(ctx, t.full(at), strings.TrimPrefix(name[len(at):], "/"))
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if oserror.Transient(err) {
		return false, err
	}
	if err != nil {
		t.warnGit(at, err)
		return false, nil
	}
	return ignores, nil
}
