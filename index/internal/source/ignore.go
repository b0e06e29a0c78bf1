package source

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Names of the files that hold ignore rules. .quarryignore has the syntax of
// .gitignore and comes on top of it: it can only take away, and a line with "!"
// takes back only what another line of a .quarryignore took away.
const (
	gitIgnore    = ".gitignore"
	quarryIgnore = ".quarryignore"
)

// Larger ignore files are not rules but an accident.
const maxIgnoreBytes = 1 << 20

// neverFolder says whether a name belongs to a version control system. Such
// files and folders are not part of the tree, whatever any rule says. Case does not
// matter, because it does not for some file systems.
func neverFolder(name string) bool {
	switch strings.ToLower(name) {
	case ".git", ".hg", ".svn", ".jj":
		return true
	}
	return false
}

// The folders that are left out although no rule names them, because tools fill
// them and nobody reads them. A tracked file in one of them is kept. The list
// is short on purpose: names like build, target and vendor hold real source too.
var toolFolders = []string{"node_modules", ".venv", "__pycache__", ".tox", ".gradle", ".idea"}

// rules are the ignore files of a tree as they were when each was first asked
// for. They are safe for concurrent use.
type rules struct {
	mu      sync.Mutex
	folders map[string]*folder
}

func newRules() *rules { return &rules{folders: map[string]*folder{}} }

// A folder holds the rules of one folder and leads to those above.
type folder struct {
	parent *folder
	path   string    // "" for the root
	git    []pattern // .gitignore, preceded by .git/info/exclude
	own    []pattern // .quarryignore
	repo   bool      // has a .git: the .gitignore files above end here, as for git
	never  bool      // is or lies in .git and its like
	gitOut bool      // left out by .gitignore, itself or a folder above
	ownOut bool      // left out by .quarryignore, itself or a folder above
}

// folder returns the rules of the folder name in parent, which is open as dir.
// For the root, parent is nil.
func (r *rules) folder(parent *folder, name string, dir *os.Root) *folder {
	f := &folder{parent: parent}
	if parent != nil {
		f.path = join(parent.path, name)
	}
	r.mu.Lock()
	known := r.folders[f.path]
	r.mu.Unlock()
	if known != nil {
		return known
	}
	if parent != nil {
		f.gitOut, f.ownOut = parent.verdict(f.path, name, true)
		f.never = parent.never || neverFolder(name)
	}
	if !f.never {
		f.load(dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.folders[f.path]; known != nil {
		return known
	}
	r.folders[f.path] = f
	return f
}

func (r *rules) known(dir string) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.folders[dir]
}

func (f *folder) load(dir *os.Root) {
	if info, err := dir.Lstat(".git"); err == nil {
		f.repo = true
		if info.IsDir() {
			f.git = readPatterns(dir, ".git/info/exclude")
		}
	}
	f.git = append(f.git, readPatterns(dir, gitIgnore)...)
	f.own = readPatterns(dir, quarryIgnore)
}

// readPatterns reads an ignore file. One that is not a regular file counts as
// absent, as for git.
func readPatterns(dir *os.Root, name string) []pattern {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreBytes {
		return nil
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return nil
	}
	return parsePatterns(string(text))
}

// verdict says what the rules say about something in the folder f. full is its
// path relative to the root, base its name.
func (f *folder) verdict(full, base string, dir bool) (git, own bool) {
	git = f.gitOut || f.gitVerdict(full, base, dir)
	own = f.ownOut
	for d := f; d != nil && !own; d = d.parent {
		if out, decided := lastMatch(d.own, d.rel(full), base, dir); decided {
			own = out
			break
		}
	}
	return git, own
}

func (f *folder) gitVerdict(full, base string, dir bool) bool {
	for d := f; d != nil; d = d.parent {
		if out, decided := lastMatch(d.git, d.rel(full), base, dir); decided {
			return out
		}
		if d.repo {
			break
		}
	}
	return dir && slices.Contains(toolFolders, base)
}

func (f *folder) rel(full string) string {
	if f.path == "" {
		return full
	}
	return full[len(f.path)+1:]
}

func lastMatch(ps []pattern, rel, base string, dir bool) (out, decided bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		if ps[i].match(rel, base, dir) {
			return !ps[i].negate, true
		}
	}
	return false, false
}

// Ignored says whether a watcher can do without a path: because it belongs to
// a version control system, holds secrets, or is left out by the ignore files.
// path is relative to the root, with slashes.
//
// It asks no other program and reads each ignore file once, until Refresh or
// Walk. It may say false of something that Walk leaves out (git knows more
// rules, such as those of the user). It does not say true of a file that the
// last Walk or a later Lookup listed, nor of a folder above one.
func (t *Tree) Ignored(name string, dir bool) bool {
	name = path.Clean(name)
	if name == "." || name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) {
		return false
	}
	if dir && inSecretFolder(name) || !dir && IsSecret(name) { // .env may be a folder, and is none to leave out then
		return true
	}
	t.mu.Lock()
	r := t.rules
	_, forced := t.forced[name]
	t.mu.Unlock()

	parent, base := path.Split(name)
	f := t.nearest(r, strings.TrimSuffix(parent, "/"))
	if f == nil {
		return false
	}
	if f.never || neverFolder(base) {
		return true
	}
	// Where the folders between f and name are not there, their own names are
	// judged as if they were: a watcher also reports what is gone.
	for at := f.path; ; {
		rest := strings.TrimPrefix(name[len(at):], "/")
		elem, _, more := strings.Cut(rest, "/")
		at = join(at, elem)
		if more && neverFolder(elem) {
			return true
		}
		git, own := f.verdict(at, elem, more || dir)
		if own || git && !forced {
			return true
		}
		if !more {
			return false
		}
	}
}

// nearest returns the rules of the folder dir or, where that does not exist,
// of the nearest folder above it that does.
func (t *Tree) nearest(r *rules, dir string) *folder {
	if f := r.known(dir); f != nil {
		return f
	}
	c := t.cursor(r)
	defer c.close()
	_ = c.enter(dir) // on failure the cursor stands as far down as it got
	return c.top().folder
}

// Refresh forgets the ignore files that Ignored has read.
func (t *Tree) Refresh() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = newRules()
}

// IsIgnoreFile says whether a change of the file may change what other files
// belong to the tree, so that only a new Walk can tell.
func IsIgnoreFile(name string) bool {
	base := path.Base(name)
	if base == gitIgnore || base == quarryIgnore {
		return true
	}
	return name == ".git/info/exclude" || strings.HasSuffix(name, "/.git/info/exclude")
}

// join is path.Join for paths that are clean already; "" is the root.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
