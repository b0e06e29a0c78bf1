package source

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/index/oserror"
)

// A longer list of paths is not handed to git: everything is listed, and what
// was asked for is picked out. Git compares every file with every path.
const maxGitPaths = 200

// Repositories in repositories deeper than this are left out.
const maxNesting = 32

// repository returns the repository that says what is ignored. Its error is why there is none:
// nil where no work tree holds the root.
//
// Git is not asked where the root lies in a work tree that ignores it, such as a build folder
// or a project below a home folder that is kept in git. Git would list nothing there, and the
// user who names such a folder wants its files.
func (t *Tree) repository(ctx context.Context) (*git.Repository, error) {
	if err := fault(t.opt.Fault, "git", ""); err != nil {
		return nil, err
	}
	repo, err := t.git.Around(ctx, t.root)
	if errors.Is(err, git.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	known := t.excluded
	t.mu.Unlock()
	if known == nil {
		leaves, err := repo.Leaves(ctx, t.root)
		if err != nil {
			return nil, err
		}
		known = &leaves
		t.mu.Lock()
		t.excluded = known
		t.mu.Unlock()
	}
	if *known {
		return nil, errExcluded
	}
	return repo, nil
}

// errExcluded says that the work tree around the root ignores it.
var errExcluded = errors.New("the work tree around the folder ignores it")

// HeadCommit returns the commit that the work tree is at, or "". The error is a transient
// one.
func (t *Tree) HeadCommit(ctx context.Context) (string, error) {
	repo, err := t.repository(ctx)
	if repo == nil || err != nil {
		return "", passing(err)
	}
	commit, err := repo.Head()
	if err != nil {
		return "", passing(err)
	}
	return commit, nil
}

// gatherGit lists and describes what is at or below the paths, or everything
// for none, in the repository at the folder at, "" for the root, and goes on into the
// repositories in it.
func (t *Tree) gatherGit(ctx context.Context, r *rules, repo *git.Repository, at string, paths []string, depth int) (*found, error) {
	direct, nested, err := t.splitNested(at, paths)
	if err != nil {
		return nil, err
	}
	names, err := t.lsFiles(ctx, repo, at, direct)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return adjacent(name, nested) })
	f, err := t.describe(ctx, r, names)
	if err != nil {
		return nil, err
	}
	dirs := f.dirs
	f.dirs = nil
	for _, dir := range dirs {
		if depth == maxNesting {
			continue
		}
		is, err := t.nestedRepo(r, dir)
		if err != nil {
			f.skip(dir, Pending, "a folder: "+cause(err))
		}
		if !is {
			continue
		}
		var g *found
		inner, err := t.git.At(ctx, t.full(dir))
		if err == nil {
			g, err = t.gatherGit(ctx, r, inner, dir, nested[dir], depth+1)
		}
		if err != nil {
			if ctx.Err() != nil || oserror.Transient(err) {
				return nil, err
			}
			t.warnGit(dir, err)
			f.apart = append(f.apart, fmt.Sprintf("%s: %v", dir, err))
			paths := nested[dir]
			if len(paths) == 0 {
				paths = []string{dir}
			}
			if g, err = t.list(ctx, r, paths); err != nil {
				return nil, err
			}
		}
		f.merge(g)
	}
	return f, nil
}

// adjacent says whether a name is in a folder of nested, but not among what is asked for there:
// git lists what is in a folder whose .git it takes for no repository.
func adjacent(name string, nested map[string][]string) bool {
	name = strings.TrimSuffix(name, "/")
	for dir, _ := split(name); dir != "" && len(nested) > 0; dir, _ = split(dir) {
		if paths := nested[dir]; len(paths) > 0 {
			return !slices.ContainsFunc(paths, func(p string) bool { return below(name, p) })
		}
	}
	return false
}

// nestedRepo says whether a folder that git listed is a repository to look
// into: a submodule that is not checked out is not, nor is a folder that stands
// where a tracked file was. The error is one that passes.
func (t *Tree) nestedRepo(r *rules, dir string) (bool, error) {
	c := t.cursor(r)
	defer c.close()
	parent, base := split(dir)
	if err := c.enter(parent); err != nil {
		return false, passing(err)
	}
	in := c.top().folder
	if _, own := in.verdict(dir, base, true); own || in.never || neverFolder(base) {
		return false, nil
	}
	err := c.enter(dir)
	return err == nil && c.top().folder.repo, passing(err)
}

// splitNested tells the paths that the repository answers for from those in
// repositories in it. Of the latter, git is asked for the repository's folder.
// nested holds by folder the paths in it, and nothing where all of it is meant. The error
// is one that passes.
func (t *Tree) splitNested(repo string, paths []string) (direct []string, nested map[string][]string, err error) {
	nested = map[string][]string{}
	isRepo := map[string]bool{}
	for _, p := range paths {
		at := repo
		for at != p {
			elem, _, _ := strings.Cut(strings.TrimPrefix(p[len(at):], "/"), "/")
			at = join(at, elem)
			is, known := isRepo[at]
			if !known {
				_, err := t.dir.Load().Lstat(at + "/.git")
				if oserror.Transient(err) {
					return nil, nil, err
				}
				is = err == nil
				isRepo[at] = is
			}
			if is {
				break
			}
		}
		if !isRepo[at] {
			direct = append(direct, p)
			continue
		}
		if _, ok := nested[at]; !ok {
			direct = append(direct, at)
			nested[at] = nil
		}
		if at != p {
			nested[at] = append(nested[at], p)
		}
	}
	return direct, nested, nil
}

// lsFiles lists the tracked files of the repository at a folder and those that are
// neither tracked nor ignored, at or below the paths, or all for none. The
// repository of a folder in the tree is listed as that folder.
func (t *Tree) lsFiles(ctx context.Context, repo *git.Repository, at string, paths []string) ([]string, error) {
	wanted := map[string]bool{}
	var asked []string
	for _, p := range paths {
		if len(paths) > maxGitPaths {
			wanted[p] = true
			continue
		}
		if p == at {
			p = "."
		} else if at != "" {
			p = p[len(at)+1:]
		}
		asked = append(asked, p)
	}
	all, err := repo.List(ctx, t.full(at), toolFolders, asked)
	if err != nil {
		return nil, err
	}
	names := all[:0]
	for _, name := range all {
		if !validPath(strings.TrimSuffix(name, "/")) {
			continue
		}
		if name = join(at, name); len(wanted) == 0 || atOrBelow(name, wanted) {
			names = append(names, name)
		}
	}
	return names, nil
}

// full returns the whole path of a folder of the tree.
func (t *Tree) full(dir string) string { return filepath.Join(t.root, filepath.FromSlash(dir)) }

// atOrBelow says whether the path, or a folder above it, is wanted.
func atOrBelow(name string, wanted map[string]bool) bool {
	for name = strings.TrimSuffix(name, "/"); name != ""; name, _ = split(name) {
		if wanted[name] {
			return true
		}
	}
	return wanted[""]
}

// warnGit logs why git does not say what is ignored in a folder of the tree, once as long as
// it stays the same.
func (t *Tree) warnGit(dir string, err error) {
	t.mu.Lock()
	said := dir + ": " + err.Error()
	news := t.warned != said
	t.warned = said
	t.mu.Unlock()
	if news {
		t.log.Warn("git cannot list the files; the .gitignore files are read instead", "root", t.root, "folder", dir, "error", err)
	}
}
