// Package git asks git about a work tree that somebody else may have made: which files
// belong to it, what has changed, what its commits say.
//
// It promises that nothing runs but git itself. The configuration of the repository is
// never given to git, and neither are its hooks, aliases, filters, remotes and replaced
// objects. Git works in a directory of this package, with a configuration that is written
// here and with copies of plain data: the index, the references, the exclude file. From the
// repository itself it reads only the objects, and those only if no link and no
// info/alternates leads out of them. A few settings of the configuration that describe how
// files are laid out are read here, and only their valid values are passed on.
//
// Outside the folder that it is asked about it reads only the git directory to which the
// folder belongs: in a folder above, or where git itself keeps that of a linked work tree
// or of a submodule, which must name the folder in turn. On Linux the kernel enforces that,
// if it has Landlock.
//
// If it refuses, the error says why in a sentence, and the caller works without git.
package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// ErrNone says that no repository holds the folder.
var ErrNone = errors.New("there is no git repository")

// ErrRefused says that git was not asked, because of how the repository is set up, or that
// git refused to answer.
var ErrRefused = errors.New("git is not asked")

// Options configure a Client. The zero value works.
type Options struct {
	Timeout time.Duration // for each call of git; 0: a minute
	Scratch string        // a folder to work in where the system's for temporary files cannot be written; "": none
}

// A Client asks git about the repositories in a folder. All methods are safe for concurrent
// use. Close it: it keeps a private folder.
type Client struct {
	opt Options

	mu       sync.Mutex
	scratch  *scratch // nil: nothing was asked yet
	user     *settings
	userText []byte // the ignore file that the user's configuration names
	known    map[string]*Repository
	made     int
	closed   bool
}

// New returns a Client, which does nothing before it is asked.
func New(opt Options) *Client {
	if opt.Timeout <= 0 {
		opt.Timeout = time.Minute
	}
	return &Client{opt: opt, known: map[string]*Repository{}}
}

// Close removes what the Client has written. Later calls are refused.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	clear(c.known)
	c.user, c.userText = nil, nil
	s := c.scratch
	c.scratch = nil
	if s == nil {
		return nil
	}
	return s.close()
}

// Forget makes the Client read the user's settings again, examine the objects of each
// repository again, and ask git again where it did not answer.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.user, c.userText = nil, nil
	for _, r := range c.known {
		r.mu.Lock()
		r.objects, r.failed = nil, nil
		r.mu.Unlock()
	}
}

// A Repository is one about whose files git can be asked.
type Repository struct {
	client *Client
	place  place
	dir    string // ours, in place of the repository's git directory

	mu      sync.Mutex
	user    settings
	ignore  []byte                 // the user's
	copied  map[string]fs.FileInfo // of what the files in dir are copies, by name
	config  string                 // as it was written last
	ignored *string                // as ignore was written last; nil: not yet
	layout  layout
	objects *objects // nil: not looked through yet
	failed  error    // git has not answered in time, and is not asked again

	headText, headID string // what HEAD is, as it was written last; the commit, if there is one
}

// Around returns the repository that holds a folder, given by its absolute path without
// links: the one whose work tree begins there or in the nearest folder above. It wraps
// ErrNone or ErrRefused.
func (c *Client) Around(ctx context.Context, folder string) (*Repository, error) {
	top, err := find(folder)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(top, folder); err != nil || hasGitFolder(rel) {
		return nil, refuse("the folder is part of a git directory")
	}
	return c.At(ctx, top)
}

// At returns the repository whose work tree begins in the folder.
func (c *Client) At(ctx context.Context, folder string) (*Repository, error) {
	p, err := placeOf(folder)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, refuse("the folder is closed")
	}
	if c.scratch != nil && !c.scratch.there() { // something has cleaned up
		_ = c.scratch.close()
		c.scratch = nil
		clear(c.known)
	}
	if c.scratch == nil {
		if c.scratch, err = newScratch(folder, c.opt.Scratch); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	if c.user == nil {
		if err := c.readUser(ctx); err != nil {
			return nil, err
		}
	}
	if r := c.known[folder]; r != nil && r.place == p {
		r.mu.Lock()
		r.user, r.ignore = *c.user, c.userText
		r.mu.Unlock()
		return r, nil
	} else if r != nil {
		_ = os.RemoveAll(r.dir) // if this fails, Close finds it
	}
	c.made++
	r := &Repository{
		client: c, place: p, dir: filepath.Join(c.scratch.dir, strconv.Itoa(c.made)),
		user: *c.user, ignore: c.userText, copied: map[string]fs.FileInfo{},
	}
	for _, name := range []string{"", "info", "refs", "objects"} {
		if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	c.known[folder] = r
	return r, nil
}

// Holds reports whether a work tree may hold the folder, without asking git.
func Holds(folder string) bool {
	_, err := find(folder)
	return err == nil
}

// Common names the repository of a folder, and the place of the folder in its work tree:
// equal for the linked work trees of one repository. "": there is none, or none that Around
// would trust.
func Common(folder string) string {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ""
	}
	top, err := find(folder)
	if err != nil {
		return ""
	}
	p, err := placeOf(top)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(top, folder)
	if err != nil {
		return ""
	}
	return p.common + "\x00" + rel
}

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}
