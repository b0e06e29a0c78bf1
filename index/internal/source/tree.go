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
	"time"
)

// Options configure a Tree. The zero value works.
type Options struct {
	MaxFileBytes int64        // larger files are skipped; 0: 2 MiB
	MaxLineBytes int          // files with a longer line are skipped; 0: 20,000
	Logger       *slog.Logger // nil: nothing is logged
	KeepSecrets  bool         // texts are read as they are: see package secret
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
	root string                  // absolute, links resolved
	dir  atomic.Pointer[os.Root] // every read goes through it
	opt  Options
	log  *slog.Logger

	gitTimeout time.Duration // for one call of git

	texts atomic.Pointer[map[string]Text] // see Overlay; nil: none

	mu       sync.Mutex
	source   string
	excluded *bool               // the root is ignored by the work tree around it; nil: not asked yet
	warned   string              // the last complaint of git that was logged
	rules    *rules              // what Ignored goes by
	forced   map[string]struct{} // listed against the ignore files (tracked files), and the folders above
}

// Open opens the folder root, which may be empty. The error says in a sentence
// what is wrong and wraps fs.ErrNotExist, ErrNotFolder or fs.ErrPermission.
func Open(root string, opt Options) (*Tree, error) {
	if opt.MaxFileBytes <= 0 {
		opt.MaxFileBytes = defaultMaxFileBytes
	}
	if opt.MaxLineBytes <= 0 {
		opt.MaxLineBytes = defaultMaxLineBytes
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w", root, err)
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
	dir, err := os.OpenRoot(real)
	if err != nil {
		return nil, rootError(abs, err)
	}
	if err := listable(dir); err != nil {
		dir.Close()
		return nil, rootError(abs, err)
	}
	t := &Tree{
		root: real, opt: opt, log: opt.Logger,
		gitTimeout: time.Minute,
		rules:      newRules(),
		forced:     map[string]struct{}{},
		source:     byFiles,
	}
	t.dir.Store(dir)
	if t.gitMayKnow() {
		t.source = byGit
	}
	return t, nil
}

// reopen makes sure that the open folder is the one that bears the root's name
// now, and that it can be read: it may have been deleted and made again.
func (t *Tree) reopen() error {
	dir := t.dir.Load()
	now, err := os.Stat(t.root)
	if err != nil {
		return err
	}
	if then, err := dir.Stat("."); err != nil || !os.SameFile(then, now) {
		if dir, err = os.OpenRoot(t.root); err != nil {
			return err
		}
		// The old one is left to the garbage collector: a read may be going on.
		t.dir.Store(dir)
	}
	return listable(dir)
}

// listable finds out whether the folder can be read, which opening it does not.
func listable(dir *os.Root) error {
	f, err := dir.Open(".")
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
func (t *Tree) Close() error { return t.dir.Load().Close() }

// Root returns the absolute path of the root, with links resolved.
func (t *Tree) Root() string { return t.root }

// Source says who decides what is ignored: "git" or "gitignore files". Before
// the first Walk it is a guess.
func (t *Tree) Source() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.source
}

// Walk returns the files that belong to the index as far as their names and
// sizes tell, and the files that do not, both by path. A file that git or an
// ignore file leaves out is in neither.
//
// In a git work tree git itself says what is ignored: tracked files are listed
// whatever the rules say. Elsewhere, or where git fails, the .gitignore files
// are read. A .quarryignore takes away from both. Submodules and repositories
// in the tree are part of it, each by its own rules.
//
// A symbolic link is never followed. One to a file that is listed itself is
// left out without a word.
func (t *Tree) Walk(ctx context.Context) (files []File, skips []Skip, err error) {
	if err := t.reopen(); err != nil {
		return nil, nil, rootError(t.root, err)
	}
	t.mu.Lock()
	t.excluded = nil
	t.mu.Unlock()

	r := newRules()
	found, source, err := t.gather(ctx, r, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("list the files of %s: %w", t.root, err)
	}
	found.settleLinks(found.paths())
	found.sort()

	forced := map[string]struct{}{}
	found.addForced(forced)
	t.mu.Lock()
	t.rules, t.forced, t.source = r, forced, source
	t.mu.Unlock()
	return found.files, found.skips, nil
}

// gather lists and describes what is at or below the paths, or everything for
// none, by git where it can.
func (t *Tree) gather(ctx context.Context, r *rules, paths []string) (*found, string, error) {
	if t.useGit(ctx) {
		f, err := t.gatherGit(ctx, r, "", paths, 0)
		if err == nil || ctx.Err() != nil {
			return f, byGit, err
		}
		t.warnGit(err)
	}
	f, err := t.list(ctx, r, paths)
	return f, byFiles, err
}
