package source

import (
	"io"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/quarry-search/quarry/index/internal/ignore"
	"github.com/quarry-search/quarry/index/oserror"
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

// maxWildcards bounds the patterns with wildcards of a folder and all above it, in
// characters: the time to judge a file grows with them. A folder whose ignore files have
// more goes by those that come first; names without wildcards are not counted. The
// longest ignore files that are known have a fifth of it.
const maxWildcards = 32 << 10

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
	log *slog.Logger

	mu      sync.Mutex
	folders map[string]*folder
}

func newRules(log *slog.Logger) *rules { return &rules{log: log, folders: map[string]*folder{}} }

// A folder holds the rules of one folder and leads to those above.
type folder struct {
	parent *folder
	path   string       // "" for the root
	git    *ignore.List // .gitignore, preceded by .git/info/exclude
	own    *ignore.List // .quarryignore
	room   int          // characters of patterns with wildcards that the folders in it may add
	repo   bool         // has a .git: the .gitignore files above end here, as for git
	never  bool         // is or lies in .git and its like
	gitOut bool         // left out by .gitignore, itself or a folder above
	ownOut bool         // left out by .quarryignore, itself or a folder above
}

// folder returns the rules of the folder name in parent, which is open as dir.
// For the root, parent is nil. The error is one that passes: without its ignore files
// nothing can be said of what is in a folder.
func (r *rules) folder(parent *folder, name string, dir *handle) (*folder, error) {
	f := &folder{parent: parent, room: maxWildcards}
	if parent != nil {
		f.path, f.room = join(parent.path, name), parent.room
	}
	r.mu.Lock()
	known := r.folders[f.path]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if parent != nil {
		f.gitOut, f.ownOut = parent.verdict(f.path, name, true)
		f.never = parent.never || neverFolder(name)
	}
	if !f.never {
		if err := f.load(dir, r.log); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.folders[f.path]; known != nil {
		return known, nil
	}
	r.folders[f.path] = f
	return f, nil
}

func (r *rules) known(dir string) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.folders[dir]
}

func (f *folder) load(dir *handle, log *slog.Logger) error {
	info, err := dir.Lstat(".git")
	if oserror.Transient(err) {
		return err
	}
	exclude := ""
	if f.repo = err == nil; f.repo && info.IsDir() {
		if exclude, err = f.read(dir, ".git/info/exclude", log); err != nil {
			return err
		}
	}
	own, err := f.read(dir, quarryIgnore, log)
	if err != nil {
		return err
	}
	git, err := f.read(dir, gitIgnore, log)
	if err != nil {
		return err
	}
	f.own = f.parse(quarryIgnore, own, log)
	f.git = f.parse(gitIgnore, exclude+git, log)
	return nil
}

// parse makes the rules of an ignore file, as far as there is room.
func (f *folder) parse(name, text string, log *slog.Logger) *ignore.List {
	l := ignore.Parse(text, f.room)
	f.room -= l.Size()
	if l.Left() > 0 {
		log.Warn("an ignore file, with those above it, has too many patterns with wildcards; the last ones are not gone by",
			"file", join(f.path, name), "characters", maxWildcards, "left_out", l.Left())
	}
	return l
}

// read reads an ignore file, with a line's end at the end. One that is not a regular
// file counts as absent, as for git, and so does one that cannot be read, unless that
// passes.
func (f *folder) read(dir *handle, name string, log *slog.Logger) (string, error) {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", passing(err)
	}
	if info.Size() > maxIgnoreBytes {
		log.Warn("an ignore file is too large to go by", "file", join(f.path, name), "bytes", info.Size(), "most", maxIgnoreBytes)
		return "", nil
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK)
	if err != nil {
		return "", passing(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreBytes))
	if err != nil {
		return "", passing(err)
	}
	return strings.TrimPrefix(string(text), "\ufeff") + "\n", nil
}

// passing returns err if it is one that passes, and else nil.
func passing(err error) error {
	if oserror.Transient(err) {
		return err
	}
	return nil
}

// verdict says what the rules say about something in the folder f. full is its
// path relative to the root, base its name.
func (f *folder) verdict(full, base string, dir bool) (git, own bool) {
	git = f.gitOut || f.gitVerdict(full, base, dir)
	own = f.ownOut
	for d := f; d != nil && !own; d = d.parent {
		if out, decided := d.own.Match(d.rel(full), base, dir); decided {
			own = out
			break
		}
	}
	return git, own
}

func (f *folder) gitVerdict(full, base string, dir bool) bool {
	for d := f; d != nil; d = d.parent {
		if out, decided := d.git.Match(d.rel(full), base, dir); decided {
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

// Ignored reports whether a watcher can ignore a path: because it belongs to a version
// control system, holds secrets, or is left out by the ignore files. path is relative to
// the root, with slashes.
//
// It asks no other program and reads each ignore file once, until Refresh or Walk. It may
// say false of something that Walk leaves out (git knows more rules, such as those of the
// user). It does not say true of a file that the last Walk or a later Lookup listed, nor of
// a folder above one. It also says false if a transient error hides the rules.
func (t *Tree) Ignored(name string, dir bool) bool {
	name = path.Clean(name)
	if t.Sealed() || name == "." || name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) {
		return false
	}
	if t.isPrivate(name) || dir && inSecretFolder(name) || !dir && IsSecret(name) { // .env may be a folder, and is none to leave out then
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
// of the nearest folder above it that does; nil where an error that passes hides them.
func (t *Tree) nearest(r *rules, dir string) *folder {
	if f := r.known(dir); f != nil {
		return f
	}
	c := t.cursor(r)
	defer c.close()
	if err := c.enter(dir); oserror.Transient(err) {
		return nil
	}
	return c.top().folder // on failure the cursor stands as far down as it got
}

// Refresh forgets the ignore files that Ignored has read.
func (t *Tree) Refresh() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = newRules(t.log)
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
