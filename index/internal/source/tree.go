package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/index/oserror"
)

// Options configure a Tree. The zero value works.
type Options struct {
	MaxFileBytes int64        // larger files are skipped; 0: 2 MiB
	MaxLineBytes int          // files with a longer line are skipped; 0: 20,000
	Logger       *slog.Logger // nil: nothing is logged
	KeepSecrets  bool         // texts are read as they are: see package secret
	Scratch      string       // a folder that may be written where that for temporary files may not; "": none

	// Private are absolute paths of files and folders that are secret whatever their
	// names: a token's file, the program's own data. They need not be in the root.
	Private []string

	// Fault is asked by tests before each call of the system, by its name and a path below
	// the root, and returns what it is to fail with; nil: none does.
	Fault func(call, name string) error
}

const (
	defaultMaxFileBytes = 2 << 20
	defaultMaxLineBytes = 20_000
)

// Where the decision what is ignored comes from, as Tree.Source says it.
const (
	byGit   = "git"
	byFiles = "gitignore files"
)

// ErrNotFolder is the error of Open for a root that is a file.
var ErrNotFolder = errors.New("it is not a folder")

// A Tree is the files below one root folder. All methods are safe for
// concurrent use.
type Tree struct {
	root string                 // absolute, links resolved
	dir  atomic.Pointer[handle] // every read goes through it
	opt  Options
	log  *slog.Logger

	git *git.Client

	private []string // of Options.Private, those in the root, relative to it

	texts   atomic.Pointer[map[string]Text] // see Overlay; nil: none
	archive atomic.Pointer[Archive]         // nil: there is a folder

	mu       sync.Mutex
	source   string
	why      string              // git does not decide, or not about all; see Source
	excluded *bool               // the root is ignored by the work tree around it; nil: not asked yet
	warned   string              // the last complaint of git that was logged
	rules    *rules              // what Ignored goes by
	forced   map[string]struct{} // listed against the ignore files (tracked files), and the folders above
	clean    map[clean]struct{}  // texts that need no mask, of those that Text has read
}

// Open opens the folder, which may be empty. The error says in a sentence
// what is wrong and wraps fs.ErrNotExist, ErrNotFolder or fs.ErrPermission.
func Open(folder string, opt Options) (*Tree, error) {
	if opt.MaxFileBytes <= 0 {
		opt.MaxFileBytes = defaultMaxFileBytes
	}
	if opt.MaxLineBytes <= 0 {
		opt.MaxLineBytes = defaultMaxLineBytes
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w", folder, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, rootError(abs, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, rootError(abs, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("cannot open %s: %w", abs, ErrNotFolder)
	}
	opened, err := os.OpenRoot(real)
	if err != nil {
		return nil, rootError(abs, err)
	}
	dir := &handle{dir: opened, fault: opt.Fault}
	if err := listable(dir); err != nil {
		dir.Close()
		return nil, rootError(abs, err)
	}
	t := &Tree{
		root: real, opt: opt, log: opt.Logger,
		git:    git.New(git.Options{Scratch: opt.Scratch}),
		rules:  newRules(opt.Logger),
		forced: map[string]struct{}{},
		source: byFiles,
	}
	t.dir.Store(dir)
	for _, p := range opt.Private {
		full, err := t.followLinks(filepath.Clean(p))
		if err != nil {
			return nil, errors.Join(rootError(abs, err), dir.Close())
		}
		if rel, err := filepath.Rel(real, full); filepath.IsAbs(p) && err == nil && filepath.IsLocal(rel) && rel != "." {
			t.private = append(t.private, filepath.ToSlash(rel))
		}
	}
	if git.Holds(real) { // a guess
		t.source = byGit
	}
	return t, nil
}

// Reopen makes sure that the open folder is the one that bears the root's name
// now, and that it can be read: it may have been deleted and made again.
func (t *Tree) Reopen() error {
	dir := t.dir.Load()
	if err := fault(t.opt.Fault, "stat", ""); err != nil {
		return err
	}
	now, err := os.Stat(t.root)
	if err != nil {
		return err
	}
	if then, err := dir.Stat("."); err != nil || !os.SameFile(then, now) {
		opened, err := os.OpenRoot(t.root)
		if err != nil {
			return err
		}
		dir = &handle{dir: opened, fault: t.opt.Fault}
		// The old one is left to the garbage collector: a read may be going on.
		t.dir.Store(dir)
	}
	return listable(dir)
}

// listable finds out whether the folder can be read, which opening it does not.
func listable(dir *handle) error {
	f, err := dir.OpenFile(".", os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Readdirnames(1); err != nil && err != io.EOF {
		return err
	}
	return nil
}

func rootError(root string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist: %w", root, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the folder %s cannot be read: %w", root, fs.ErrPermission)
	}
	return fmt.Errorf("cannot open the folder %s: %w", root, err)
}

// Close ends the use of the tree.
func (t *Tree) Close() error {
	if t.Sealed() {
		return nil
	}
	return errors.Join(t.git.Close(), t.dir.Load().Close())
}

// Root returns the absolute path of the root, with links resolved; of a Tree without a folder,
// its name.
func (t *Tree) Root() string { return t.root }

// Source says who decides what is ignored: "git" or "gitignore files", or "snapshot" where there
// is no folder; and why it is not git
// although there is a repository, or which repositories in the tree git was not asked about.
// Before the first Walk it is a guess.
func (t *Tree) Source() (source, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.source, t.why
}

// Walk returns the files that belong to the index as far as their names and
// sizes tell, and the files that do not, both by path. A file that git or an
// ignore file leaves out is in neither.
//
// In a git work tree git itself decides what is ignored: tracked files are listed whatever
// the rules say. Elsewhere, or where git fails, the .gitignore files are read. A
// .quarryignore excludes more in either case. Submodules and repositories in the tree are
// part of it, each by its own rules.
//
// What a transient error (see oserror) hides is a Skip with the reason Pending, which for a
// folder stands for everything below it. If it hides the root, or git's answer, it is
// returned as the error.
//
// A symbolic link is never followed. A link to a file that is itself listed is left out
// silently.
func (t *Tree) Walk(ctx context.Context) (files []File, skips []Skip, err error) {
	if t.Sealed() {
		return nil, nil, ErrNoFolder
	}
	if err := t.Reopen(); err != nil {
		return nil, nil, rootError(t.root, err)
	}
	t.mu.Lock()
	t.excluded = nil
	t.mu.Unlock()
	t.git.Forget()

	r := newRules(t.log)
	found, source, why, err := t.gather(ctx, r, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("list the files of %s: %w", t.root, err)
	}
	found.settleLinks(found.paths())
	found.sort()

	forced := map[string]struct{}{}
	found.addForced(forced)
	t.mu.Lock()
	t.rules, t.forced, t.source, t.why = r, forced, source, why
	t.mu.Unlock()
	return found.files, found.skips, nil
}

// gather lists and describes what is at or below the paths, or everything for
// none, by git where it can. Its words are those of Source.
func (t *Tree) gather(ctx context.Context, r *rules, paths []string) (found *found, source, why string, err error) {
	repo, err := t.repository(ctx)
	if repo != nil {
		found, err = t.gatherGit(ctx, r, repo, "", paths, 0)
		if err == nil {
			return found, byGit, summed(found.apart), nil
		}
	}
	// After an error that passes, others than git would say that something else is ignored.
	if oserror.Transient(err) {
		return nil, byGit, "", err
	}
	switch {
	case ctx.Err() != nil:
		return nil, "", "", ctx.Err()
	case errors.Is(err, errExcluded):
		why = err.Error()
	case err != nil:
		t.warnGit("", err)
		why = err.Error()
	}
	found, err = t.list(ctx, r, paths)
	return found, byFiles, why, err
}

// summed says the first of some reasons, and how many more there are.
func summed(reasons []string) string {
	switch len(reasons) {
	case 0:
		return ""
	case 1:
		return reasons[0]
	}
	return fmt.Sprintf("%s; and %d more", reasons[0], len(reasons)-1)
}
