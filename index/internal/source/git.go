package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A longer list of paths is not handed to git: everything is listed, and what
// was asked for is picked out. Git compares every file with every path.
const maxGitPaths = 200

// Repositories in repositories deeper than this are left out.
const maxNesting = 32

// gitMayKnow says whether the root seems to lie in a work tree.
func (t *Tree) gitMayKnow() bool {
	for dir := t.root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
	_, err := exec.LookPath("git")
	return err == nil
}

// useGit says whether git is to be asked: not where the root lies in a work
// tree that ignores it, such as a build folder or a project below a home folder
// that is kept in git. Git would list nothing there, and the user who names
// such a folder wants its files.
func (t *Tree) useGit(ctx context.Context) bool {
	if !t.gitMayKnow() {
		return false
	}
	t.mu.Lock()
	known := t.excluded
	t.mu.Unlock()
	if known != nil {
		return !*known
	}
	excluded := false
	if _, err := t.dir.Load().Lstat(".git"); err != nil {
		if _, err := t.runGit(ctx, "", "check-ignore", "-q", "."); err == nil {
			tracked, err := t.runGit(ctx, "", "ls-files", "--cached", "-z", "--", ".")
			excluded = err == nil && len(tracked) == 0
		}
	}
	t.mu.Lock()
	t.excluded = &excluded
	t.mu.Unlock()
	return !excluded
}

// HeadCommit returns the commit that the work tree is at, or "".
func (t *Tree) HeadCommit(ctx context.Context) string {
	if !t.useGit(ctx) {
		return ""
	}
	out, err := t.runGit(ctx, "", "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// gatherGit lists and describes what is at or below the paths, or everything
// for none, in the repository at repo ("" for the root's), and goes on into the
// repositories in it.
func (t *Tree) gatherGit(ctx context.Context, r *rules, repo string, paths []string, depth int) (*found, error) {
	direct, nested := t.splitNested(repo, paths)
	names, err := t.lsFiles(ctx, repo, direct)
	if err != nil {
		return nil, err
	}
	f, err := t.describe(ctx, r, names)
	if err != nil {
		return nil, err
	}
	dirs := f.dirs
	f.dirs = nil
	for _, dir := range dirs {
		if depth == maxNesting || !t.nestedRepo(r, dir) {
			continue
		}
		g, err := t.gatherGit(ctx, r, dir, nested[dir], depth+1)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			t.warnGit(err)
			inner := nested[dir]
			if len(inner) == 0 {
				inner = []string{dir}
			}
			if g, err = t.list(ctx, r, inner); err != nil {
				return nil, err
			}
		}
		f.merge(g)
	}
	return f, nil
}

// nestedRepo says whether a folder that git listed is a repository to look
// into: a submodule that is not checked out is not, nor is a folder that stands
// where a tracked file was.
func (t *Tree) nestedRepo(r *rules, dir string) bool {
	c := t.cursor(r)
	defer c.close()
	parent, base := split(dir)
	if c.enter(parent) != nil {
		return false
	}
	in := c.top().folder
	if _, own := in.verdict(dir, base, true); own || in.never || neverFolder(base) {
		return false
	}
	return c.enter(dir) == nil && c.top().folder.repo
}

// splitNested tells the paths that the repository answers for from those in
// repositories in it. Of the latter, git is asked for the repository's folder.
// nested holds by folder the paths in it, and nothing where all of it is meant.
func (t *Tree) splitNested(repo string, paths []string) (direct []string, nested map[string][]string) {
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
	return direct, nested
}

// lsFiles lists the tracked files of the repository at repo and those that are
// neither tracked nor ignored, at or below the paths, or all for none. The
// repository of a folder in the tree is listed as that folder.
func (t *Tree) lsFiles(ctx context.Context, repo string, paths []string) ([]string, error) {
	args := []string{"--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-z"}
	for _, name := range toolFolders {
		args = append(args, "--exclude="+name+"/")
	}
	wanted := map[string]bool{}
	if len(paths) > maxGitPaths {
		for _, p := range paths {
			wanted[p] = true
		}
	} else if len(paths) > 0 {
		args = append(args, "--")
		for _, p := range paths {
			if p == repo {
				p = "."
			} else if repo != "" {
				p = p[len(repo)+1:]
			}
			args = append(args, p)
		}
	}
	out, err := t.runGit(ctx, repo, args...)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, bytes.Count(out, []byte{0}))
	for name := range strings.SplitSeq(string(out), "\x00") {
		if !validPath(strings.TrimSuffix(name, "/")) {
			continue
		}
		if name = join(repo, name); len(wanted) == 0 || atOrBelow(name, wanted) {
			names = append(names, name)
		}
	}
	return names, nil
}

// atOrBelow says whether the path, or a folder above it, is wanted.
func atOrBelow(name string, wanted map[string]bool) bool {
	for name = strings.TrimSuffix(name, "/"); name != ""; name, _ = split(name) {
		if wanted[name] {
			return true
		}
	}
	return wanted[""]
}

// runGit runs git in a folder of the root. Git writes nothing, takes no lock,
// asks nobody and starts no program of the repository's choosing.
func (t *Tree) runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.gitTimeout, fmt.Errorf("git did not answer in %s", t.gitTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(dir))
	cmd.Env = gitEnvironment(os.Environ())
	cmd.WaitDelay = time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, new(*exec.ExitError)):
		line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, line)
	}
	return out.Bytes(), err
}

// gitEnvironment removes what a hook or a script may have set to point git at
// another repository or to change the meaning of paths. The settings of the
// user and of the machine stay: safe.directory is among them.
func gitEnvironment(environ []string) []string {
	kept := make([]string, 0, len(environ)+3)
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "GIT_") {
			switch {
			case name == "GIT_CONFIG_PARAMETERS":
				continue
			case strings.HasPrefix(name, "GIT_CONFIG_"), name == "GIT_CEILING_DIRECTORIES", name == "GIT_EXEC_PATH":
			default:
				continue
			}
		}
		kept = append(kept, e)
	}
	return append(kept, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// warnGit logs a complaint of git, once as long as it stays the same.
func (t *Tree) warnGit(err error) {
	t.mu.Lock()
	news := t.warned != err.Error()
	t.warned = err.Error()
	t.mu.Unlock()
	if news {
		t.log.Warn("git cannot list the files; the .gitignore files are read instead", "root", t.root, "error", err)
	}
}
